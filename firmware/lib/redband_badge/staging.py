"""The files of an update over the air, staged beside what runs.

Problem: the link or the battery may go at any byte. Guarantee: bytes go to files that nothing
runs from; what is on the flash says where the stream goes on; a file counts only with the hash of
the manifest. Loaded while an update is going on.
"""

import asyncio
import hashlib
import os

from redband_badge import limits
from redband_badge.files import exists, read_bytes
from redband_core import numbers, upload
from redband_core.errors import ProtocolError


async def drop(directory: str) -> None:
    """Remove a directory with all in it, a file at a time. Raises OSError."""
    if exists(directory):
        for entry in list(os.ilistdir(directory)):
            path = directory + "/" + entry[0]
            if entry[1] & 0x4000:
                await drop(path)
            else:
                os.remove(path)
                await asyncio.sleep_ms(0)
        os.rmdir(directory)


def _size(path: str) -> int:
    try:
        return os.stat(path)[6]
    except OSError:
        return 0


async def digest_of(path: str) -> bytes:
    """Return the SHA-256 of a file, empty when there is none."""
    found = hashlib.sha256()
    buffer = bytearray(512)
    try:
        with open(path, "rb") as file:  # noqa: ASYNC230 (a badge has no other)
            count = file.readinto(buffer)
            while count:
                found.update(memoryview(buffer)[:count])
                await asyncio.sleep_ms(0)
                count = file.readinto(buffer)
    except OSError:
        return b""
    return found.digest()


class Upload:
    """What is staged of one update. offset: bytes of the stream that are there."""

    def __init__(self, root: str, message: bytes) -> None:
        """`message`: BEGIN. Raises ProtocolError."""
        found = upload.decode_begin(message)
        self.kind, self.badge_id, self.count, self.total_bytes, self._manifest_bytes = found[:5]
        self.digest, self.flags = found[5:]
        self.name = message[1:-2]  # the flags may change
        self._root = root
        is_firmware = self.kind == upload.FIRMWARE
        self.manifest_path = root + ("/lib.new/manifest" if is_firmware else "/stage/list")
        self.offset = 0
        self._file = None
        self._left = 0
        self._unflushed = 0
        self._index = self._at = 0  # of the manifest's next entry

    def staged(self, index: int, path: str) -> str:
        """Return where the file `path` waits."""
        if self.kind == upload.FIRMWARE:
            return self._root + "/lib.new" + path[4:]
        return self._root + "/stage/%d" % index

    def entries(self, at: int = 0):
        """Give (kind, path, bytes, digest, where the next begins) of the manifest's entries.

        `at`: where to begin. Raises OSError, ProtocolError.
        """
        with open(self.manifest_path, "rb") as file:
            while at < self._manifest_bytes:
                file.seek(at)
                found = upload.decode_entry(file.read(upload.ENTRY_MAX_BYTES), 0)
                at += found[4]
                yield found[:4] + (at,)

    def resume(self) -> None:
        """Find what is there, and go on there. Raises OSError, ProtocolError."""
        self.close()
        self._index = self._at = 0
        self.offset = min(_size(self.manifest_path), self._manifest_bytes)
        if self.offset < self._manifest_bytes:
            self._open(self.manifest_path, self._manifest_bytes - self.offset)
        else:
            self._advance()

    def _open(self, path: str, left: int) -> None:
        parts = path[len(self._root) :].split("/")
        for depth in range(2, len(parts)):
            directory = self._root + "/".join(parts[:depth])
            if not exists(directory):
                os.mkdir(directory)
        self._file = open(path, "ab")
        self._left = left
        self._unflushed = 0

    def _advance(self) -> None:
        """Open the next file of which bytes are missing."""
        for kind, path, size, _hash, self._at in self.entries(self._at):
            self._index += 1
            if kind == upload.SENT:
                name = self.staged(self._index - 1, path)
                held = min(_size(name), size)
                self.offset += held
                if held < size:
                    self._open(name, size - held)
                    return

    @property
    def has_manifest(self) -> bool:
        """Return whether the manifest is there."""
        return self.offset >= self._manifest_bytes

    def add(self, data: memoryview) -> None:
        """Take the next bytes; stops after the manifest. Raises OSError, ProtocolError."""
        while len(data):
            if self._file is None:
                raise ProtocolError(numbers.ERROR_MORE_THAN_MANIFEST)
            count = min(len(data), self._left)
            self._file.write(data[:count])
            data = data[count:]
            self._left -= count
            self.offset += count
            self._unflushed += count
            if not self._left:
                self.close()
                if self.offset == self._manifest_bytes and not self.is_manifest_good():
                    raise ProtocolError(numbers.ERROR_MANIFEST_OTHER)
                self._advance()
            elif self._unflushed >= limits.UPLOAD_FLUSH_BYTES:
                self._file.flush()
                self._unflushed = 0

    def is_manifest_good(self) -> bool:
        """Return whether the manifest is the announced one, and allowed. Raises ProtocolError."""
        data = read_bytes(self.manifest_path) or b""
        if hashlib.sha256(data).digest() != self.digest:
            return False
        count, sum_bytes = 0, self._manifest_bytes
        for kind, path, size, _hash, _at in self.entries():
            if not upload.is_allowed(self.kind, kind, path):
                return False
            count += 1
            sum_bytes += size if kind == upload.SENT else 0
        return count == self.count and sum_bytes == self.total_bytes

    async def check(self) -> int:
        """Return DONE when all files have the manifest's hashes, else the outcome."""
        if self.offset < self.total_bytes:
            return upload.INCOMPLETE
        if not self.is_manifest_good():
            return upload.BAD_MANIFEST
        for index, entry in enumerate(self.entries()):
            kind, path, size, digest, _at = entry
            is_there = kind == upload.THERE
            name = self._root + path if is_there else self.staged(index, path)
            if _size(name) != size or await digest_of(name) != digest:
                return upload.OTHER_LOADER if is_there else upload.DAMAGED
        return upload.DONE

    def close(self) -> None:
        """Put what came on the flash. Raises OSError."""
        file, self._file = self._file, None
        if file is not None:
            file.close()
