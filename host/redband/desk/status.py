"""Ask a badge how it fares, while its game goes on: one `?` on its USB port, one line back.

Guarantee: the game is not stopped, no control line of the port is changed (a changed one resets
some boards, PITFALLS T2), and the port is left as it was found. A badge that does not run its game
can't answer; then, only when it is asked for, a program at its prompt does.
"""

from __future__ import annotations

import json
import sys
import time
from typing import NamedTuple

import serial

from redband.desk import board_scripts
from redband.desk.mpremote import Mpremote, PortError, PortTrouble, not_opened
from redband.desk.prompt import run_and_restart
from redband_core.settings_check import Settings

QUESTION = b"?"
ANSWER = "STATUS "
ANSWER_TIMEOUT_S = 14.0
"""A badge looks each half second, one that sleeps between inputs (radio off) each ten seconds."""
ASK_AGAIN_S = 2.0
_READ_TIMEOUT_S = 0.2
_BAUD = 115200


class Status(NamedTuple):
    """What a badge says of itself: its settings, and the facts of redband_badge.status."""

    settings: Settings
    facts: dict


def ask(port: str, timeout_s: float = ANSWER_TIMEOUT_S) -> Status:
    """Return the status of the badge at `port`, whose game goes on. Raises PortError."""
    Mpremote(port).check_port()
    try:
        with _open(port) as line:
            return _status(_answer(line, port, timeout_s), port)
    except serial.SerialException as error:
        if isinstance(error.__cause__, PortError):
            raise
        raise not_opened(port) from error


def ask_stopped(port: str) -> Status:
    """Return the status of a badge whose game is stopped for it. Raises PortError."""
    said = run_and_restart(port, board_scripts.STATUS)
    return _status(_found(said.splitlines()), port)


def _open(port: str) -> serial.Serial:
    line = serial.Serial(None, _BAUD, timeout=_READ_TIMEOUT_S, exclusive=True)
    line.port = port
    line.open()  # the system raises both lines at opening; pyserial leaves them so
    if sys.platform != "win32":
        import termios

        # And at closing it would let them fall.
        attributes = termios.tcgetattr(line.fileno())
        attributes[2] &= ~termios.HUPCL
        termios.tcsetattr(line.fileno(), termios.TCSANOW, attributes)
    return line


def _answer(line: serial.Serial, port: str, timeout_s: float) -> dict | None:
    ends_s = time.monotonic() + timeout_s
    asked_s = -ASK_AGAIN_S
    said = b""
    while time.monotonic() < ends_s:
        if time.monotonic() - asked_s >= ASK_AGAIN_S:
            asked_s = time.monotonic()
            line.write(QUESTION)
        said += line.read(max(1, line.in_waiting))
        *whole, said = said.split(b"\n")
        found = _found([one.decode(errors="replace") for one in whole])
        if found is not None:
            return found
    raise PortError(
        PortTrouble.SILENT,
        f"The badge at {port} does not answer: it may be at its prompt, asleep, or run an older "
        "version; with --stop it is stopped for the answer and started again.",
    )


def _found(lines: list[str]) -> dict | None:
    for text in lines:
        if text.startswith(ANSWER):
            try:
                return json.loads(text.removeprefix(ANSWER))
            except ValueError:
                continue  # its beginning was lost, or another line came between
    return None


def _status(facts: dict | None, port: str) -> Status:
    values = (facts or {}).get("settings")
    if facts is None or not isinstance(values, list) or len(values) != len(Settings._fields):
        raise PortError(
            PortTrouble.BROKEN_OFF,
            f"The badge at {port} answers as another version of Redband does; install again.",
        )
    return Status(Settings(*values), facts)
