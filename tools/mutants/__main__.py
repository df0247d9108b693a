"""`make mutants`: change shipped rulesets, limits and guards, and list what no test notices.

It works on a copy of the tree in a temporary folder; the checkout is never touched. Which changes
are tried is drawn by --seed from all of `targets.toml`; time bounds how many.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.mutants import changes

ROOT = Path(__file__).resolve().parents[2]
TARGETS = Path(__file__).with_name("targets.toml")
TEST_TIMEOUT_S = 240  # a change that makes a test hang is noticed, too
CONTENT, NO_TEST = 0, 5  # exit codes of pytest


@dataclass(frozen=True)
class Mutant:
    """A change of one file, and the runs of tests that should notice it, the quickest first."""

    file: str
    change: changes.Change
    runs: tuple[tuple[str, ...], ...]

    def told(self) -> str:
        """Return where and what it is, on one line."""
        text = (ROOT / self.file).read_text(encoding="utf-8")
        line = text.count("\n", 0, self.change.start) + 1
        before, after = (
            " ".join(part.split()) for part in (self.change.before, self.change.after)
        )
        return f"{self.file}:{line}: {before or 'nothing'} -> {after or 'nothing'}"


def slips() -> Iterator[Mutant]:
    """Yield the known slips. Raises ValueError when one does not stand in its file once."""
    for one in tomllib.loads(TARGETS.read_text(encoding="utf-8"))["slip"]:
        text = (ROOT / one["file"]).read_text(encoding="utf-8")
        if text.count(one["before"]) != 1:
            raise ValueError(f"{TARGETS.name}: {one['file']} has not one {one['before']!r}")
        change = changes.Change(text.index(one["before"]), one["before"], one["after"])
        yield Mutant(one["file"], change, (tuple(one["tests"]),))


def mutants() -> Iterator[Mutant]:
    """Yield every change of every target. Raises ValueError for a pattern without a file."""
    for target in tomllib.loads(TARGETS.read_text(encoding="utf-8"))["target"]:
        runs = tuple(tuple(target[name]) for name in ("quick", "more") if name in target)
        for pattern in target["files"]:
            paths = sorted(ROOT.glob(pattern))
            if not paths:
                raise ValueError(f"{TARGETS.name}: no file is named {pattern}")
            for path in paths:
                name = path.relative_to(ROOT).as_posix()
                for change in changes.of(name, path.read_text(encoding="utf-8")):
                    yield Mutant(name, change, runs)


def is_noticed(folder: Path, mutant: Mutant) -> bool:
    """Return whether a test fails in the copy in `folder` with the change."""
    path = folder / mutant.file
    text = path.read_text(encoding="utf-8")
    path.write_text(mutant.change.applied(text), encoding="utf-8")
    try:
        return any(not passes(folder, run) for run in mutant.runs)
    finally:
        path.write_text(text, encoding="utf-8")


def passes(folder: Path, run: tuple[str, ...]) -> bool:
    """Return whether these tests pass in the copy. Raises RuntimeError when there are none."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *run]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment(folder),
            capture_output=True,
            timeout=TEST_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode == NO_TEST:
        raise RuntimeError(f"no test is selected by {' '.join(run)}")
    return done.returncode == CONTENT


def environment(folder: Path) -> dict[str, str]:
    """Return the environment in which Python takes our packages from the copy in `folder`.

    Files that the tests of the copy make lie in the copy, too, and go with it.
    """
    path = os.pathsep.join([f"{folder}/host", f"{folder}/firmware/lib", str(folder)])
    own = {
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DEBUG_TEMPROOT": str(folder),
    }
    return os.environ | own


def copied(folder: Path) -> Path:
    """Copy the tree less what git ignores, and return where it is."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, target)
    return folder


def chosen(only: str, seed: int) -> list[Mutant]:
    """Return what to try, in order: known slips, then the rest as drawn."""
    first = [one for one in slips() if only in one.file]
    rest = [one for one in mutants() if only in one.file]
    random.Random(seed).shuffle(rest)
    return first + rest


def main() -> int:
    """Try changes until the time is over; list the survivors; return the exit code."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which changes are drawn (1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="files with this in their path")
    parser.add_argument("--minutes", type=float, default=10.0, help="begin no other after (10)")
    parser.add_argument("--count", type=int, default=0, help="try at most so many (0: no limit)")
    options = parser.parse_args()
    try:
        order = chosen(options.only, options.seed)
    except ValueError as error:
        print(error)
        return 2
    if not order:
        print(f'No file of {TARGETS.name} has "{options.only}" in its path.')
        return 2
    end_s = time.monotonic() + 60 * options.minutes
    tried, survivors = 0, []
    sound: set[tuple[str, ...]] = set()
    with tempfile.TemporaryDirectory(prefix="redband-mutants-") as name:
        folder = copied(Path(name))
        for mutant in order[: options.count or None]:
            if time.monotonic() > end_s:
                break
            for run in set(mutant.runs) - sound:
                if not passes(folder, run):
                    print(f"These tests fail without any change: {' '.join(run)}")
                    return 2
                sound.add(run)
            tried += 1
            if not is_noticed(folder, mutant):
                survivors.append(mutant)
                print(f"survives: {mutant.told()}", flush=True)
    print(f"{tried} of {len(order)} changes tried, {len(survivors)} survive (seed {options.seed})")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
