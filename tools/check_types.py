"""Type-check the host with CPython's library and the firmware with MicroPython's ESP32 stubs.

Pyright is given two written-out configurations, since the place of the stubs depends on the
environment that runs this.
"""

import json
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOST = {
    "include": ["host", "tools", "firmware/lib/redband_core"],
    # MicroPython programs: they run on the real one, which is their check.
    "exclude": ["host/redband/virtual/silicon"],
    "extraPaths": ["firmware/lib", "host", "."],
    "pythonVersion": "3.11",
    "typeCheckingMode": "standard",
}
FIRMWARE = {
    "include": ["firmware"],
    # The core is the host's too and is checked there; MicroPython runs its tests (tests/core).
    "exclude": ["firmware/lib/redband_core"],
    "extraPaths": ["firmware/lib", "firmware"],
    "pythonVersion": "3.11",
    "typeCheckingMode": "standard",
    "reportMissingModuleSource": "none",  # stubs of modules that exist on a board only
}


def check(name: str, configuration: dict) -> int:
    """Run pyright with the configuration; return its exit code.

    The file lies in the tree while it runs, since pyright takes only paths relative to it.
    """
    with tempfile.NamedTemporaryFile("w", dir=ROOT, prefix=".pyright-", suffix=".json") as file:
        json.dump(configuration, file)
        file.flush()
        print(f"types: {name}", flush=True)
        command = [sys.executable, "-m", "pyright", "--project", file.name]
        command += ["--pythonpath", sys.executable]
        return subprocess.run(command, check=False).returncode


def main() -> int:
    """Check both; return the exit code."""
    stubs = sysconfig.get_path("purelib")
    host = check("core, host and tools", HOST)
    firmware = check(
        "firmware against the ESP32 stubs",
        {**FIRMWARE, "typeshedPath": stubs, "stubPath": stubs},
    )
    return 1 if host or firmware else 0


if __name__ == "__main__":
    sys.exit(main())
