"""What a virtual badge is: who wears it and what is on its flash when it is made."""

from __future__ import annotations

import json
from dataclasses import dataclass

from redband import rules
from redband.errors import RedbandUserError
from redband.keys import GameKeys
from redband_core.settings_check import ROLES

FULL_BATTERY_MV = 4000
FIRMWARE_HEAP_KIB = 192
"""Objects take twice their ESP32 size on the 64-bit port; planned is 96 KiB on the chip."""


@dataclass(frozen=True)
class BadgeSpec:
    """One badge of a field.

    ruleset_id: as `redband.rules.load` takes it. params: the player's parameters in the ruleset's
    order; () takes the defaults. battery_mv: of the cell. start_ticks_ms: what the chip's tick
    counter shows at power-on (0 to 2^30 - 1). with_firmware: False leaves the flash erased, as a
    board is that has only MicroPython.
    """

    badge_id: int
    player: str = ""
    ruleset_id: str = "hits"
    params: tuple[int, ...] = ()
    role: str = "player"
    has_radio: bool = True
    battery_mv: int = FULL_BATTERY_MV
    start_ticks_ms: int = 0
    with_firmware: bool = True
    has_accelerometer: bool = False
    """A LIS3DH in place of the impact switch."""
    has_keys: bool = True
    """It is provisioned with the keys of the field's game."""
    options: tuple[tuple[str, int | str], ...] = ()
    """More settings, such as ("treatment", "badge"): docs/supervision.md has them."""
    files: tuple[tuple[str, bytes], ...] = ()
    """More files for the flash (path, content); they replace the firmware's of the same path."""

    @property
    def address(self) -> str:
        """The radio's address; the chip's unique id is made of the same bytes."""
        return f"C0:DE:00:00:{self.badge_id >> 8 & 0xFF:02X}:{self.badge_id & 0xFF:02X}"

    def settings(self) -> dict[str, object]:
        """Return the content of the badge's /settings.json."""
        settings: dict[str, object] = {
            "badge_id": self.badge_id,
            "player": self.player,
            "role": self.role,
            "radio": self.has_radio,
            "ruleset": "/ruleset.bin",
        }
        if self.params:
            settings["params"] = list(self.params)
        if self.has_accelerometer:
            settings["impact"] = "accelerometer"
        settings.update(self.options)
        return settings

    def key_files(self, keys: GameKeys) -> dict[str, bytes]:
        """Return what provisioning puts on the badge of a game's keys."""
        if not self.has_keys:
            return {}
        return {"/keys.bin": keys.badge_file(self.badge_id, ROLES.index(self.role))}

    def data_files(self) -> dict[str, bytes]:
        """Return what provisioning puts beside the program. Raises RedbandUserError."""
        ruleset = rules.load(self.ruleset_id)
        if self.params and not ruleset.takes_params(self.params):
            raise RedbandUserError(
                f"Badge {self.badge_id}: the numbers {self.params} do not fit the ruleset "
                f"{ruleset.id}; it takes {len(ruleset.params)}, see redband rules check."
            )
        return {
            "/settings.json": json.dumps(self.settings(), ensure_ascii=False).encode(),
            "/ruleset.bin": ruleset.data,
        }
