"""Write what follows from the rulesets: files for tests/core, the diagrams in docs/rules-drawn.md.

Tests in tests/core run where there is no TOML reader. Run this after a ruleset was changed:
`.venv/bin/python tests/support/rules_vectors.py`. A test fails when a file is not current.
"""

from pathlib import Path

from redband.rules import CompiledRuleset, load, shipped
from redband.rules.diagram import diagrams

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "rules.md"
DRAWN = ROOT / "docs" / "rules-drawn.md"
DRAWN_HEAD = """# The systems drawn

Made from the rulesets by `tests/support/rules_vectors.py`; a test fails when it is not current.
A sheet to print, also of your own ruleset: `redband rules graph FILE -o sheet.svg`. What several
systems have in common is drawn once.
"""
DATA = ROOT / "tests" / "core" / "data"
HEAD = '"""Names of the ruleset "%s"; made by tests/support/rules_vectors.py, do not edit."""\n'


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
    lines = [HEAD % ruleset.id]
    for name, words in tables.items():
        lines.append(f"{name} = (\n" + "".join(f'    "{word}",\n' for word in words) + ")")
    states = "".join(
        "    (\n" + "".join(f'        "{state.name}",\n' for state in track.states) + "    ),\n"
        for track in ruleset.tracks
    )
    lines.append(f"STATES = (\n{states})")
    return "\n".join(lines) + "\n"


def files() -> dict[Path, bytes]:
    """Return every file that follows from the rulesets, with what it must hold."""
    found = {}
    for ruleset in [load(name) for name in shipped()] + [load(DATA / "lab.toml")]:
        found[DATA / f"{ruleset.id}.bin"] = ruleset.data
        found[DATA / f"{ruleset.id}_names.py"] = names_module(ruleset).encode()
    found[DRAWN] = drawn().encode()
    return found


def drawn() -> str:
    """Return the document with the diagrams of every ruleset that is no combination of others."""
    parts = [DRAWN_HEAD]
    seen: set[tuple[str, ...]] = set()
    for ruleset in map(load, shipped()):
        if set(ruleset.includes) & set(shipped()):
            continue
        shapes = [(t.name, *(state.name for state in t.states)) for t in ruleset.tracks]
        new = [t for t, shape in zip(ruleset.tracks, shapes, strict=True) if shape not in seen]
        parts.append(f"## {ruleset.title.en}\n\n{diagrams(ruleset, tracks=new)}")
        seen.update(shapes)
    return "\n".join(parts)


if __name__ == "__main__":
    for path, content in files().items():
        path.write_bytes(content)
