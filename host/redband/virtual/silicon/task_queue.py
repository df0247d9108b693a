"""asyncio's `_asyncio` in Python: a task and the queue of tasks by deadline, on `time.ticks_ms`.

Problem: the C module of the unix port reads the real clock. asyncio's core imports this one
instead; it is written from what the core asks of it.
Guarantee: deadlines are compared on the ring of ticks, so order holds across the wrap; equal
deadlines leave in the order they came.
"""

# The core of asyncio and this module see the same `time`: the badge's clock.
from time import ticks_diff, ticks_ms


class TaskQueue:
    """Tasks in the order of their `ph_key` (ticks_ms at which each may run)."""

    def __init__(self) -> None:
        self._tasks = []

    def peek(self):
        """Return the first task, or None; truth of a queue is `peek()`."""
        return self._tasks[0] if self._tasks else None

    def push(self, task, key: "int | None" = None) -> None:
        """Add `task`, to run at ticks `key` (now, if not given); it waits for nothing else."""
        task.data = None
        task.ph_key = ticks_ms() if key is None else key
        tasks = self._tasks
        index = len(tasks)
        while index and ticks_diff(task.ph_key, tasks[index - 1].ph_key) < 0:
            index -= 1
        tasks.insert(index, task)

    def pop(self):
        """Remove and return the first task."""
        return self._tasks.pop(0)

    def remove(self, task) -> None:
        """Remove `task`, wherever it is."""
        self._tasks.remove(task)


class Task:
    """One coroutine. `state`: True running, a TaskQueue of waiters, False ended, None reported."""

    def __init__(self, coro, globals=None) -> None:
        self.coro = coro
        self.data = None
        self.state = True
        self.ph_key = 0

    def __iter__(self):
        if not self.state:
            self.state = False  # somebody asks for the outcome: it need not be reported
        elif self.state is True:
            self.state = TaskQueue()
        elif not isinstance(self.state, TaskQueue):
            raise RuntimeError("can't wait")  # gather() already listens to this task
        return self

    def __next__(self):
        from asyncio import core

        if not self.state:
            if self.data is None:
                raise StopIteration  # its exception went to the loop's handler before
            raise self.data  # StopIteration with the value, or the exception it ended with
        self.state.push(core.cur_task)
        core.cur_task.data = self

    def done(self) -> bool:
        """Return whether the coroutine has ended."""
        return not self.state

    def cancel(self) -> bool:
        """Raise CancelledError in the coroutine at its next turn; False if it has ended."""
        from asyncio import core

        if not self.state:
            return False
        if self is core.cur_task:
            raise RuntimeError("can't cancel self")
        task = self
        while isinstance(task.data, Task):
            task = task.data  # waits on another task: that one is to be cancelled
        if hasattr(task.data, "remove"):
            task.data.remove(task)  # waits in the queue of an Event, a Lock or the I/O queue
            core._task_queue.push(task)
        elif ticks_diff(task.ph_key, ticks_ms()) > 0:
            core._task_queue.remove(task)
            core._task_queue.push(task)
        task.data = core.CancelledError
        return True
