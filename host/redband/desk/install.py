"""Put the firmware, a ruleset and settings on a badge that runs MicroPython, over USB.

Problem: a cable is pulled in the middle of a copy, and half of a version is worse than none.
Guarantee: files are staged beside the old version, their hashes compared on the badge, and taken
over in one rename; cut anywhere, the badge starts the complete old or the complete new version.
Its journal is never touched. A badge with another id is refused. Does not flash MicroPython.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from redband import rules
from redband.build import modules
from redband.build.firmware import MAIN, content_hash, firmware_files
from redband.desk import board_scripts
from redband.desk.mpremote import Mpremote, PortError, PortTrouble
from redband.desk.prompt import last_json, restart
from redband.desk.settings_values import allowed, is_good, repaired
from redband.errors import RedbandUserError
from redband.keys import GameKeys
from redband_core.settings_check import BADGE_ID_MAX, ROLES

CONNECT_TRIES = 3
RETRY_PAUSE_S = 2.0
PROBE_TIMEOUT_S = 20.0
COPY_TIMEOUT_S = 300.0
FINISH_TIMEOUT_S = 60.0
OLDEST_MICROPYTHON = (1, 26)
SPARE_BYTES = 65536
"""Room that stays for the journal beside old and new version."""
SELF_TEST = "/selftest"
"""The file that asks a badge to test itself at its next start."""


@dataclass(frozen=True)
class Order:
    """What to install. badge_id, player, role: None keeps the badge's own.

    params: the player's numbers, in the order of `CompiledRuleset.param_values`. None keeps
    those of the badge where the ruleset takes them, else sets the ruleset's defaults.
    settings: more of them, checked (settings_values.parsed). with_self_test: at the next start.
    """

    badge_id: int | None = None
    player: str | None = None
    role: str | None = None
    ruleset_id: str = "hits"
    may_replace: bool = False
    params: tuple[int, ...] | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    with_self_test: bool = True
    keys: GameKeys | None = None
    """The game's: without them the badge keeps those it has, if any."""


@dataclass(frozen=True)
class Installed:
    """What was done: the badge's id, its chip's id, files and bytes written, failed tries."""

    badge_id: int
    chip: str
    file_count: int
    byte_count: int
    retries: int


def install(port: str, order: Order, say: Callable[[str], None] = lambda _: None) -> Installed:
    """Install on the badge at `port`. Raises RedbandUserError (PortError for the port's part).

    Ctrl-C leaves the badge running, with its old version or the whole new one.
    """
    try:
        return _install(port, order, say)
    except KeyboardInterrupt:
        restart(Mpremote(port, remedy="install again"))
        say("Interrupted; the badge starts again as it was, or wholly new. Install again.")
        raise


def _install(port: str, order: Order, say: Callable[[str], None]) -> Installed:
    if order.badge_id is not None and not 1 <= order.badge_id <= BADGE_ID_MAX:
        raise RedbandUserError(f"A badge id is 1 to {BADGE_ID_MAX}, not {order.badge_id}.")
    if order.role is not None and order.role not in ROLES:
        raise RedbandUserError(f"A role is one of {', '.join(ROLES)}, not {order.role}.")
    if order.player is not None and not is_good("player", order.player):
        raise RedbandUserError(f"player is {allowed('player')}, not {order.player}.")
    program = firmware_files()
    ruleset = rules.load(order.ruleset_id)
    remote = Mpremote(port, remedy="install again")
    board, retries = _probe(remote, say)
    modules.refuse_hidden(board["modules"], port)
    settings = _settings(order, board["settings"], port, say)
    _set_params(settings, order.params, ruleset, say)
    # main.py is the last to be renamed: what it starts is complete then.
    files = program | {
        "/ruleset.bin": ruleset.data,
        "/settings.json": json.dumps(settings, ensure_ascii=False).encode(),
    }
    if order.keys is not None:
        badge_id, role = int(str(settings["badge_id"])), ROLES.index(str(settings["role"]))
        files["/keys.bin"] = order.keys.badge_file(badge_id, role)
    if order.with_self_test:
        files[SELF_TEST] = b"run"
    names = sorted(files, key=lambda name: (name == MAIN, name))
    _check_room(board, files, port)
    say(f"Copying {len(files)} files.")
    _stage(remote, names, files)
    say("Taking the new version over.")
    _finish(remote)
    modules.check_loaded(remote, program)
    restart(remote)
    return Installed(
        badge_id=int(str(settings["badge_id"])),
        chip=str(board["chip"]),
        file_count=len(files),
        byte_count=sum(len(content) for content in files.values()),
        retries=retries,
    )


def _probe(remote: Mpremote, say: Callable[[str], None]) -> tuple[dict, int]:
    retries = 0
    while True:
        try:
            said = remote.run(
                "exec", board_scripts.PROBE, timeout_s=PROBE_TIMEOUT_S, is_resumed=False
            )
            break
        except PortError as error:
            # A board needs seconds to start, and a weak cable fails now and then.
            can_pass = error.trouble in (PortTrouble.SILENT, PortTrouble.BROKEN_OFF)
            if not can_pass or retries + 1 >= CONNECT_TRIES:
                raise
            retries += 1
            say(f"No answer, trying again ({retries} of {CONNECT_TRIES - 1}).")
            time.sleep(RETRY_PAUSE_S)
    board = last_json(said, remote)
    version = tuple(board["version"])
    if version[:2] < OLDEST_MICROPYTHON:
        running, oldest = (".".join(map(str, one)) for one in (version, OLDEST_MICROPYTHON))
        raise RedbandUserError(
            f"The badge at {remote.port} runs MicroPython {running}; flash {oldest} or later."
        )
    return board, retries


def _settings(
    order: Order, current: dict | None, port: str, say: Callable[[str], None]
) -> dict[str, object]:
    settings = repaired(current if isinstance(current, dict) else {}, say)
    known_id = settings.get("badge_id")
    if order.badge_id is not None:
        if known_id not in (None, order.badge_id) and not order.may_replace:
            raise RedbandUserError(
                f"The badge at {port} is badge {known_id}, not {order.badge_id}; to make it "
                f"{order.badge_id} add --replace."
            )
        settings["badge_id"] = order.badge_id
    elif known_id is None:
        raise RedbandUserError(f"The badge at {port} is new; give it a number with --badge-id.")
    for key, value in (("player", order.player), ("role", order.role)):
        if value is not None:
            settings[key] = value
    return settings | dict(order.settings)


def _set_params(
    settings: dict[str, object],
    params: Sequence[int] | None,
    ruleset: rules.CompiledRuleset,
    say: Callable[[str], None],
) -> None:
    """Set the player's numbers. Those of another ruleset would put the badge into safe mode."""
    kept = settings.pop("params", None)
    if params is None and isinstance(kept, list) and kept:
        if ruleset.takes_params(kept):
            params = kept
        else:
            say(f"The badge's numbers do not fit {ruleset.id}: it gets the ruleset's defaults.")
    if params is not None:
        settings["params"] = list(params)
        names = [param.name for param in ruleset.params]
        told = ", ".join(f"{name}={value}" for name, value in zip(names, params, strict=True))
        say(f"The player's numbers: {told}.")


def _check_room(board: dict, files: dict[str, bytes], port: str) -> None:
    needed = sum(len(content) for content in files.values()) + SPARE_BYTES
    if board["free_bytes"] < needed:
        raise PortError(
            PortTrouble.FLASH_FULL,
            f"The badge at {port} has {board['free_bytes'] // 1024} KiB free and the firmware "
            f"needs {needed // 1024} KiB; sync its journal first, then install again.",
        )


def _stage(remote: Mpremote, names: list[str], files: dict[str, bytes]) -> None:
    staged = {str(index): files[name] for index, name in enumerate(names)}
    staged[board_scripts.MANIFEST] = json.dumps(names).encode()
    staged[board_scripts.FINISH] = board_scripts.FINISH_SCRIPT.encode()
    with tempfile.TemporaryDirectory(prefix="redband-") as temporary:
        stage = Path(temporary) / board_scripts.STAGE.strip("/")
        stage.mkdir()
        for name, content in staged.items():
            (stage / name).write_bytes(content)
        said = remote.run(
            *["cp", "-r", str(stage), ":/", "+", "exec", board_scripts.VERIFY],
            timeout_s=COPY_TIMEOUT_S,
        )
    on_badge = last_json(said, remote)
    wrong = [
        name for name, content in staged.items() if on_badge.get(name) != content_hash(content)
    ]
    if wrong:
        raise PortError(
            PortTrouble.BROKEN_OFF,
            f"{len(wrong)} files arrived damaged at {remote.port}; the badge keeps its old "
            "version, install again with another cable.",
        )


def _finish(remote: Mpremote) -> None:
    said = remote.run(
        *["exec", board_scripts.COMMIT, "+", "exec", board_scripts.RUN_FINISH],
        timeout_s=FINISH_TIMEOUT_S,
    )
    if not said.strip().endswith("finished") or said.strip().endswith("unfinished"):
        raise PortError(
            PortTrouble.BROKEN_OFF,
            f"The badge at {remote.port} did not finish; its next start does, or install again.",
        )
