"""The badge's self-test at a technician's desk: prompts on the screen, a table, one answer.

Guarantee: it ends within its time whoever walks away; the badge starts its game again at the end
and journals the result. The steps are the badge's own (redband_badge.self_test); this only speaks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from redband.desk import board_scripts
from redband.desk.mpremote import PortError, PortTrouble
from redband.desk.prompt import follow_and_restart

TIMEOUT_S = 120.0
_MARK = "SELFTEST"

NAMES = {
    "flash": ("Flash memory", "Флеш-память"),
    "records": ("Journal on the flash", "Журнал во флеш-памяти"),
    "battery": ("Battery", "Батарея"),
    "lights": ("Lights and motor", "Свет и мотор"),
    "radio": ("Radio", "Радио"),
    "sensor": ("Sensor chip", "Микросхема датчика"),
    "button": ("Button, green light", "Кнопка, зелёный свет"),
    "impact": ("Impact sensor, red light", "Датчик удара, красный свет"),
    "red": ("Red light", "Красный свет"),
}
PROMPTS = {
    "button": (
        "Press the button while the green light blinks ({} s).",
        "Нажмите кнопку, пока мигает зелёный ({} с).",
    ),
    "impact": (
        "Knock on the sensor while the red light blinks ({} s).",
        "Стукните по датчику, пока мигает красный ({} с).",
    ),
    "red": (
        "Press the button while the red light blinks ({} s).",
        "Нажмите кнопку, пока мигает красный ({} с).",
    ),
}
UNITS = {"flash": "ms", "battery": "mV", "button": "ms", "impact": "ms", "red": "ms"}


@dataclass
class Report:
    """What came of it. steps: (name of the step, passed, figure) in their order."""

    steps: list[tuple[str, bool, int]] = field(default_factory=list)
    is_whole: bool = False
    """The badge came to the end of the test."""

    @property
    def is_passed(self) -> bool:
        """Every step was."""
        return self.is_whole and all(passed for _name, passed, _figure in self.steps)

    def rows(self, is_russian: bool) -> list[tuple[str, str, str]]:
        """Return (step, result, figure) for a table."""
        language = int(is_russian)
        results = (("FAILED", "ok"), ("НЕТ", "да"))[language]
        found = []
        for name, passed, figure in self.steps:
            unit = UNITS.get(name)
            shown = f"{figure} {unit}" if unit else (str(figure) if figure else "")
            found.append((NAMES.get(name, (name, name))[language], results[passed], shown))
        return found


def self_test(port: str, is_russian: bool, say: Callable[[str], None]) -> Report:
    """Run the test on the badge at `port`; `say` gets the prompts. Raises PortError.

    The game is stopped for it, and goes on from its journal afterwards.
    """
    report = Report()
    language = int(is_russian)

    def hear(line: str) -> None:
        words = line.split()
        if len(words) < 3 or words[0] != _MARK:
            return
        if words[1] == "begin" and words[2] in PROMPTS and len(words) == 4:
            say(PROMPTS[words[2]][language].format(words[3]))
        elif words[1] == "end" and len(words) == 5:
            report.steps.append((words[2], words[3] == "ok", int(words[4])))
        elif words[1] == "result":
            report.is_whole = True

    follow_and_restart(port, board_scripts.SELF_TEST, TIMEOUT_S, hear)
    if not report.is_whole:
        raise PortError(
            PortTrouble.BROKEN_OFF, f"The badge at {port} did not finish its test; try again."
        )
    return report
