"""The flash partition of a virtual badge: a block device on an image file.

Guarantee: a program or erase that returned is in the file, whatever happens to this process
(it is in the kernel's hands). Erased bytes read 0xFF. Does not model wear or write times.
"""

BLOCK_BYTES = 4096
_IOCTL_COUNT = 4
_IOCTL_SIZE = 5
_IOCTL_ERASE = 6
_ERASED = b"\xff" * BLOCK_BYTES


class Flash:
    """Block device with the extended interface that VfsLfs2 wants."""

    def __init__(self, path: str, block_count: int) -> None:
        """Open the image at host path `path` of `block_count` blocks."""
        self._file = open(path, "r+b", 0)
        self._block_count = block_count

    def readblocks(self, block, buffer, offset=0):
        self._file.seek(block * BLOCK_BYTES + offset)
        self._file.readinto(buffer)

    def writeblocks(self, block, buffer, offset=0):
        self._file.seek(block * BLOCK_BYTES + offset)
        if self._file.write(buffer) != len(buffer):
            return -5  # EIO: the host's disk is full
        return 0

    def ioctl(self, operation, argument):
        if operation == _IOCTL_COUNT:
            return self._block_count
        if operation == _IOCTL_SIZE:
            return BLOCK_BYTES
        if operation == _IOCTL_ERASE:
            self.writeblocks(argument, _ERASED)
        return 0
