"""mpremote as a subprocess: one command line on one port, its troubles as sentences.

Guarantee: every call ends within its time; a port that is absent, forbidden, busy or silent gives
four different sentences and exit codes. Does not retry: install.py decides.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

from redband.errors import RedbandUserError


class PortTrouble(IntEnum):
    """What is wrong with a port; the values are the exit codes."""

    ABSENT = 3
    FORBIDDEN = 4
    BUSY = 5
    SILENT = 6
    BROKEN_OFF = 7
    FLASH_FULL = 8
    NOT_LOADED = 9


class PortError(RedbandUserError):
    """A port could not be used; `trouble` says why."""

    def __init__(self, trouble: PortTrouble, message: str) -> None:
        super().__init__(message, exit_code=int(trouble))
        self.trouble = trouble


class Mpremote:
    """mpremote on `port`. `remedy`: what to do when it broke off, for the sentence."""

    def __init__(self, port: str, remedy: str = "try again") -> None:
        self.port = port
        self.remedy = remedy

    def check_port(self) -> None:
        """Raise PortError if the port is not there or may not be used."""
        path = Path(self.port)
        if not path.exists():
            raise PortError(
                PortTrouble.ABSENT,
                f"There is no port {self.port}; plug the badge in, or list the ports with: "
                "mpremote connect list.",
            )
        if not os.access(path, os.R_OK | os.W_OK):
            raise PortError(
                PortTrouble.FORBIDDEN,
                f"You may not use {self.port}; join its group (on Debian: sudo adduser $USER "
                "dialout) and log in again.",
            )

    def run(self, *commands: str, timeout_s: float, is_resumed: bool = True) -> str:
        """Run mpremote commands ("+" between them) and return what they printed.

        is_resumed: False resets the badge's interpreter first. Raises PortError.
        """
        self.check_port()
        line = self._line(commands, is_resumed)
        try:
            done = subprocess.run(
                line, capture_output=True, text=True, timeout=timeout_s, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise self._stopped_answering() from error
        if done.returncode != 0:
            raise self._trouble(done.stdout + done.stderr)
        return done.stdout

    def follow(self, *commands: str, timeout_s: float, hear: Callable[[str], None]) -> None:
        """Run mpremote commands after a reset and give each line to `hear` as it is printed.

        Raises PortError, and what `hear` raises.
        """
        self.check_port()
        said = []
        with subprocess.Popen(
            self._line(commands, is_resumed=False),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            ended = threading.Timer(timeout_s, process.kill)
            ended.start()
            try:
                for line in process.stdout or ():
                    said.append(line)
                    hear(line.strip())
                code = process.wait()
            finally:
                is_in_time = ended.is_alive()
                ended.cancel()
                process.kill()
        if not is_in_time:
            raise self._stopped_answering()
        if code != 0:
            raise self._trouble("".join(said))

    def _line(self, commands: tuple[str, ...], is_resumed: bool) -> list[str]:
        line = [sys.executable, "-m", "mpremote", "connect", self.port]
        return [*line, "resume", *commands] if is_resumed else [*line, *commands]

    def _stopped_answering(self) -> PortError:
        return PortError(
            PortTrouble.SILENT,
            f"The badge at {self.port} stopped answering; press its reset button and "
            f"{self.remedy}.",
        )

    def _trouble(self, said: str) -> PortError:
        if "failed to access" in said:
            return not_opened(self.port)
        if "could not enter raw repl" in said:
            return PortError(
                PortTrouble.SILENT,
                f"Nothing at {self.port} answers as MicroPython; check the cable, press the reset "
                "button, or flash MicroPython first.",
            )
        if "ENOSPC" in said or "OSError: 28" in said:
            return PortError(
                PortTrouble.FLASH_FULL,
                f"The badge at {self.port} has no room; sync its journal first, then "
                f"{self.remedy}.",
            )
        last = (said.strip().splitlines() or ["no word from mpremote"])[-1]
        return PortError(
            PortTrouble.BROKEN_OFF,
            f"The connection to {self.port} broke off ({last}); the badge is as it was: "
            f"{self.remedy}.",
        )


def not_opened(port: str) -> PortError:
    """Return why a port that is there could not be opened."""
    if not _is_terminal(port):
        return PortError(
            PortTrouble.ABSENT,
            f"{port} is no serial port; list the ports with: mpremote connect list.",
        )
    return PortError(
        PortTrouble.BUSY,
        f"Another program uses {port}; close it (a serial monitor, Thonny, another mpremote).",
    )


def _is_terminal(port: str) -> bool:
    """Return True if `port` is a serial port or pseudo-terminal, or nobody else may open it."""
    try:
        descriptor = os.open(port, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return True  # in use for somebody alone, as only terminals can be
    try:
        return os.isatty(descriptor)
    finally:
        os.close(descriptor)
