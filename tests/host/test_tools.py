"""The house's own checks must find a planted fault."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_tool(name: str):
    """Import a script of tools/ by file name."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("place", "line", "is_fault"),
    [
        ("firmware/lib/redband_core/x.py", "import time", True),
        ("firmware/lib/redband_core/x.py", "from redband_badge import app", True),
        ("firmware/lib/redband_core/x.py", "from redband_core import packing", False),
        ("firmware/lib/redband_badge/x.py", "import machine", True),
        ("firmware/lib/redband_hal/x.py", "import machine", False),
        ("firmware/lib/redband_hal/x.py", "import redband_badge.app", True),
        ("host/redband/store/x.py", "import redband_hal", True),
        ("host/redband/store/x.py", "from redband_core.engine import Engine", False),
        ("host/redband/virtual/silicon/x.py", "import redband", True),
    ],
)
def test_import_against_the_direction_is_found(tmp_path, place, line, is_fault):
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(line + "\n", encoding="utf-8")
    faults = load_tool("check_imports").faults_in(path, tmp_path)
    assert bool(faults) is is_fault, faults


def test_rule_without_a_test_is_found(tmp_path):
    tool = load_tool("rules_coverage")
    ids = [f"{letter}{n}" for letter, count in tool.SHIPPED.items() for n in range(1, count + 1)]
    lines = [f"def test_{rule}_x(): ..." for rule in ids if rule != "H12"]
    (tmp_path / "test_rules.py").write_text("\n".join(lines), encoding="utf-8")
    assert tool.missing_ids(tmp_path) == ["H12"]


def test_long_function_and_module_are_found(tmp_path, monkeypatch):
    tool = load_tool("size_budget")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    path = tmp_path / "long.py"
    path.write_text("def f():\n" + "    pass\n" * 400, encoding="utf-8")
    found = tool.long_code(path)
    assert len(found) == 2
    assert "401 lines" in found[0]
    assert "f has 401 lines" in found[1]
