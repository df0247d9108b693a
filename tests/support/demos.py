"""`redband demo` as a user runs it, and the processes of its badges."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

REDBAND = [sys.executable, "-m", "redband", "demo"]
END_S = 90
"""Longest any of these may take on a busy machine with two cores."""


def badge_processes(directory: Path) -> list[int]:
    """Return the processes whose environment or command names a badge image in `directory`."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except (PermissionError, FileNotFoundError, ProcessLookupError):
            continue
        if f"{directory}/field".encode() in told:
            found.append(int(entry.name))
    return found


class Demo:
    """A running demo and what it has printed so far."""

    def __init__(
        self,
        *options: str,
        prefix: tuple[str, ...] = (),
        cwd: Path | None = None,
        **env: str,
    ) -> None:
        self.process = subprocess.Popen(
            [*prefix, *REDBAND, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env=os.environ | {"COLUMNS": "200"} | env,
        )
        self.printed = ""

    def until(self, pattern: str) -> re.Match[str]:
        """Read lines until one has `pattern`, and return the match."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed += line
            found = re.search(pattern, line)
            if found is not None:
                return found
        errors = self.process.stderr.read() if self.process.stderr else ""
        raise AssertionError(f"ended before {pattern!r}:\n{self.printed}\n{errors}")

    def end(self) -> tuple[int, str]:
        """Wait for the end and return (exit code, standard error)."""
        out, errors = self.process.communicate(timeout=END_S)
        self.printed += out
        return self.process.returncode, errors
