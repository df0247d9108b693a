"""Programs single bytes of a flash block that a file of littlefs owns, without an erase.

Problem: littlefs writes a whole new block for each append (an erase, 80 ms on the chip). Flash
itself can take bytes one after another where it is erased. Guarantee: program() has read back what
it wrote; a block is only ever found by eight random bytes that were written a moment ago. Does not
know files; that the block is the file's own is for the caller to prove, see journal_store.
"""

import os

BLOCK_BYTES = 4096
MARK_BYTES = 8

_BLOCK_COUNT = 4  # operations of ioctl()
_BLOCK_SIZE = 5
_SYNC = 3
_EIO = 5


def device():
    """Return the block device under the file system; None where there is none of our kind."""
    try:
        from flashbdev import bdev  # of the ESP32 port: what `_boot.py` mounts at "/"
    except ImportError:
        return None
    if bdev is None or bdev.ioctl(_BLOCK_SIZE, 0) != BLOCK_BYTES:
        return None
    return bdev


def new_mark() -> bytes:
    """Return eight random bytes for the end of a block, to find it by."""
    return os.urandom(MARK_BYTES)


def find(device, mark: bytes, near: int) -> int:
    """Return the number of the block that ends with `mark`, -1 when there is none.

    `near`: block to begin with; littlefs takes the next free one. Raises OSError.
    """
    count = device.ioctl(_BLOCK_COUNT, 0)
    found = bytearray(MARK_BYTES)
    for step in range(count):
        block = (near + step) % count
        device.readblocks(block, found, BLOCK_BYTES - MARK_BYTES)
        if found == mark:
            return block
    return -1


def program(device, block: int, offset: int, data: bytes) -> None:
    """Write `data` where the block is erased. Raises OSError when it is not there afterwards."""
    status = device.writeblocks(block, data, offset)
    if not status:
        status = device.ioctl(_SYNC, 0)
    written = bytearray(len(data))
    device.readblocks(block, written, offset)
    if status or written != data:
        raise OSError(_EIO)
