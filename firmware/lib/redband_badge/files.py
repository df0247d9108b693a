"""Replacing a small file so that a power cut leaves the old or the new one, never a mixture."""

import os


def read_bytes(path: str) -> "bytes | None":
    """Return the file's bytes, or None when there is no such file. Raises OSError."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        if error.errno == 2:
            return None
        raise


def exists(path: str) -> bool:
    """Return whether there is such a file; a flash that cannot say has none."""
    try:
        os.stat(path)
    except OSError:
        return False
    return True


def replace(path: str, data: bytes) -> None:
    """Write `data` beside `path`, flush, then rename over it. Raises OSError.

    littlefs renames atomically, and flush() reaches its sync (os.sync() does not).
    """
    beside = path + ".new"
    with open(beside, "wb") as file:
        file.write(data)
        file.flush()
    os.rename(beside, path)
