"""Where rulesets lie: those that come with the program, their parts and presets, and own files.

Problem: a ruleset is named by id on the command line and in `include`, or by its file.
Guarantee: an id is found in one place only; what can't be found or read is one sentence. It reads
text and knows nothing of TOML.
"""

from __future__ import annotations

from pathlib import Path

from redband.errors import RedbandUserError
from redband.rules.formula import nearest

SHIPPED = Path(__file__).with_name("rulesets")
PRESETS = SHIPPED / "presets"  # small files over the shipped rulesets
PARTS = SHIPPED / "parts"  # what several rulesets include; no game by itself


def shipped() -> list[str]:
    """Return the ids of the rulesets that come with the program."""
    return _ids(SHIPPED)


def presets() -> list[str]:
    """Return the ids of the presets: shipped rulesets with a small change."""
    return _ids(PRESETS)


def _ids(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.toml"))


def find(name: str, beside: Path | None = None) -> Path:
    """Return the file of a ruleset named by id or by file.

    beside: the folder of the file that includes it; parts are known there only, and a file name
    counts from there. Raises RedbandUserError for an unknown id.
    """
    folders = [SHIPPED, PRESETS] if beside is None else [SHIPPED, PRESETS, PARTS]
    for folder in folders:
        if name in _ids(folder):
            return folder / f"{name}.toml"
    path = Path(name) if beside is None else beside / name
    if Path(name).suffix or (beside is None and path.exists()):
        return path
    hint = nearest(name, [known for folder in folders for known in _ids(folder)])
    raise RedbandUserError(f'no ruleset is named "{name}"; {hint}')


def read_text(path: Path) -> str:
    """Return the text of a file. Raises RedbandUserError."""
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError as error:
        raise RedbandUserError(f"{path} is not text in UTF-8; save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is no file name"
        raise RedbandUserError(f"{path} can't be read: {reason}") from error
