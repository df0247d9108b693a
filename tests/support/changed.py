"""The badge's program with a module of the test's own in it."""

from __future__ import annotations

from collections.abc import Mapping

from redband.build.firmware import LIBRARY, firmware_files


def changed_firmware(sources: Mapping[str, str]) -> dict[str, bytes]:
    """Return the program's files. `sources`: `/lib/package/module.mpy` -> other source.

    Modules are bundled, so that the changed one may be part of another file.
    """
    changes = {
        name.removeprefix(LIBRARY).removesuffix(".mpy") + ".py": text
        for name, text in sources.items()
    }
    return firmware_files(changes=changes)


def changed_files(replace: Mapping[str, str | bytes]) -> dict[str, bytes]:
    """Return what to put on a badge: files as they are, and the program with other sources."""
    sources = {name: text for name, text in replace.items() if isinstance(text, str)}
    files = changed_firmware(sources) if sources else {}
    return files | {name: data for name, data in replace.items() if isinstance(data, bytes)}
