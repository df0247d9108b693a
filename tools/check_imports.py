"""Fail when an import goes against the direction of the house (docs/architecture.md).

core knows nobody; hal and app know core; host knows core; only hal touches device modules. The
one exception: what runs before a version of the firmware is chosen, and so before there is a hal.
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEVICE_MODULES = {"machine", "bluetooth", "esp32", "flashbdev", "micropython"}
CORE_ALLOWED = {"binascii", "hashlib", "struct", "collections", "redband_core"}
# What each package may import of ours and of the device.
FORBIDDEN = {
    "redband_badge": {"redband", "machine", "bluetooth", "esp32", "flashbdev"},
    "redband_hal": {"redband", "redband_badge"},
}
# They stand outside the two slots of an update and may not trust what is in them.
BEFORE_ANY_VERSION = {"firmware/main.py", "firmware/slots.py"}
HOST_FORBIDDEN = {"redband_badge", "redband_hal", "machine", "bluetooth", "esp32"}


def imported_roots(path: Path) -> list[tuple[int, str]]:
    """Return (line, top-level module) for each absolute import in the file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name.split(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.append((node.lineno, node.module.split(".")[0]))
    return found


def faults_in(path: Path, root: Path = ROOT) -> list[str]:
    """Return one sentence for each forbidden import in the file."""
    relative = path.relative_to(root)
    parts = list(relative.parts)
    faults = []
    for line, module in imported_roots(path):
        if "redband_core" in parts:
            wrong = module not in CORE_ALLOWED
        elif parts[0] == "firmware":
            package = parts[2] if len(parts) > 3 else "redband_badge"
            wrong = module in FORBIDDEN.get(package, set())
            if relative.as_posix() in BEFORE_ANY_VERSION and module == "machine":
                wrong = False
        elif "silicon" in parts:
            wrong = module in {"redband", "redband_badge", "redband_hal", "redband_core"}
        else:
            wrong = module in HOST_FORBIDDEN
        if wrong:
            faults.append(f"{relative}:{line}: may not import {module}")
    return faults


def main() -> int:
    """Check the tree; print the faults; return the exit code."""
    files = sorted((ROOT / "firmware").rglob("*.py")) + sorted((ROOT / "host").rglob("*.py"))
    faults = [fault for path in files for fault in faults_in(path)]
    for fault in faults:
        print(fault)
    print(f"import rules: {len(files)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
