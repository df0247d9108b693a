"""Find a badge's impact threshold with a technician: at rest, swinging, ten blows.

Guarantee: the threshold lies midway between the strongest movement and the weakest blow, with room
on both sides, or there is none and a sentence says why. Until the last step nothing on the badge
changes; it starts again however the work ends, if it can be reached at all. Peaks are measured on
the badge as its interrupt judges them (redband_hal.peaks); settings are stored by badge_settings.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from redband.desk import badge_settings
from redband.desk import calibrate_words as words
from redband.desk.mpremote import Mpremote, PortError, PortTrouble
from redband.desk.prompt import restart
from redband.errors import RedbandUserError
from redband_core import numbers

BLOWS = 10
STILL_S = 3
SWING_S = 10
BLOW_TIMEOUT_S = 30
NOISE_MAX_MG = 500
STEP_MG = 186
"""One step of the chip's threshold at 16 g."""
GAP_STEPS = 4
GAP_PARTS = 4
"""The weakest blow is stronger than any movement by GAP_STEPS steps and by a quarter of itself."""
LOWEST_MG, HIGHEST_MG = 200, 16_000

_MARK = "CALIBRATE"
_UNREACHABLE = (PortTrouble.ABSENT, PortTrouble.FORBIDDEN, PortTrouble.BUSY)
_CONNECT_S = 20.0
_PROGRAM = """
import machine
machine.WDT(timeout=600000)
def begin():
    try:
        from redband_hal.peaks import Peaks
        from redband_badge.settings import SettingsStore
    except ImportError:
        print("CALIBRATE old 0")
        return None
    if SettingsStore().good_bytes() is None:
        print("CALIBRATE new 0")
        return None
    peaks = Peaks()
    fault = peaks.start()
    if fault:
        print("CALIBRATE fault", fault)
        return None
    return peaks
def blows(peaks, count, above_mg, timeout_ms):
    for number in range(1, count + 1):
        print("CALIBRATE strike", number)
        peak_mg = peaks.blow_mg(above_mg, timeout_ms)
        print("CALIBRATE blow", peak_mg)
        if not peak_mg:
            return
peaks = begin()
try:
    if peaks:
        {work}
except OSError:
    print("CALIBRATE fault 3")
"""
_STRONGEST = (
    'print("CALIBRATE measuring 0"); print("CALIBRATE peak", peaks.strongest_mg({duration_ms}))'
)
_BLOWS = "blows(peaks, {count}, {above_mg}, {timeout_ms})"


class Desk(Protocol):
    """The technician. language: 0 English, 1 Russian."""

    language: int

    def say(self, text: str) -> None:
        """Show a line."""

    def wait(self, text: str) -> None:
        """Show what to do and wait until it is done. Raises RedbandUserError for nobody there."""


@dataclass(frozen=True)
class Calibration:
    """What was measured, in mg."""

    noise_mg: int
    movement_mg: int
    blows_mg: tuple[int, ...]
    threshold_mg: int


def calibrate(port: str, desk: Desk) -> Calibration:
    """Calibrate the badge at `port` and store the result there.

    Raises RedbandUserError (PortError for the port's part) with nothing stored.
    """
    remote = Mpremote(port, remedy="calibrate again")
    try:
        found = _Measuring(remote, desk).run()
        desk.say(
            words.RESULT[desk.language].format(
                noise=found.noise_mg,
                movement=found.movement_mg,
                weakest=min(found.blows_mg),
                strongest=max(found.blows_mg),
                threshold=found.threshold_mg,
            )
        )
        changes = {"impact": "accelerometer", "impact_threshold_mg": found.threshold_mg}
        badge_settings.change(port, changes)
    except (RedbandUserError, KeyboardInterrupt) as error:
        _start_again(remote, error)
        raise
    desk.say(words.STORED[desk.language].format(threshold=found.threshold_mg))
    return found


def is_apart(movement_mg: int, blow_mg: int) -> bool:
    """Return whether such a blow can be told from such a movement, each time."""
    gap_mg = blow_mg - movement_mg
    return gap_mg >= GAP_STEPS * STEP_MG and gap_mg * GAP_PARTS >= blow_mg


def threshold_mg(movement_mg: int, blows_mg: Sequence[int]) -> int:
    """Return the threshold for a strongest movement and some blows that are apart from it."""
    middle_mg = (movement_mg + min(blows_mg)) // 2
    return max(LOWEST_MG, min(middle_mg, HIGHEST_MG))


def _start_again(remote: Mpremote, error: BaseException) -> None:
    if not (isinstance(error, PortError) and error.trouble in _UNREACHABLE):
        with contextlib.suppress(PortError):
            restart(remote)


class _Measuring:
    """The three steps."""

    def __init__(self, remote: Mpremote, desk: Desk) -> None:
        self._remote = remote
        self._desk = desk
        self._peaks_mg: list[int] = []

    def run(self) -> Calibration:
        """Return what was measured. Raises RedbandUserError."""
        self._play("pass", 0)  # is there anything to calibrate?
        noise_mg = self._strongest(words.STILL, STILL_S)
        if noise_mg > NOISE_MAX_MG:
            self._refuse(words.MOVED, noise=noise_mg)
        movement_mg = max(noise_mg, self._strongest(words.SWING, SWING_S))
        blows_mg = self._blows(movement_mg)
        if not is_apart(movement_mg, min(blows_mg)):
            self._refuse(words.OVERLAP, weakest=min(blows_mg), movement=movement_mg)
        return Calibration(noise_mg, movement_mg, blows_mg, threshold_mg(movement_mg, blows_mg))

    def _strongest(self, text: tuple[str, str], seconds: int) -> int:
        self._wait(text, seconds=seconds)
        self._play(_STRONGEST.format(duration_ms=seconds * 1000), seconds)
        peak_mg = self._peaks_mg.pop()
        self._say(words.PEAK, peak=peak_mg)
        return peak_mg

    def _blows(self, movement_mg: int) -> tuple[int, ...]:
        self._wait(words.BLOWS, blows=BLOWS)
        self._peaks_mg.clear()
        work = _BLOWS.format(
            count=BLOWS, above_mg=movement_mg + STEP_MG, timeout_ms=BLOW_TIMEOUT_S * 1000
        )
        self._play(work, BLOWS * (BLOW_TIMEOUT_S + 2))
        if 0 in self._peaks_mg or not self._peaks_mg:
            self._refuse(
                words.MISSED,
                number=max(len(self._peaks_mg), 1),
                movement=movement_mg,
                seconds=BLOW_TIMEOUT_S,
            )
        return tuple(self._peaks_mg)

    def _play(self, work: str, seconds: int) -> None:
        program = _PROGRAM.format(work=work)
        self._remote.follow("exec", program, timeout_s=_CONNECT_S + seconds, hear=self._hear)

    def _hear(self, line: str) -> None:
        mark, _, said = line.partition(" ")
        what, _, number = said.partition(" ")
        if mark != _MARK or not number.isdigit():
            return
        value = int(number)
        if what == "measuring":
            self._say(words.MEASURING)
        elif what == "strike":
            self._say(words.STRIKE, number=value, blows=BLOWS)
        elif what in ("peak", "blow"):
            self._peaks_mg.append(value)
            if what == "blow" and value:
                self._say(words.STRUCK, peak=value)
        elif what in ("old", "new"):
            self._refuse(words.OLD if what == "old" else words.NEW)
        elif what == "fault":
            self._refuse(words.FAULTS.get(value, words.FAULTS[numbers.SENSOR_BUS]))

    def _say(self, text: tuple[str, str], **values: int) -> None:
        self._desk.say(text[self._desk.language].format(**values))

    def _wait(self, text: tuple[str, str], **values: int) -> None:
        language = self._desk.language
        self._desk.wait(text[language].format(**values) + words.ENTER[language])

    def _refuse(self, text: tuple[str, str], **values: int) -> NoReturn:
        port = self._remote.port
        raise RedbandUserError(text[self._desk.language].format(port=port, **values))
