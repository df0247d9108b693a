"""What a reader of the source can see to be wrong (PITFALLS B4, R18, R19; STYLE section 9).

Each check is shown to find a planted fault, and then runs over the tree.
"""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from redband.build.firmware import firmware_directory, firmware_files

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware"
CORE = FIRMWARE / "lib" / "redband_core"
HAL = FIRMWARE / "lib" / "redband_hal"

DEVICE_MODULES = {"machine", "bluetooth", "esp32", "flashbdev"}
IMPURE_MODULES = {"time", "random", "os", "sys", "asyncio", "math", "json", "micropython", "io"}
FLOAT_CALLS = {"float", "complex", "round", "time.sleep", "asyncio.sleep"}
WALL_CLOCKS = {"time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.mktime"}
IMPURE_CALLS = {
    "print",
    "open",
    "input",
    "eval",
    "exec",
    "hash",
    "id",
    "globals",
}
COPIES_IN_ORDER = {"list", "tuple", "iter", "enumerate", "zip", "map"}
DICT_VIEWS = {"items", "keys", "values", "popitem"}
# What an interrupt handler may call besides methods of its own object, which are checked too.
HANDLER_CALLS = {
    *("time.ticks_ms", "pin.value", "bytes", "self._ble.gatts_read"),
    *("event_loop.busy_ms", "self.wakeup.set"),
}
HANDLER_FORBIDDEN = (
    ast.For,
    ast.While,
    ast.Await,
    ast.With,
    ast.Try,
    ast.Raise,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.GeneratorExp,
    ast.JoinedStr,
    ast.Lambda,
)


def modules_imported(tree: ast.AST) -> list[tuple[int, str]]:
    """Return (line, top module) of each import."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name.split(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.lineno, (node.module or "").split(".")[0]))
    return found


def floats(tree: ast.AST) -> list[str]:
    """Return what makes a float: the chip's have 24 bits, and its seconds do not fit (R18)."""
    faults = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            faults.append(f"{line}: float {node.value}")
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            faults.append(f"{line}: / makes a float")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in FLOAT_CALLS:
            faults.append(f"{line}: calls {ast.unparse(node.func)}")
    return faults


def wall_clocks(tree: ast.AST) -> list[str]:
    """Return the uses of wall time, which a badge does not have."""
    faults = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if ast.unparse(node) in WALL_CLOCKS or node.attr == "datetime":
                faults.append(f"{node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            names = [alias.name for alias in node.names if f"time.{alias.name}" in WALL_CLOCKS]
            faults += [f"{node.lineno}: {name}" for name in names]
    return faults


def impure(tree: ast.AST) -> list[str]:
    """Return what makes a module of the core depend on anything but its arguments."""
    faults = floats(tree)
    faults += [
        f"{line}: imports {name}"
        for line, name in modules_imported(tree)
        if name in IMPURE_MODULES
    ]
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Global | ast.Delete):
            faults.append(f"{line}: {type(node).__name__.lower()} statement")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in IMPURE_CALLS:
            faults.append(f"{line}: calls {ast.unparse(node.func)}")
    return faults


def dict_names(tree: ast.AST) -> set[str]:
    """Return the names (or attributes) that are given a dict or a set somewhere."""
    names = set()
    for node in ast.walk(tree):
        value = getattr(node, "value", None)
        is_unordered = isinstance(value, ast.Dict | ast.DictComp | ast.Set | ast.SetComp) or (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id in {"dict", "set", "frozenset"}
        )
        if is_unordered and isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {ast.unparse(target) for target in targets}
    return names


def unordered_loops(tree: ast.AST) -> list[str]:
    """Return the loops whose order is that of a hash table."""
    names = dict_names(tree)
    faults = []
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)]
    for loop in loops:
        over = loop.iter
        if ast.unparse(over) in names or isinstance(over, ast.Dict | ast.Set):
            faults.append(f"{over.lineno}: loops over {ast.unparse(over)}")
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        called = ast.unparse(call.func)
        if called.rpartition(".")[2] in DICT_VIEWS:
            faults.append(f"{call.lineno}: order of .{called}()")
        elif called in COPIES_IN_ORDER and any(ast.unparse(arg) in names for arg in call.args):
            faults.append(f"{call.lineno}: order of {ast.unparse(call)}")
    return faults


def handler_names(tree: ast.AST) -> list[str]:
    """Return the methods that are registered as interrupt handlers, however they are passed."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        handlers = [word.value for word in node.keywords if word.arg in {"handler", "callback"}]
        if ast.unparse(node.func).rpartition(".")[2] in {"irq", "schedule"}:
            handlers += node.args[:1]
        found += [ast.unparse(handler).removeprefix("self.") for handler in handlers]
    return [name for name in found if name != "None"]


def allocations(function: ast.FunctionDef) -> list[str]:
    """Return what a pin's or timer's handler may not make: it runs in the middle of anything.

    A radio's handler (event, data) copies what dies with its call, into a bounded ring.
    """
    parameters = [one.arg for one in function.args.args if one.arg != "self"]
    if len(parameters) != 1:
        return []
    faults = []
    for statement in function.body:
        for node in ast.walk(statement):
            is_tuple = isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load)
            is_bytes = isinstance(node, ast.Call) and ast.unparse(node.func) == "bytes"
            if is_tuple or is_bytes or isinstance(node, ast.Slice):
                faults.append(f"{node.lineno}: {type(node).__name__} made in {function.name}")
    return faults


def busy_handlers(tree: ast.AST) -> list[str]:
    """Return what interrupt handlers do besides flagging, counting and copying."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    waiting = handler_names(tree)
    seen, faults = set(), []
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name not in functions:
            faults.append(f"handler {name} is not a function of its module")
            continue
        faults += allocations(functions[name])
        for statement in functions[name].body:
            for node in ast.walk(statement):
                if isinstance(node, HANDLER_FORBIDDEN):
                    faults.append(f"{node.lineno}: {type(node).__name__} in handler {name}")
                if not isinstance(node, ast.Call):
                    continue
                called = ast.unparse(node.func)
                if called.removeprefix("self.") in functions:
                    waiting.append(called.removeprefix("self."))
                elif called not in HANDLER_CALLS:
                    faults.append(f"{node.lineno}: {called}() in handler {name}")
    return faults


def device_imports(tree: ast.AST) -> list[str]:
    """Return the imports of modules that exist on a board only."""
    return [f"{line}: {name}" for line, name in modules_imported(tree) if name in DEVICE_MODULES]


def over_files(check: Callable[[ast.AST], list[str]], files: list[Path]) -> list[str]:
    """Run a check over files; return "file:line: what" for each fault."""
    assert files
    return [
        f"{path.relative_to(ROOT)}:{fault}"
        for path in sorted(files)
        for fault in check(ast.parse(path.read_text(encoding="utf-8")))
    ]


@pytest.mark.parametrize(
    ("check", "source"),
    [
        (impure, "half = 0.5"),
        (impure, "half = 1 / 2"),
        (impure, "x = 4\nx /= 2"),
        (impure, "import time"),
        (floats, "x = round(3)"),
        (floats, "async def f():\n    await asyncio.sleep(1)"),
        (wall_clocks, "import time\nx = time.time()"),
        (wall_clocks, "from time import time_ns as now"),
        (wall_clocks, "clock = time.localtime"),
        (wall_clocks, "machine.RTC().datetime()"),
        (impure, "from random import getrandbits"),
        (impure, "print(1)"),
        (impure, "del buffer[:4]"),
        (unordered_loops, "d = {1: 2}\nfor key in d: pass"),
        (unordered_loops, "self.d = dict()\nx = [key for key in self.d]"),
        (unordered_loops, "d: object = {1: 2}\nx = list(d)"),
        (unordered_loops, "for key, value in anything.items(): pass"),
        (unordered_loops, "for member in {1, 2}: pass"),
        (device_imports, "def late():\n    from machine import Pin"),
        (busy_handlers, "pin.irq(lambda pin: None)"),
        (busy_handlers, "pin.irq(handler=f)\ndef f(pin):\n    open('x')"),
        (busy_handlers, "timer.init(period=5, callback=f)\ndef f(timer):\n    while x: pass"),
        (busy_handlers, "micropython.schedule(self.f, 0)\ndef f(self, x): self.file.write(x)"),
        (busy_handlers, "pin.irq(f)\ndef f(pin):\n    self.last = (1, pin)"),
        (busy_handlers, "pin.irq(f)\ndef f(pin):\n    self.last = self.buffer[1:]"),
        (busy_handlers, "pin.irq(f)\ndef f(pin):\n    self.last = bytes(4)"),
        (busy_handlers, "pin.irq(f)\ndef f(pin):\n    self.text = f'{pin}'"),
        (busy_handlers, "pin.irq(f)\ndef f(pin):\n    for x in y: count(x)"),
        (busy_handlers, "pin.irq(self.f)\ndef f(self, pin):\n    self.g()\ndef g(self): sleep(1)"),
        (busy_handlers, "ble.irq(f)\ndef f(event, data):\n    queue.append(data)"),
    ],
)
def test_a_planted_fault_is_found(check, source):
    assert check(ast.parse(source))


def test_R18_no_floats_no_clock_no_chance_in_the_core():
    assert over_files(impure, list(CORE.glob("*.py"))) == []


def test_R18_no_float_and_no_wall_time_anywhere_on_the_badge():
    files = list(FIRMWARE.rglob("*.py"))
    assert over_files(floats, files) == []
    assert over_files(wall_clocks, files) == []


def test_R19_nothing_in_the_core_follows_the_order_of_a_dict():
    assert over_files(unordered_loops, list(CORE.glob("*.py"))) == []


def test_only_hal_touches_device_modules():
    # What runs before any version of the firmware may not import a part of one.
    before = (FIRMWARE / "main.py", FIRMWARE / "slots.py")
    files = [
        path for path in FIRMWARE.rglob("*.py") if HAL not in path.parents and path not in before
    ]
    host = ROOT / "host" / "redband"
    stand_ins = host / "virtual" / "silicon"
    files += [path for path in host.rglob("*.py") if stand_ins not in path.parents]
    assert over_files(device_imports, files) == []


def test_B4_interrupt_handlers_only_flag_count_or_copy():
    files = list(HAL.glob("*.py"))
    found = {name for path in files for name in handler_names(ast.parse(path.read_text("utf-8")))}
    assert {"_on_edge", "_on_event"} <= found, "the check must see the handlers that exist"
    assert over_files(busy_handlers, files) == []


def test_no_handler_is_registered_outside_of_hal():
    files = [path for path in FIRMWARE.rglob("*.py") if HAL not in path.parents]
    assert over_files(handler_names, files) == []


# Who puts the parts of a badge together; every other module takes what it needs.
COMPOSERS = {"app", "badge", "loading", "power_parts", "radio_parts", "safe_mode"}
BADGE = FIRMWARE / "lib" / "redband_badge"


def whole_badge_uses(tree: ast.AST) -> list[str]:
    """Return where a module reaches into a whole badge."""
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("badge", "self._badge")
    ]


def test_part_that_reaches_into_the_badge_is_found():
    planted = ast.parse("def look(badge):\n    return badge.state\n")
    assert whole_badge_uses(planted) == ["2: badge.state"]
    assert whole_badge_uses(ast.parse("self._badge.info")) == ["1: self._badge.info"]


@pytest.mark.parametrize(
    "path",
    [p for p in sorted(BADGE.glob("*.py")) if p.stem not in COMPOSERS],
    ids=lambda p: p.stem,
)
def test_part_takes_what_it_needs_not_the_whole_badge(path: Path):
    assert whole_badge_uses(ast.parse(path.read_text(encoding="utf-8"))) == []


def on_demand_groups() -> dict[str, list[str]]:
    """Return name -> modules of each group that redband_badge.on_demand loads."""
    tree = ast.parse((BADGE / "on_demand_groups.py").read_text(encoding="utf-8"))
    (table,) = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    groups = ast.literal_eval(table).items()
    return {name: [f"redband_{one}" for one in text.split()] for name, text in groups}


def test_each_group_on_demand_is_named_and_begins_with_the_module_of_its_name():
    groups = on_demand_groups()
    tree = ast.parse((BADGE / "on_demand.py").read_text(encoding="utf-8"))
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    named = [
        ast.literal_eval(node.value)
        for node in assigned
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper()
    ]
    assert sorted(named) == sorted(groups)
    assert [names[0].rpartition(".")[2] for names in groups.values()] == list(groups)


def test_modules_on_demand_are_there_and_loaded_in_that_one_way():
    seldom = {name for names in on_demand_groups().values() for name in names}
    for name in seldom:
        assert (FIRMWARE / "lib" / (name.replace(".", "/") + ".py")).is_file(), name
    for path in BADGE.glob("*.py"):
        own = f"redband_badge.{path.stem}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or own in seldom or node.col_offset == 0:
                continue
            names = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
            assert not names & seldom - {"redband_badge.settings"}, f"{path.name}:{node.lineno}"


def test_firmware_folder_is_the_badges_file_system_file_for_file():
    root = firmware_directory()
    paths = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    listing = {
        "/" + (path.with_suffix(".mpy") if path.parts[0] == "lib" else path).as_posix()
        for path in paths
        if path.parent.name != "__pycache__"
    }
    assert set(firmware_files(is_bundled=False)) == listing
    assert set(firmware_files()) < listing, "a bundle takes files in and makes none"
