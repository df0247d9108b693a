"""Make `firmware/lib/redband_hal/board.py` from a file in `hardware/boards`.

With a board's name: write it for that one. Without: fail when it is not current. The made file is
the one that is tracked: `firmware/` is the badge's file system, complete as it stands.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOARDS = ROOT / "hardware" / "boards"
TARGET = ROOT / "firmware" / "lib" / "redband_hal" / "board.py"


def render(board: dict) -> str:
    """Return the text of board.py for the parsed board file."""
    lines = [
        '"""Pins of the board. Made by tools/generate_board.py from a file in hardware/boards."""',
        "",
        f'NAME = "{board["board"]["name"]}"',
        f'CHIP = "{board["board"]["chip"]}"',
        f"BATTERY_DIVIDER = {board['board']['battery_divider']}",
        f"RADIO_WINDOWED = {board['board']['radio_windowed']}",
    ]
    for name, pin in board["pins"].items():
        lines.append(f"PIN_{name.upper()} = {pin['gpio']}")
        if "active_low" in pin:
            lines.append(f"{name.upper()}_ACTIVE_LOW = {pin['active_low']}")
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> int:
    """Write the file, or check it; return the exit code."""
    texts = {
        path.stem: render(tomllib.loads(path.read_text(encoding="utf-8")))
        for path in sorted(BOARDS.glob("*.toml"))
    }
    if not names:
        if TARGET.read_text(encoding="utf-8") in texts.values():
            return 0
        print(
            f"{TARGET.relative_to(ROOT)} is of no board as it is now; give one's name to make it."
        )
        return 1
    if names[0] not in texts:
        print(f"There is no board {names[0]} in {BOARDS.relative_to(ROOT)}; {', '.join(texts)}.")
        return 2
    TARGET.write_text(texts[names[0]], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
