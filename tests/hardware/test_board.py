"""The pin map must be one a technician can solder and the chip can boot with (PITFALLS R14)."""

import copy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# ESP32-C3 datasheet: strapping pins 2, 8, 9; ADC1 on GPIO0-4; deep-sleep wake on GPIO0-5;
# 11-17 belong to the flash, 18 and 19 to USB.
STRAP_PINS = {2, 8, 9}
ADC1_PINS = range(5)
WAKE_PINS = range(6)
TAKEN_PINS = {*range(11, 20)}


def faults(board: dict) -> list[str]:
    """Return what is wrong with a pin map for an ESP32-C3."""
    found = []
    gpios = [pin["gpio"] for pin in board["pins"].values()]
    doubled = sorted({gpio for gpio in gpios if gpios.count(gpio) > 1})
    found += [f"GPIO{gpio} is used twice" for gpio in doubled]
    for name, pin in board["pins"].items():
        gpio = pin["gpio"]
        if gpio in STRAP_PINS:
            found.append(f"{name} is on strap pin GPIO{gpio}")
        if gpio in TAKEN_PINS or not 0 <= gpio <= 21:
            found.append(f"{name} is on GPIO{gpio}, which the module does not offer")
        if pin["direction"] == "adc" and gpio not in ADC1_PINS:
            found.append(f"{name} is on GPIO{gpio}, which is not on ADC1")
        if pin.get("wakes") and gpio not in WAKE_PINS:
            found.append(f"{name} is on GPIO{gpio}, which can't wake the chip")
    return found


@pytest.fixture
def board() -> dict:
    return tomllib.loads((ROOT / "hardware" / "board.toml").read_text(encoding="utf-8"))


def test_shipped_pin_map_has_no_fault(board):
    assert faults(board) == []


@pytest.mark.parametrize(
    ("name", "gpio", "sentence"),
    [
        ("button", 9, "button is on strap pin GPIO9"),
        ("led_red", 3, "GPIO3 is used twice"),
        ("battery_adc", 10, "battery_adc is on GPIO10, which is not on ADC1"),
        ("button", 10, "button is on GPIO10, which can't wake the chip"),
        ("vibration", 18, "vibration is on GPIO18, which the module does not offer"),
    ],
)
def test_board_waiting_for_download_a_bad_pin_is_named(board, name, gpio, sentence):
    changed = copy.deepcopy(board)
    changed["pins"][name]["gpio"] = gpio
    assert sentence in faults(changed)


def test_generated_board_module_is_current():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "generate_board.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
