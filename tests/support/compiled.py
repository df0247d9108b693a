"""The rulesets compiled for tests that run where there is no TOML reader, made as a run starts.

Bytes and tables of names, into tests/core/data, where git ignores them. lab.bin is there for good:
a ruleset with everything that the format has, as version 0.1 wrote it.
"""

import os
import tempfile
from pathlib import Path

from redband.rules import CompiledRuleset, load, shipped

DATA = Path(__file__).resolve().parents[1] / "core" / "data"
LAB = DATA / "lab.toml"


def names_module(ruleset: CompiledRuleset) -> str:
    """Return the source of a module with the ruleset's names in the order of their numbers."""
    tables = {
        "EVENTS": [event.name for event in ruleset.events],
        "PARAMS": [param.name for param in ruleset.params],
        "COUNTERS": [counter.name for counter in ruleset.counters],
        "TRACKS": [track.name for track in ruleset.tracks],
        "REFUSALS": [refusal.name for refusal in ruleset.refusals],
        "SIGNALS": [signal.name for signal in ruleset.signals],
    }
    lines = [f'"""Names of the ruleset "{ruleset.id}"; made by tests/support/compiled.py."""\n']
    for name, words in tables.items():
        lines.append(f"{name} = (\n" + "".join(f'    "{word}",\n' for word in words) + ")")
    states = "".join(
        "    (\n" + "".join(f'        "{state.name}",\n' for state in track.states) + "    ),\n"
        for track in ruleset.tracks
    )
    lines.append(f"STATES = (\n{states})")
    return "\n".join(lines) + "\n"


def make() -> None:
    """Write what is missing or stale, each file at once: other runs may read them."""
    for ruleset in map(load, [*shipped(), LAB]):
        _write(DATA / f"{ruleset.id}_names.py", names_module(ruleset).encode())
        if ruleset.id != LAB.stem:
            _write(DATA / f"{ruleset.id}.bin", ruleset.data)


def _write(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() == content:
        return
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).replace(path)
