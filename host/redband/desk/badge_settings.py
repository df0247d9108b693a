"""Change the settings of a badge, or put it into transport mode, over USB.

Guarantee: the badge's own check has the last word; a power cut leaves the old or the new settings;
a file that was damaged is kept aside as /settings.bad. The badge starts again afterwards, and its
game goes on from its journal: no setting that can be changed here begins a new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from redband.desk import board_scripts
from redband.desk.mpremote import Mpremote
from redband.desk.prompt import last_json, run_and_restart
from redband.errors import RedbandUserError
from redband_core import numbers
from redband_core.settings_check import Settings


def change(port: str, changes: Mapping[str, object]) -> Settings:
    """Change settings and return all of them as the badge has them now.

    changes: checked, see settings_values.parsed. Raises RedbandUserError.
    """
    text = json.dumps(changes, ensure_ascii=True)
    program = f"CHANGES = {text!r}\n{board_scripts.CHANGE_SETTINGS}"
    answer = last_json(run_and_restart(port, program), Mpremote(port))
    if answer["problem"] is None:
        raise RedbandUserError(
            f"The badge at {port} has no settings yet; give it some with redband badge install."
        )
    if answer["problem"] != numbers.PROBLEM_NONE:
        raise RedbandUserError(
            f"The badge at {port} refuses these settings (its version is another one); "
            "install again."
        )
    if len(answer["settings"]) != len(Settings._fields):
        raise RedbandUserError(
            f"The badge at {port} has the new settings, but is another version of Redband; "
            "install again."
        )
    return Settings(*answer["settings"])


def enter_transport(port: str) -> None:
    """Let the badge sleep until its button is held. Raises RedbandUserError when it can't wake."""
    if "no wake" in run_and_restart(port, board_scripts.TRANSPORT):
        raise RedbandUserError(
            f"The badge at {port} could not be woken by its button; flash MicroPython 1.27 or "
            "later for transport mode."
        )
