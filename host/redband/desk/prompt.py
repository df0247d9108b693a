"""A badge taken out of its game for a moment: a program at its prompt, then it starts again.

Guarantee: whatever happens to the program, the badge is started again if it can be reached at all.
A game that was interrupted goes on from its journal. Nothing here decides what the program does.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable

from redband.desk.mpremote import Mpremote, PortError, PortTrouble

RUN_TIMEOUT_S = 30.0
RESET_TIMEOUT_S = 20.0


def last_json(said: str, remote: Mpremote) -> dict:
    """Return the last object among the lines; what else was printed around it does not matter.

    mpremote's own words come before or after those of the board, depending on how Python buffers.
    Raises PortError when there is none.
    """
    for line in reversed(said.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    raise PortError(
        PortTrouble.BROKEN_OFF, f"The badge at {remote.port} gave no sense; {remote.remedy}."
    )


def restart(remote: Mpremote) -> None:
    """Start the badge as its reset button does. Raises PortError."""
    remote.run("reset", timeout_s=RESET_TIMEOUT_S)


def run_and_restart(port: str, program: str) -> str:
    """Run a program for the badge; return what it printed. Raises PortError."""
    remote = Mpremote(port)
    try:
        said = remote.run("exec", program, timeout_s=RUN_TIMEOUT_S, is_resumed=False)
    except PortError as error:
        _start_again(remote, error)
        raise
    except KeyboardInterrupt:
        restart(remote)  # a badge that stays at its prompt counts nothing: that is said
        raise
    restart(remote)
    return said


def follow_and_restart(
    port: str, program: str, timeout_s: float, hear: Callable[[str], None]
) -> None:
    """Run a program and give each line that it prints to `hear`. Raises PortError."""
    remote = Mpremote(port)
    try:
        remote.follow("exec", program, timeout_s=timeout_s, hear=hear)
    except PortError as error:
        _start_again(remote, error)
        raise
    except KeyboardInterrupt:
        restart(remote)  # as above
        raise
    restart(remote)


def _start_again(remote: Mpremote, error: PortError) -> None:
    if error.trouble in (PortTrouble.BROKEN_OFF, PortTrouble.FLASH_FULL):
        with contextlib.suppress(PortError):
            restart(remote)
