"""The firmware made small: the same behaviour, fewer words."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import types
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.interpreter import SILICON, UNITTEST

from redband.build import firmware, shrink
from redband.build.bundle import BundleError
from redband.build.bundle_order import closure
from redband.build.shrink import Shrinker
from redband.build.shrink_constants import find, scope_of
from redband.errors import RedbandUserError
from redband.rules.replay import find_micropython

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "firmware" / "lib"
ASK = """
import json, sys
sys.path[:] = ['.frozen'] + {silicon!r} + [{library!r}, {library!r} + '/..']
import alone
alone.start()
wanted = json.loads({wanted!r})
for module, names in wanted.items():
    values = __import__(module, None, None, ('x',)).__dict__
    print(json.dumps([module, [repr(values[name]) for name in names]]))
"""


def sources() -> dict[str, str]:
    files = firmware._library(ROOT / "firmware")
    return {firmware.module_name(path): text for path, text in files.items()}


def wrong_constants(constants: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Return those that the sources, imported by MicroPython, know differently."""
    wanted = {module: list(names) for module, names in constants.items() if names}
    program = ASK.format(
        silicon=[str(UNITTEST), str(SILICON)],
        library=str(LIBRARY),
        wanted=json.dumps(wanted),
    )
    done = subprocess.run(
        [find_micropython(), "-X", "heapsize=8M", "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"MICROPYPATH": ""},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    wrong = []
    for line in done.stdout.splitlines():
        module, values = json.loads(line)
        for name, value in zip(wanted[module], values, strict=True):
            if ast.literal_eval(value) != constants[module][name]:
                wrong.append(f"{module}.{name}")
    return wrong


def test_every_constant_that_is_put_in_place_is_the_source_s():
    trees = {name: ast.parse(text) for name, text in sources().items()}
    constants = find(trees, {name: scope_of(tree, trees) for name, tree in trees.items()})
    assert sum(len(names) for names in constants.values()) > 200
    assert wrong_constants(constants) == []
    module = "redband_core.limits"
    planted = {**constants, module: {**constants[module], "HOLD_MS": 1}}
    assert wrong_constants(planted) == [f"{module}.HOLD_MS"]


def test_round_trip_through_the_tree_keeps_every_source():
    for name, text in sources().items():
        tree = ast.parse(text)
        assert ast.dump(ast.parse(ast.unparse(tree))) == ast.dump(tree), name


def test_tracebacks_name_the_functions_of_the_source():
    small = Shrinker(sources()).program()
    for name, text in sources().items():
        assert functions(small[name]) == functions(text), name


def functions(text: str) -> list[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]


def run(program: Mapping[str, str]) -> object:
    """Import the modules in their order; return RESULT of the last."""
    module = types.ModuleType("none")
    try:
        for name, text in program.items():
            module = types.ModuleType(name)
            sys.modules[name] = module
            if "." in name:
                package, _dot, last = name.rpartition(".")
                setattr(sys.modules[package], last, module)
            exec(compile(text, name, "exec"), module.__dict__)
    finally:
        for name in program:
            sys.modules.pop(name, None)
    return module.RESULT


LIMITS = (
    "WAIT_MS = 7\nLEVELS = (WAIT_MS, 2)\nLATE_MS = WAIT_MS << 2 | 1\nIS_ON = True\nNAME = 'x'\n"
)
USES = dict(
    part.split("\n", 1)
    for part in Path(__file__).with_name("shrink_uses.txt").read_text().split("\n## ")[1:]
)


@pytest.mark.parametrize("use", USES)
def test_small_program_does_what_the_source_does(use: str):
    program = {"p": "", "p.limits": LIMITS, "p.main": "from p import limits\n" + USES[use]}
    assert run(Shrinker(program).program()) == run(program)


@pytest.mark.parametrize(
    ("use", "kept"),
    [
        ("twice", "A = 2"),
        ("global", "A = 1"),
        ("loop", "A = 1"),
        ("set outside", "limits.WAIT_MS"),
    ],
)
def test_word_with_two_meanings_stays(use: str, kept: str):
    program = {"p": "", "p.limits": LIMITS, "p.main": "from p import limits\n" + USES[use]}
    assert kept in Shrinker(program).program()["p.main"]


def test_planted_wrong_value_is_seen(monkeypatch):
    def find_wrong(trees, scopes):
        found = find(trees, scopes)
        return {**found, "p.limits": {**found["p.limits"], "WAIT_MS": 8}}

    monkeypatch.setattr(shrink, "find", find_wrong)
    program = {"p": "", "p.limits": LIMITS, "p.main": "from p import limits\n" + USES["literal"]}
    assert run(Shrinker(program).program()) != run(program)


def test_nobody_imports_a_table_of_constants_and_it_can_still_be_read():
    program = {"p": "", "p.limits": LIMITS, "p.main": USES["in a function"]}
    small = Shrinker(program).program()
    assert "import" not in small["p.main"]
    assert run({"p": "", "p.limits": small["p.limits"] + "\nRESULT = WAIT_MS"}) == 7


def test_table_that_is_imported_all_the_same_loses_its_numbers():
    program = {
        "p": "",
        "p.limits": LIMITS,
        "p.main": "from p import limits\nRESULT = limits.LEVELS",
    }
    assert "WAIT_MS" not in Shrinker(program).program()["p.limits"]


FAMILY = {
    "p": "",
    "p.base": "class Base:\n  def __init__(self, size_ms):\n    self._size_ms = size_ms\n"
    "    self._spare = 1\n  def size(self):\n    return self._size_ms\n",
    "p.other": "class Other:\n  def __init__(self):\n    self._kind = 5\n    self._common = 6\n"
    "  def _hidden(self):\n    return self._kind\n",
    "p.main": "import sys\nfrom p.base import Base\nfrom p.other import Other\n"
    "class Sub(Base):\n  def __init__(self):\n    super().__init__(3)\n    self._extra = 4\n"
    "  def all(self):\n    o = Other()\n"
    "    return self._size_ms, self._extra, self._spare, o._common, o._hidden()\n"
    "RESULT = Sub().all(), Sub().size(), sys.implementation._multiarch\n",
}


def test_private_data_is_shared_only_where_objects_are_not():
    small = Shrinker(FAMILY).program()
    assert run(small) == run(FAMILY)
    assert "_size_ms" not in small["p.base"]
    assert "_hidden" in small["p.other"]
    assert "_multiarch" in small["p.main"]
    # Of another family: the same short name serves again.
    assert "self._b = 5" in small["p.other"]
    assert "self._b" in small["p.base"] + small["p.main"]


def test_module_that_does_not_compile_is_named_in_one_sentence(tmp_path: Path):
    (tmp_path / "lib" / "redband_core").mkdir(parents=True)
    (tmp_path / "lib" / "redband_core" / "led.py").write_text("def level(:\n")
    with pytest.raises(
        RedbandUserError,
        match=r"^The firmware can't be made small for a badge: redband_core\.led: .*line 1",
    ):
        firmware.firmware_files(tmp_path)


def test_program_for_a_badge_knows_the_firmware_s_constants():
    text = firmware.small_text("from redband_core import journal\nprint(journal.SNAPSHOT)\n")
    assert text.strip() == "pass\nprint(4)"


BUNDLED = {
    "p": "",
    "p.limits": LIMITS,
    "p.a": "import sys\nfrom sys import version as level\nMAGIC = (1, 2)\n_spare = [0]\n"
    "def level_of(level):\n    return level + MAGIC[0]\n"
    "def scan(x):\n    global _spare\n    _spare = [x]\n    return _spare\n"
    "class Part:\n    scan = 5\n    def run(self):\n        return scan(self.scan), _spare\n",
    "p.b": "from p import a, limits\nfrom p.a import Part, scan as look\nMAGIC = (7, 8)\n"
    "def scan(level):\n    MAGIC = level\n    level_of = a.level_of(MAGIC)\n"
    "    return level_of, look(2), [MAGIC for MAGIC in a.MAGIC], limits.WAIT_MS\n"
    "def run():\n    from p.late import answer\n"
    "    return answer(), (lambda MAGIC: MAGIC)(3), a.level[:1]\n"
    "class Whole(Part):\n    magic = MAGIC\n    def level(self, scan=scan):\n"
    "        return scan(self.magic[0]), self.run(), a.MAGIC, MAGIC\n",
    "p.late": "from p.b import MAGIC\nfrom p import a\ndef answer():\n"
    "    return MAGIC, a.MAGIC, a.scan(9)\n",
    "p.main": "from p import b\nfrom p.b import Whole\n"
    "RESULT = b.run(), Whole().level(), b.scan(4)\n",
}


def test_bundle_does_what_its_modules_did():
    small = Shrinker(BUNDLED, {"p.b": ()}).program()
    assert "p.a" not in small
    assert run({name: small[name] for name in ("p", "p.b", "p.late", "p.main")}) == run(
        {name: BUNDLED[name] for name in ("p", "p.limits", "p.a", "p.b", "p.late", "p.main")}
    )


@pytest.mark.parametrize("use", USES)
def test_bundle_of_a_use_does_what_the_source_does_or_is_refused(use: str):
    source = "from p import limits\nEXTRA = [1]\n" + USES[use]
    program = {"p": "", "p.limits": LIMITS, "p.use": source}
    program["p.main"] = "from p import limits, use\nLEVELS = limits.LEVELS\nRESULT = use.RESULT\n"
    try:
        small = Shrinker(program, {"p.main": ()}).program()
    except BundleError:
        assert use in REFUSED
        return
    assert "p.use" not in small
    assert run(small) == run(program)
    assert use not in REFUSED


REFUSED = {
    *("set outside", "module as value", "two sources", "guarded", "imported over"),
    *("handler", "another object's"),
}
"""Uses that no bundle can keep."""


def test_R12_nothing_that_safe_mode_needs_is_bundled_with_the_app():
    small = firmware.small_sources(firmware._library(ROOT / "firmware"))
    trees = {firmware.module_name(path): ast.parse(text) for path, text in small.items()}
    needed = closure(trees, ["redband_badge.safe_mode"], set())
    assert "redband_badge.badge" in needed
    assert "redband_badge.app" not in needed


IMPORTS = re.compile(
    r"^\s*from (redband_(?:core|hal|badge)[\w.]*) import ([\w, ]+)$", re.MULTILINE
)


def test_programs_that_the_host_runs_at_the_prompt_find_their_modules():
    files = firmware.firmware_files()
    wanted = []
    for path in sorted((ROOT / "host" / "redband" / "build").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for module, names in IMPORTS.findall(node.value):
                    wanted += [(module, name.strip()) for name in names.split(",")]
    for module, name in wanted:
        path = "/lib/" + module.replace(".", "/")
        assert {f"{path}.mpy", f"{path}/{name}.mpy"} & set(files), (module, name)
