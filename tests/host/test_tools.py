"""The house's own checks must find a planted fault."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_tool(name: str):
    """Import a script of tools/ by file name."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # as dataclasses want it
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
        ("host/redband/store/x.py", "from redband_hal import board", True),
        ("host/redband/store/x.py", "import machine", True),
        ("host/redband/store/x.py", "from redband_core.packing import Reader", False),
        ("host/redband/store/x.py", "from redband.cli import app", True),
        ("host/redband/store/x.py", "def late():\n    from redband.cli import app", True),
        ("host/redband/store/x.py", "from ..cli import app", True),
        ("host/redband/store/x.py", "from . import y", False),
        ("host/redband/wire/x.py", "import pathlib", True),
        ("host/redband/virtual/silicon/x.py", "from redband import errors", True),
        ("elsewhere/x.py", "", True),
    ],
)
def test_import_against_the_direction_is_found(tmp_path, place, line, is_fault):
    for module in (
        "firmware/lib/redband_core/packing",
        "firmware/lib/redband_badge/app",
        "firmware/lib/redband_hal/board",
        "host/redband/cli/app",
        "host/redband/errors",
        "host/redband/store/y",
    ):
        plant(tmp_path, f"{module}.py", "")
    tool = load_tool("check_imports")
    faults = tool.faults_in(plant(tmp_path, place, line), tool.rooms(), tmp_path)
    assert bool(faults) is is_fault, faults


@pytest.mark.parametrize(
    ("back", "is_circle"),
    [
        ("from redband.store import a", True),
        ("def late():\n    from . import a", True),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a", False),
    ],
)
def test_circle_is_found(tmp_path, back, is_circle):
    first = plant(tmp_path, "host/redband/store/a.py", "from redband.store.b import x")
    second = plant(tmp_path, "host/redband/store/b.py", back)
    found = load_tool("check_imports").circles([first, second], tmp_path)
    assert found == [["host/redband/store/a.py", "host/redband/store/b.py"]] * is_circle


def plant(root: Path, place: str, text: str) -> Path:
    """Write a file of a tree that is to be checked."""
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def test_page_prints_the_table_of_rooms():
    tool = load_tool("check_imports")
    page = (ROOT / tool.PAGE).read_text(encoding="utf-8")
    assert tool.page_with(tool.table_text(tool.rooms()), page) == page
    assert tool.page_with("other\n", page) != page


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


CORE, WIRE = ROOT / "firmware" / "lib" / "redband_core", ROOT / "host" / "redband" / "wire"
ODD = {
    "decode_log": "run_head",  # and three other heads
    "decode_result": "encode_broadcast_result",
    "encode_broadcast_result": "decode_result",
    "encode_key_file": "is_key_file",
}
"""What has another name in its other half."""
VERBS = {
    "encode_": ("decode_{}",),
    "decode_": ("encode_{}",),
    "parse_": ("{}_payload", "{}_block"),
}


def halves() -> set[str]:
    """Return the names of all functions of both halves of the protocol."""
    sources = [path.read_text("utf-8") for path in (*CORE.glob("*.py"), *WIRE.glob("*.py"))]
    return set(re.findall(r"^def ([a-z]\w+)", "\n".join(sources), re.MULTILINE))


def test_both_halves_of_a_message_are_found_from_each_other_by_name():
    for path in WIRE.glob("*.py"):
        assert (CORE / path.name).exists(), f"{path.name} has no half on the badge"
    for name in halves():
        for verb, others in VERBS.items():
            if name.startswith(verb):
                wanted = {other.format(name.removeprefix(verb)) for other in others}
                wanted.add(ODD.get(name, ""))
                assert wanted & halves(), f"{name} has none of {wanted}"
