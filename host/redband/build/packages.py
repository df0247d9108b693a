"""What an update over the air is made of: a manifest, and after it the files that it names.

Guarantee: equal contents give equal packages, so that an upload that broke off goes on, also from
another computer. Does not talk to a badge (redband.radio.update does).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from redband.build.firmware import LIBRARY, firmware_directory, firmware_files
from redband.errors import RedbandUserError
from redband.rules import CompiledRuleset
from redband.wire.upload import encode_entry
from redband_core import upload

NAMES = {upload.RULESET: "ruleset", upload.SETTINGS: "settings", upload.FIRMWARE: "firmware"}


@dataclass(frozen=True)
class Package:
    """An update. kind: of redband_core.upload. stream: the manifest and what follows it.

    title: what it is, for people. identity: of its ruleset, empty for other kinds.
    """

    kind: int
    title: str
    count: int
    manifest: bytes
    stream: bytes
    identity: bytes = b""

    @property
    def digest(self) -> bytes:
        """SHA-256 of the manifest."""
        return hashlib.sha256(self.manifest).digest()

    @property
    def build(self) -> bytes:
        """What a badge says of the firmware that it runs, when it is this one."""
        return self.digest[: upload.BUILD_BYTES]

    def begin(self, badge_id: int, may_begin_game: bool) -> bytes:
        """Return the message that begins its upload to a badge."""
        sizes = (self.count, len(self.stream), len(self.manifest))
        flags = upload.MAY_BEGIN_GAME if may_begin_game else 0
        return upload.encode_begin(self.kind, badge_id, sizes, self.digest, flags)


def package(
    kind: int,
    title: str,
    files: Sequence[tuple[str, bytes]],
    there: Mapping[str, bytes] | None = None,
    identity: bytes = b"",
) -> Package:
    """Return a package of `files`, in this order. there: files the badge must have already."""
    entries = [
        encode_entry(upload.THERE, path, len(content), hashlib.sha256(content).digest())
        for path, content in sorted((there or {}).items())
    ]
    entries += [
        encode_entry(upload.SENT, path, len(content), hashlib.sha256(content).digest())
        for path, content in files
    ]
    manifest = b"".join(entries)
    stream = manifest + b"".join(content for _path, content in files)
    return Package(kind, title, len(entries), manifest, stream, identity)


def firmware_package(files: Mapping[str, bytes] | None = None) -> Package:
    """Return the firmware of this program. files: another, as firmware_files gives it.

    What starts it must be on the badge: only an installation over USB replaces that.
    """
    found = firmware_files() if files is None else files
    sent = sorted((path, data) for path, data in found.items() if path.startswith(LIBRARY))
    # An empty file (a package's __init__) costs a manifest its meaning of sizes: none is sent.
    sent = [(path, data) for path, data in sent if data]
    there = {path: data for path, data in found.items() if not path.startswith(LIBRARY)}
    return package(upload.FIRMWARE, f"firmware {firmware_version()}", sent, there)


def firmware_version() -> str:
    """Return the version of the firmware that this program would send."""
    source = firmware_directory() / "lib" / "redband_badge" / "limits.py"
    found = re.search(r'^FIRMWARE_VERSION = "(.+)"$', source.read_text("utf-8"), re.MULTILINE)
    return found[1] if found else "unknown"


def is_older(version: str, than: str) -> bool:
    """Return whether one version, such as 0.1.0, comes before the other."""

    def numbers(text: str) -> list[int]:
        return [int(number) for number in re.findall(r"\d+", text)]

    return numbers(version) < numbers(than)


def ruleset_package(ruleset: CompiledRuleset, params: Sequence[int] | None = None) -> Package:
    """Return a ruleset. params: numbers of the player; None keeps those of the badge."""
    files = [("/ruleset.bin", ruleset.data)]
    if params is not None:
        files.append(("/settings.json", _changes({"params": list(params)})))
    identity = hashlib.sha256(ruleset.data).digest()[:8]
    return package(upload.RULESET, f"ruleset {ruleset.id}", files, identity=identity)


def settings_package(changes: Mapping[str, object]) -> Package:
    """Return changes of settings, checked already (settings_values.parsed).

    Raises RedbandUserError for one that a badge takes over USB only.
    """
    for name in ("role", "radio"):
        if name in changes:
            raise RedbandUserError(
                f"{name} is changed over USB only, with redband badge install --setting or --role."
            )
    return package(upload.SETTINGS, "settings", [("/settings.json", _changes(changes))])


def _changes(values: Mapping[str, object]) -> bytes:
    return json.dumps(values, ensure_ascii=False, sort_keys=True).encode()
