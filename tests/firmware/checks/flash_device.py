"""A flash in RAM whose power can fail at any operation, mounted with the real VfsLfs2."""

import os

import vfs

BLOCK_BYTES = 4096
EIO = -5


class FlashDevice:
    """`cut_at`: number of the write or erase that does not happen, None for never.

    `fail_at`: from this operation on each write or erase fails with EIO; `fail_count` times.
    """

    def __init__(self, blocks=64):
        self.data = bytearray(b"\xff" * (blocks * BLOCK_BYTES))
        self.blocks = blocks
        self.operations = 0
        self.erase_count = 0
        self.written_bytes = 0
        self.cut_at = None
        self.fail_at = None
        self.fail_count = 0
        self.tears = False  # whether the write that is cut leaves its first half behind
        self.is_late = False  # whether a write that fails is done all the same

    @property
    def is_dead(self):
        return self.cut_at is not None and self.operations > self.cut_at

    def _operate(self):
        number = self.operations
        self.operations += 1
        if self.cut_at is not None and number >= self.cut_at:
            return EIO
        if self.fail_at is not None and number >= self.fail_at and self.fail_count > 0:
            self.fail_count -= 1
            return EIO
        return 0

    def readblocks(self, block, buffer, offset=0):
        if self.is_dead:
            return EIO
        start = block * BLOCK_BYTES + offset
        buffer[:] = self.data[start : start + len(buffer)]
        return 0

    def writeblocks(self, block, buffer, offset=0):
        start = block * BLOCK_BYTES + offset
        if self.tears and self.cut_at == self.operations:
            half = len(buffer) >> 1
            self.data[start : start + half] = buffer[:half]
        status = self._operate()
        if status and not self.is_late:
            return status
        self.written_bytes += len(buffer)
        self.data[start : start + len(buffer)] = buffer
        return status

    def ioctl(self, operation, argument):
        if operation == 4:
            return self.blocks
        if operation == 5:
            return BLOCK_BYTES
        if operation == 6:
            if self._operate():
                return EIO
            self.erase_count += 1
            start = argument * BLOCK_BYTES
            self.data[start : start + BLOCK_BYTES] = b"\xff" * BLOCK_BYTES
        return 0


def format_and_mount(device, path):
    vfs.VfsLfs2.mkfs(device)
    vfs.mount(vfs.VfsLfs2(device), path)


def power_cut(device, path, stores):
    """Pull the battery and mount again: what was open or cached, and not flushed, is forgotten."""
    if device.cut_at is None:
        device.cut_at = device.operations
        device.operations += 1
    while stores:
        stores.pop().close()  # a dead device: nothing can be written any more
    device.cut_at = None
    vfs.umount(path)
    vfs.mount(vfs.VfsLfs2(device), path)


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
