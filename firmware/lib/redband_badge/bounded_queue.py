"""A queue between two tasks: bounded, with a visible drop counter.

Guarantee: what does not fit is counted in `dropped_count`; an item stays in front until the
consumer removes it, so a consumer that fails and is restarted finds it again.
"""

from redband_hal.event_loop import Wakeup


class BoundedQueue:
    """First in, first out, for tasks of one event loop (not for interrupt handlers)."""

    def __init__(self, size: int, wakeup: Wakeup) -> None:
        """`size`: items at most, 1 or more. `wakeup`: the consumer's, for all of its queues."""
        self._items = []
        self._size = size
        self._wakeup = wakeup
        self.dropped_count = 0

    def put(self, item: tuple) -> bool:
        """Append and wake the consumer; return False, and count, when there is no room."""
        if len(self._items) >= self._size:
            self.dropped_count += 1
            return False
        self._items.append(item)
        self._wakeup.set()
        return True

    def front(self) -> "tuple | None":
        """Return the oldest item and leave it there, or None."""
        return self._items[0] if self._items else None

    def remove_front(self) -> None:
        """Remove the item that front() returned."""
        self._items.pop(0)
