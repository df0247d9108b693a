"""Fail when a game rule of a shipped system has no test that cites its id (docs/rules.md).

The ids of the systems that ship are listed here; a system is added with its ruleset. A rule that
binds people only and that no device can know is named with its reason.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = {"G": 4, "H": 17, "W": 12, "R": 12, "P": 7}
NOT_FOR_DEVICES: dict[str, str] = {}
ID = re.compile(r"(?<![A-Za-z0-9])([GHWRP])(\d{1,2})(?![0-9A-Za-z])|_([GHWRP])(\d{1,2})_")


def cited_ids(folder: Path) -> dict[str, list[str]]:
    """Return for each cited rule id the test files that cite it."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for match in ID.finditer(path.read_text(encoding="utf-8")):
            rule = (match[1] or match[3]) + (match[2] or match[4])
            names = found.setdefault(rule, [])
            if path.name not in names:
                names.append(path.name)
    return found


def missing_ids(folder: Path) -> list[str]:
    """Return the shipped rule ids without a test in the folder."""
    cited = cited_ids(folder)
    wanted = [f"{letter}{n}" for letter, count in SHIPPED.items() for n in range(1, count + 1)]
    return [rule for rule in wanted if rule not in cited and rule not in NOT_FOR_DEVICES]


def main() -> int:
    """Print the ids without a test; return the exit code."""
    missing = missing_ids(ROOT / "tests" / "core")
    total = sum(SHIPPED.values())
    for rule in missing:
        print(f"rule {rule} has no test in tests/core")
    print(f"rules coverage: {total - len(missing)} of {total} ids cited by a test in tests/core")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
