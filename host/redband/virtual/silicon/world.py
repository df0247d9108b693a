"""The world around the chip: what moves by itself while the program runs, on the badge's clock.

Guarantee: edges and samples come at their time, in order, whenever the program reads a pin, polls,
awaits or sleeps, and no wait sleeps past the next one.
Does not play anything to a program that never looks.
"""

import bus
from clock import NEVER_US


class World:
    """One per interpreter. A source has next_us() (or None) and advance(now_us)."""

    def __init__(self) -> None:
        self.is_active = False
        self._sources = []
        self._is_advancing = False

    def add(self, source) -> None:
        """Ask `source` from now on."""
        self._sources.append(source)

    def now_us(self) -> int:
        """Return the owner's time; never wraps."""
        return bus.the_bus.clock.peek_us()

    def changed(self) -> None:
        """A source has something to do, or no longer has."""
        self.is_active = self.next_us() < NEVER_US

    def next_us(self) -> int:
        """Return when the next source has something to do, NEVER_US when none has."""
        first_us = NEVER_US
        for source in self._sources:
            next_us = source.next_us()
            if next_us is not None and next_us < first_us:
                first_us = next_us
        return first_us

    def advance(self) -> None:
        """Let everything happen that is due. A source may use the bus, but not wait on it."""
        if self._is_advancing:
            return
        self._is_advancing = True
        now_us = self.now_us()
        for source in self._sources:
            source.advance(now_us)
        self._is_advancing = False
        self.changed()


the_world = World()
bus.the_bus.world = the_world
