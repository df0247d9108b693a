"""littlefs images of a badge's flash: made from files, read back after a power cut.

Guarantee: the geometry is that of a 2 MB ESP32 partition (disk version 2.0), so the same image
can be flashed to a board; an image is made beside and renamed, so there is never half of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from littlefs import LittleFS, UserContext

BLOCK_BYTES = 4096
BLOCK_COUNT = 512
_GEOMETRY: dict[str, Any] = {
    "block_size": BLOCK_BYTES,
    "block_count": BLOCK_COUNT,
    "read_size": 32,
    "prog_size": 32,
    "cache_size": 128,
    "lookahead_size": 32,
}
_DISK_VERSION = 0x00020000
_BLANK = b"\xff" * (BLOCK_BYTES * BLOCK_COUNT)


class _Flash(UserContext):
    """An image in memory. The parent logs each read, which takes most of the read's time."""

    def read(self, cfg: Any, block: int, off: int, size: int) -> bytearray:
        start = block * cfg.block_size + off
        return self.buffer[start : start + size]


def write_image(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a new image with `files` (absolute path on the badge -> content)."""
    blank = _Flash(buffer=bytearray(_BLANK))
    flash = LittleFS(blank, disk_version=_DISK_VERSION, **_GEOMETRY)
    for name, content in sorted(files.items()):
        parent = str(PurePosixPath(name).parent)
        if parent != "/":
            flash.makedirs(parent, exist_ok=True)
        with flash.open(name, "wb") as file:
            file.write(content)
    _replace(path, bytes(flash.context.buffer))


def write_blank_image(path: Path) -> None:
    """Write an image of erased flash, as a board has before its first start."""
    _replace(path, _BLANK)


def read_image(path: Path) -> dict[str, bytes]:
    """Return the files of the image at `path`: name -> content."""
    return files_of(path.read_bytes(), "/")


def files_of(image: bytes, under: str) -> dict[str, bytes]:
    """Return the files of an image whose name begins with `under`: name -> content."""
    flash = _mounted(image)
    files = {}
    for root, _directories, names in flash.walk("/"):
        for name in names:
            full = str(PurePosixPath(root) / name)
            if full.startswith(under):
                with flash.open(full, "rb") as file:
                    files[full] = file.read()
    return files


def _mounted(image: bytes) -> LittleFS:
    flash = LittleFS(_Flash(buffer=bytearray(image)), mount=False, **_GEOMETRY)
    flash.mount()  # at once it would format what is no file system
    return flash


def fill_image(path: Path, free_blocks: int) -> None:
    """Add a file /filler to the image at `path` that leaves about `free_blocks` of 4096 bytes."""
    flash = _mounted(path.read_bytes())
    room = BLOCK_COUNT - flash.used_block_count - free_blocks
    with flash.open("/filler", "wb") as file:
        for _ in range(max(room - 1, 0)):  # one block goes to the index of the others
            file.write(b"x" * (BLOCK_BYTES - 8))
    _replace(path, bytes(flash.context.buffer))


def _replace(path: Path, content: bytes) -> None:
    beside = path.with_suffix(".new")
    beside.write_bytes(content)
    beside.replace(path)
