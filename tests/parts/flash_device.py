"""A flash in RAM whose power can fail at any operation, mounted with the real VfsLfs2.

It is NOR flash: an erase sets all bits of a block, a program can only clear them. Operations are
erases, programs and syncs, counted from 0.
"""

import os

import flashbdev
import vfs

BLOCK_BYTES = 4096
EIO = -5
ERASE, PROGRAM, SYNC = range(3)
EACH = 1 if os.getenv("REDBAND_PROOF") == "1" else 3
"""Of the operations at which the power fails: `make proof` plays them all, `make test` a third."""
_ERASED = b"\xff" * BLOCK_BYTES


def clear_bits(place, buffer):
    """Program `buffer` into a memoryview of flash; return whether it was erased before."""
    if place == _ERASED[: len(buffer)]:
        place[:] = buffer
        return True
    both = int.from_bytes(place, "big") & int.from_bytes(buffer, "big")
    place[:] = both.to_bytes(len(buffer), "big")
    return False


class FlashDevice:
    """`cut_at`: number of the operation that does not happen, None for never.

    `fail_at`: from this operation on each one fails with EIO; `fail_count` times.
    `on_operation(kind, block, offset, bytes)`: called before each one that is done.
    """

    def __init__(self, blocks=64):
        self.data = bytearray(b"\xff" * (blocks * BLOCK_BYTES))
        self._view = memoryview(self.data)
        self.blocks = blocks
        self.operations = 0
        self.erase_count = 0
        self.written_bytes = 0
        self.read_bytes = 0
        self.not_erased_count = 0  # programs of bytes that were not erased
        self.cut_at = None
        self.fail_at = None
        self.fail_count = 0
        self.tears = False  # whether the write that is cut leaves its first half behind
        self.is_late = False  # whether a write that fails is done all the same
        self.on_operation = None

    @property
    def is_dead(self):
        return self.cut_at is not None and self.operations > self.cut_at

    def _operate(self, kind, block, offset, data):
        number = self.operations
        self.operations += 1
        if self.cut_at is not None and number >= self.cut_at:
            return EIO
        if self.fail_at is not None and number >= self.fail_at and self.fail_count > 0:
            self.fail_count -= 1
            return EIO
        if self.on_operation is not None:
            self.on_operation(kind, block, offset, data)
        return 0

    def readblocks(self, block, buffer, offset=0):
        if self.is_dead:
            return EIO
        start = block * BLOCK_BYTES + offset
        self.read_bytes += len(buffer)
        buffer[:] = self._view[start : start + len(buffer)]
        return 0

    def writeblocks(self, block, buffer, offset=0):
        is_torn = self.tears and self.cut_at == self.operations
        status = self._operate(PROGRAM, block, offset, buffer)
        if is_torn:
            self.program(block, offset, memoryview(buffer)[: len(buffer) >> 1])
        if status and not self.is_late:
            return status
        self.written_bytes += len(buffer)
        self.program(block, offset, buffer)
        return status

    def program(self, block, offset, buffer):
        """Clear bits, as the chip does."""
        start = block * BLOCK_BYTES + offset
        if not clear_bits(self._view[start : start + len(buffer)], buffer):
            self.not_erased_count += 1

    def erase(self, block):
        """Set all bits of a block."""
        start = block * BLOCK_BYTES
        self._view[start : start + BLOCK_BYTES] = _ERASED

    def ioctl(self, operation, argument):
        if operation == 4:
            return self.blocks
        if operation == 5:
            return BLOCK_BYTES
        if operation == 6:
            if self._operate(ERASE, argument, 0, None):
                return EIO
            self.erase_count += 1
            self.erase(argument)
        if operation == 3 and self._operate(SYNC, 0, 0, None):
            return EIO
        return 0


def mount(device, path):
    """Mount the device, which is the badge's own flash from now on."""
    flashbdev.bdev = device
    vfs.mount(vfs.VfsLfs2(device), path)


def format_and_mount(device, path):
    vfs.VfsLfs2.mkfs(device)
    mount(device, path)


def power_cut(device, path, stores):
    """Pull the battery and mount again: what was open or cached, and not flushed, is forgotten."""
    if device.cut_at is None:
        device.cut_at = device.operations
        device.operations += 1
    while stores:
        stores.pop().close()  # a dead device: nothing can be written any more
    device.cut_at = None
    vfs.umount(path)
    mount(device, path)


def write_file(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


def remove_all(path):
    for entry in os.ilistdir(path):
        name = path + "/" + entry[0]
        if entry[1] == 0x4000:
            remove_all(name)
            os.rmdir(name)
        else:
            os.remove(name)
