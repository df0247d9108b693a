"""What can be wrong with the flash of a virtual badge, and what its program did to it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from redband.errors import RedbandUserError
from redband.virtual.silicon import opcodes

_FAULTS = struct.Struct("<IIHHH")
_COUNTS = struct.Struct("<III")
_STALL_MAX_MS = 60_000


@dataclass(frozen=True)
class FlashFaults:
    """Of the next start, or from the moment the badge is told.

    fail_after: programs and erases that succeed before one raises OSError(EIO); None: all do.
    fail_count: how many fail then; None: all. The stalls are game time in which the chip does
    nothing else: of each erase, and of every n-th program.
    """

    fail_after: int | None = None
    fail_count: int | None = None
    erase_stall_ms: int = 0
    write_stall_ms: int = 0
    write_stall_each: int = 50

    def __post_init__(self) -> None:
        """Raise RedbandUserError for numbers that no flash has."""
        for stall_ms in (self.erase_stall_ms, self.write_stall_ms):
            if not 0 <= stall_ms <= _STALL_MAX_MS:
                raise RedbandUserError(f"A stall is 0 to {_STALL_MAX_MS} ms, not {stall_ms}.")
        if not 1 <= self.write_stall_each <= 0xFFFF:
            raise RedbandUserError(f"Every 1st to 65535th program, not {self.write_stall_each}.")
        for count in (self.fail_after, self.fail_count):
            if count is not None and not 0 <= count < opcodes.NEVER:
                raise RedbandUserError(f"A number of operations is 0 or more, not {count}.")

    def packed(self) -> bytes:
        """Return it as silicon/flash.py reads it."""
        return _FAULTS.pack(
            opcodes.NEVER if self.fail_after is None else self.fail_after,
            opcodes.NEVER if self.fail_count is None else self.fail_count,
            self.erase_stall_ms,
            self.write_stall_ms,
            self.write_stall_each,
        )


SLOW_FLASH = FlashFaults(erase_stall_ms=80, write_stall_ms=400)
"""A worn chip: 80 ms for each erase, 400 ms for every 50th program."""


@dataclass(frozen=True)
class FlashCounts:
    """Since the program's start, the mount included."""

    bytes_programmed: int = 0
    programs: int = 0
    blocks_erased: int = 0

    @classmethod
    def unpacked(cls, payload: bytes) -> FlashCounts:
        """Return what silicon/flash.py has sent."""
        return cls(*_COUNTS.unpack(payload))
