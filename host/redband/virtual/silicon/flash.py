"""The flash partition of a virtual badge: a block device on an image file.

Guarantee: a program or erase that returned is in the file, whatever happens to this process
(it is in the kernel's hands). Erased bytes read 0xFF. A test can have the power cut in the middle
of the n-th operation. Does not model wear or write times.
"""

import bus
import opcodes

BLOCK_BYTES = 4096
_IOCTL_COUNT = 4
_IOCTL_SIZE = 5
_IOCTL_ERASE = 6
_ERASED = b"\xff" * BLOCK_BYTES


class Flash:
    """Block device with the extended interface that VfsLfs2 wants."""

    def __init__(self, path: str, block_count: int, cut_after: "int | None") -> None:
        """Open the image at host path `path` of `block_count` blocks.

        `cut_after`: operations that change the flash and succeed; the next is torn in half.
        """
        self._left = cut_after
        self._file = open(path, "r+b", 0)
        self._block_count = block_count

    def readblocks(self, block, buffer, offset=0):
        self._file.seek(block * BLOCK_BYTES + offset)
        self._file.readinto(buffer)

    def writeblocks(self, block, buffer, offset=0):
        self._file.seek(block * BLOCK_BYTES + offset)
        if self._left is not None:
            if self._left == 0:
                self._tear(buffer)
            self._left -= 1
        if self._file.write(buffer) != len(buffer):
            return -5  # EIO: the host's disk is full
        return 0

    def _tear(self, buffer):
        self._file.write(memoryview(buffer)[: len(buffer) // 2])
        bus.send(opcodes.FLASH_CUT)
        while True:
            bus.the_bus.wait(1000)  # the owner cuts the power

    def ioctl(self, operation, argument):
        if operation == _IOCTL_COUNT:
            return self._block_count
        if operation == _IOCTL_SIZE:
            return BLOCK_BYTES
        if operation == _IOCTL_ERASE:
            self.writeblocks(argument, _ERASED)
        return 0
