"""The flash partition of a virtual badge: a block device on an image file.

Guarantee: a program or erase that returned is in the file, whatever happens to this process
(it is in the kernel's hands). As on NOR flash, erased bytes read 0xFF and a program only clears
bits. A test can have the power cut in the middle of the n-th operation, operations fail, and both
take their time, in which the chip does nothing else. Does not model wear.
"""

import errno
import struct

import bus
import opcodes
from clock import ERASE_US, PROGRAM_US

BLOCK_BYTES = 4096
NEVER = opcodes.NEVER
_IOCTL_COUNT = 4
_IOCTL_SIZE = 5
_IOCTL_ERASE = 6
_ERASED = b"\xff" * BLOCK_BYTES


def _spend(span_us: int) -> None:
    # No handler runs: on the chip the flash cannot be read meanwhile, so no code either.
    bus.the_bus.clock.spend(span_us)


class Flash:
    """Block device with the extended interface that VfsLfs2 wants."""

    def __init__(self, path: str, block_count: int, cut_after: "int | None") -> None:
        """Open the image at host path `path` of `block_count` blocks.

        `cut_after`: operations that change the flash and succeed; the next is torn in half.
        """
        self._left = cut_after
        self._file = open(path, "r+b", 0)
        self._block_count = block_count
        self._counts = [0, 0, 0]  # bytes programmed, programs, blocks erased
        self.set_faults(struct.pack("<IIHHH", NEVER, 0, 0, 0, 1))
        bus.register(opcodes.FLASH_FAULTS, opcodes.FLASH_FAULTS, self._on_faults, at_once=True)
        bus.register(opcodes.FLASH_ASK, opcodes.FLASH_ASK, self._on_ask)

    def set_faults(self, faults: bytes) -> None:
        """Take what `redband.virtual.flash_faults` has packed; counts from now on."""
        fields = struct.unpack("<IIHHH", faults)
        self._fail_after, self._fail_count, self._erase_ms, self._write_ms, self._each = fields

    def _on_faults(self, _opcode: int, payload: bytes) -> None:
        self.set_faults(payload)

    def _on_ask(self, _opcode: int, _payload: bytes) -> None:
        bus.send(opcodes.FLASH_COUNTS, struct.pack("<III", *self._counts))

    def readblocks(self, block, buffer, offset=0):
        self._file.seek(block * BLOCK_BYTES + offset)
        self._file.readinto(buffer)

    def writeblocks(self, block, buffer, offset=None):
        """Program; without an offset, erase before, as the ESP32 port's Partition does."""
        if offset is None:
            self._erase(block)
            offset = 0
        self._fail_if_due()
        _spend(PROGRAM_US)
        counts = self._counts
        counts[0] += len(buffer)
        counts[1] += 1
        if self._write_ms and counts[1] % self._each == 0:
            _spend(self._write_ms * 1000)
        position = block * BLOCK_BYTES + offset
        self._file.seek(position)
        before = self._file.read(len(buffer))
        if before != _ERASED[: len(buffer)]:
            buffer = bytes([old & new for old, new in zip(before, buffer)])
        return self._change(position, buffer)

    def _erase(self, block):
        self._fail_if_due()
        _spend(ERASE_US)
        self._counts[2] += 1
        if self._erase_ms:
            _spend(self._erase_ms * 1000)
        return self._change(block * BLOCK_BYTES, _ERASED)

    def _change(self, position, data):
        self._file.seek(position)
        if self._left is not None:
            if self._left == 0:
                self._tear(data)
            self._left -= 1
        if self._file.write(data) != len(data):
            raise OSError(errno.EIO)  # the host's disk is full
        return 0

    def _fail_if_due(self):
        bus.receive()  # the owner may have broken or mended it
        if self._fail_after == NEVER:
            return
        if self._fail_after:
            self._fail_after -= 1
        elif self._fail_count:
            if self._fail_count != NEVER:
                self._fail_count -= 1
            raise OSError(errno.EIO)

    def _tear(self, buffer):
        self._file.write(memoryview(buffer)[: len(buffer) // 2])
        bus.send(opcodes.FLASH_CUT)
        while True:
            bus.the_bus.rest(None)  # the owner cuts the power

    def ioctl(self, operation, argument):
        if operation == _IOCTL_COUNT:
            return self._block_count
        if operation == _IOCTL_SIZE:
            return BLOCK_BYTES
        if operation == _IOCTL_ERASE:
            return self._erase(argument)
        return 0
