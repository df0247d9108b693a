"""The badge's settings on its flash: /settings.json, checked at each boot.

Guarantee: what redband_core.settings_check refuses is not used; the last good settings are then,
and the bad file stays where it is for the technician to see. A power cut while saving leaves the
old or the new settings. Which values are good: redband_core.settings_check.
"""

import json

from redband_badge import files
from redband_core import numbers, settings_check
from redband_core.settings_check import Settings


def parse(data: "bytes | None") -> "Settings | int":
    """Return the settings in a file's bytes, or a PROBLEM_ number. None: there is no file."""
    if data is None:
        return numbers.PROBLEM_MISSING
    try:
        return settings_check.check(json.loads(data))
    except ValueError:  # bad JSON; bad UTF-8 is a ValueError too
        return numbers.PROBLEM_SYNTAX


class SettingsStore:
    """/settings.json and its last good copy /settings.good."""

    def __init__(self, root: str = "") -> None:
        """`root`: directory that holds the files, "" for the file system's own."""
        self._path = root + "/settings.json"
        self._good_path = root + "/settings.good"

    def load(self) -> Settings:
        """Return the settings, or the last good ones, or defaults, with `problem` set."""
        found = self._read(self._path)
        if isinstance(found, Settings):
            return found
        good = self._read(self._good_path)
        kept = good if isinstance(good, Settings) else settings_check.defaults()
        return Settings(*(kept[:6] + (found,) + kept[7:]))

    def refused(self, present: Settings, use_good_params: bool) -> Settings:
        """Return the last good settings, else `present`: the ruleset refused its numbers.

        `use_good_params`: with their numbers; else with none, which is the ruleset's own.
        """
        good = self._read(self._good_path)
        kept = good if isinstance(good, Settings) else present
        params = kept.params if use_good_params else ()
        return Settings(*(kept[:4] + (params, kept[5], numbers.PROBLEM_RULES) + kept[7:]))

    def _read(self, path: str) -> "Settings | int":
        try:
            return parse(files.read_bytes(path))
        except OSError:
            return numbers.PROBLEM_READ
        except MemoryError:
            return numbers.PROBLEM_SYNTAX  # settings are not that long

    def good_bytes(self) -> "bytes | None":
        """Return what load() uses as it stands on the flash; None for the defaults."""
        for path in (self._path, self._good_path):
            if isinstance(self._read(path), Settings):
                return files.read_bytes(path)
        return None

    def keep_as_good(self) -> None:
        """Remember /settings.json as the last good one, if it is not yet. Raises OSError.

        Call when the ruleset has accepted them: until then a value may be legal and still wrong.
        """
        data = files.read_bytes(self._path)
        if isinstance(parse(data), Settings) and data != files.read_bytes(self._good_path):
            files.replace(self._good_path, data or b"")

    def save(self, data: bytes) -> int:
        """Replace /settings.json; return OK, or a problem and change nothing. Raises OSError."""
        found = parse(data)
        if not isinstance(found, Settings):
            return found
        files.replace(self._path, data)
        return numbers.PROBLEM_NONE
