"""MicroPython's `micropython`, as far as parts of the badge that run on CPython use it."""

import io


class RingIO(io.BytesIO):
    """A ring of some bytes that nobody waits for. `_size`: of its buffer."""

    def __init__(self, _size):
        super().__init__()
