"""The pin map must be one a technician can solder and the chip can boot with (PITFALLS R14)."""

import copy
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOARD_FILES = sorted((ROOT / "hardware" / "boards").glob("*.toml"))


@dataclass(frozen=True)
class ChipFacts:
    """What a chip's data sheet says of its GPIOs; `offered`: that a module has at its edge."""

    strap: frozenset[int]
    adc1: frozenset[int]
    wake: frozenset[int]
    offered: frozenset[int]


CHIPS = {
    # ESP32-C3: strapping pins 2, 8, 9; ADC1 on GPIO0-4; deep-sleep wake on GPIO0-5; 11-17 belong
    # to the flash, 18 and 19 to USB.
    "ESP32-C3": ChipFacts(
        strap=frozenset({2, 8, 9}),
        adc1=frozenset(range(5)),
        wake=frozenset(range(6)),
        offered=frozenset({*range(11), 20, 21}),
    ),
}
LEVELS = ("in", "out")  # directions whose pins have an active level
DIRECTIONS = {
    "button": "in",
    "impact": "in",
    "battery_adc": "adc",
    "led_red": "out",
    "led_green": "out",
    "vibration": "out",
    "accelerometer_sda": "i2c",
    "accelerometer_scl": "i2c",
}
"""Every pin that the firmware asks the board file for."""


def faults(board: dict) -> list[str]:
    """Return what is wrong with a pin map."""
    chip = board["board"]["chip"]
    if chip not in CHIPS:
        return [f"nothing is known of the pins of a {chip}"]
    facts, pins = CHIPS[chip], board["pins"]
    found = [f"{name} has no pin" for name in DIRECTIONS if name not in pins]
    gpios = [pin["gpio"] for pin in pins.values()]
    doubled = sorted({gpio for gpio in gpios if gpios.count(gpio) > 1})
    found += [f"GPIO{gpio} is used twice" for gpio in doubled]
    for name, pin in pins.items():
        found += [f"{name} is on GPIO{pin['gpio']}, {what}" for what in misplaced(pin, facts)]
        if pin["gpio"] in facts.strap:
            found.append(f"{name} is on strap pin GPIO{pin['gpio']}")
        if pin["direction"] != DIRECTIONS.get(name):
            found.append(f"{name} can't be {pin['direction']!r}")
        if ("active_low" in pin) != (pin["direction"] in LEVELS):
            found.append(f"{name} and an active level do not go together")
    if not pins.get("button", {}).get("wakes"):
        found.append("button must wake the chip")
    return found


def misplaced(pin: dict, facts: ChipFacts) -> list[str]:
    """Return what a pin wants that its GPIO can't do."""
    gpio, found = pin["gpio"], []
    if gpio not in facts.offered:
        found.append("which the module does not offer")
    if pin["direction"] == "adc" and gpio not in facts.adc1:
        found.append("which is not on ADC1")
    if pin.get("wakes") and gpio not in facts.wake:
        found.append("which can't wake the chip")
    return found


def read(path: Path) -> dict:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def board() -> dict:
    return read(ROOT / "hardware" / "boards" / "xiao-esp32c3.toml")


@pytest.mark.parametrize("path", BOARD_FILES, ids=lambda path: path.stem)
def test_R14_shipped_pin_map_has_no_fault(path):
    assert faults(read(path)) == []
    assert read(path)["board"]["name"] == path.stem


@pytest.mark.parametrize(
    ("name", "gpio", "sentence"),
    [
        ("button", 9, "button is on strap pin GPIO9"),
        ("impact", 8, "impact is on strap pin GPIO8"),
        ("led_green", 2, "led_green is on strap pin GPIO2"),
        ("accelerometer_sda", 2, "accelerometer_sda is on strap pin GPIO2"),
        ("led_red", 3, "GPIO3 is used twice"),
        ("battery_adc", 10, "battery_adc is on GPIO10, which is not on ADC1"),
        ("button", 10, "button is on GPIO10, which can't wake the chip"),
        ("vibration", 18, "vibration is on GPIO18, which the module does not offer"),
        (
            "accelerometer_scl",
            14,
            "accelerometer_scl is on GPIO14, which the module does not offer",
        ),
    ],
)
def test_R14_board_waiting_for_download_a_bad_pin_is_named(board, name, gpio, sentence):
    changed = copy.deepcopy(board)
    changed["pins"][name]["gpio"] = gpio
    assert sentence in faults(changed)


def test_pin_that_the_firmware_needs_and_the_board_forgot_is_named(board):
    del board["pins"]["impact"]
    del board["pins"]["button"]["wakes"]
    del board["pins"]["led_red"]["active_low"]
    board["pins"]["battery_adc"]["direction"] = "in"
    wanted = {
        "impact has no pin",
        "button must wake the chip",
        "led_red and an active level do not go together",
        "battery_adc can't be 'in'",
    }
    assert wanted <= set(faults(board))


def test_board_of_an_unknown_chip_is_not_trusted(board):
    board["board"]["chip"] = "ESP32-X9"
    assert faults(board) == ["nothing is known of the pins of a ESP32-X9"]


def test_firmware_asks_for_no_pin_that_is_not_checked():
    asked = set()
    for path in (ROOT / "firmware" / "lib").rglob("*.py"):
        for word in path.read_text(encoding="utf-8").split("board.PIN_")[1:]:
            asked.add(word[: len(word) - len(word.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"))].lower())
    assert asked == set(DIRECTIONS)


def test_generated_board_module_is_current():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "generate_board.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
