"""Run the shared tests of tests/core on the real MicroPython, one interpreter a file.

A fresh process for each file gives each a fresh heap and fresh globals. Exits non-zero when a test
fails, a file holds no test, or the interpreter dies.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAP = "2M"  # tests hold large tables; the firmware's own bound is tested in tests/firmware
TIMEOUT_S = 300
PROGRAM = """
import sys
sys.path[:] = ['', '.frozen', {support!r}, {core!r}, {host!r}, {tests!r}]
import unittest
module = __import__({name!r})
passed, failed = unittest.run_module(module)
print('RESULT %d %d' % (passed, failed))
"""


def run_file(path: Path) -> tuple[int, int, str]:
    """Run one test file; return (passed, failed, what it printed)."""
    program = PROGRAM.format(
        support=str(ROOT / "tests" / "micropython"),
        core=str(ROOT / "firmware" / "lib"),
        host=str(ROOT / "host"),  # its ends of the protocol run on both Pythons, too
        tests=str(path.parent),
        name=path.stem,
    )
    interpreter = Path(sys.executable).with_name("micropython")
    try:
        done = subprocess.run(
            [str(interpreter), "-X", f"heapsize={HEAP}", "-c", program],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            cwd=path.parent,
            env={**os.environ, "MICROPYPATH": ""},
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 0, 1, f"{path.name}: no end after {TIMEOUT_S} s\n"
    output = done.stdout + done.stderr
    result = re.search(r"^RESULT (\d+) (\d+)$", done.stdout, re.MULTILINE)
    if not result:
        return 0, 1, output
    return int(result[1]), int(result[2]), output.replace(result[0], "")


def main(arguments: list[str]) -> int:
    """Run all files, or those whose names contain an argument; return the exit code."""
    files = sorted((ROOT / "tests" / "core").glob("test_*.py"))
    if arguments:
        files = [path for path in files if any(word in path.name for word in arguments)]
    passed = failed = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for path, (good, bad, output) in zip(files, pool.map(run_file, files), strict=True):
            if good + bad == 0:
                bad, output = 1, f"{path.name}: no test ran\n"
            passed, failed = passed + good, failed + bad
            print(f"{path.name}: {good} passed, {bad} failed")
            if output.strip():
                print(output.strip())
    print(f"MicroPython: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
