"""Write what follows from the rulesets: files for tests/core, the diagrams in docs/rules.md.

Tests in tests/core run where there is no TOML reader. Run this after a ruleset was changed:
`.venv/bin/python tests/host/rules_vectors.py`. A test fails when a file is not current.
"""

from pathlib import Path

from redband.rules import CompiledRuleset, load, shipped
from redband.rules.diagram import diagrams

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "rules.md"
BEGIN = "<!-- made by tests/host/rules_vectors.py: begin -->\n"
END = "<!-- made by tests/host/rules_vectors.py: end -->\n"
DATA = ROOT / "tests" / "core" / "data"
HEAD = '"""Names of the ruleset "%s"; made by tests/host/rules_vectors.py, do not edit."""\n'


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
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    found[DOCUMENT] = f"{before}{BEGIN}\n{diagrams(load('hits'))}\n{END}{after}".encode()
    return found


if __name__ == "__main__":
    for path, content in files().items():
        path.write_bytes(content)
