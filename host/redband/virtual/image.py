"""littlefs images of a badge's flash: made from files, read back after a power cut.

Guarantee: the geometry is that of a 2 MB ESP32 partition (disk version 2.0), so the same image
can be flashed to a board; an image is made beside and renamed, so there is never half of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from littlefs import LittleFS

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


def write_image(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a new image with `files` (absolute path on the badge -> content)."""
    flash = LittleFS(disk_version=_DISK_VERSION, **_GEOMETRY)
    for name, content in sorted(files.items()):
        parent = str(PurePosixPath(name).parent)
        if parent != "/":
            flash.makedirs(parent, exist_ok=True)
        with flash.open(name, "wb") as file:
            file.write(content)
    _replace(path, bytes(flash.context.buffer))


def write_blank_image(path: Path) -> None:
    """Write an image of erased flash, as a board has before its first start."""
    _replace(path, b"\xff" * (BLOCK_BYTES * BLOCK_COUNT))


def read_image(path: Path) -> dict[str, bytes]:
    """Return all files of the image at `path` (path on the badge -> content)."""
    flash = LittleFS(mount=False, **_GEOMETRY)
    flash.context.buffer = bytearray(path.read_bytes())
    flash.mount()
    files = {}
    for root, _directories, names in flash.walk("/"):
        for name in names:
            full = str(PurePosixPath(root) / name)
            with flash.open(full, "rb") as file:
                files[full] = file.read()
    return files


def fill_image(path: Path, free_blocks: int) -> None:
    """Add a file /filler to the image at `path` that leaves about `free_blocks` of 4096 bytes."""
    flash = LittleFS(mount=False, **_GEOMETRY)
    flash.context.buffer = bytearray(path.read_bytes())
    flash.mount()
    room = BLOCK_COUNT - flash.used_block_count - free_blocks
    with flash.open("/filler", "wb") as file:
        for _ in range(max(room - 1, 0)):  # one block goes to the index of the others
            file.write(b"x" * (BLOCK_BYTES - 8))
    _replace(path, bytes(flash.context.buffer))


def _replace(path: Path, content: bytes) -> None:
    beside = path.with_suffix(".new")
    beside.write_bytes(content)
    beside.replace(path)
