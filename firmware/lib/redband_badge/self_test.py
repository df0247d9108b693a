"""The badge's own test: flash, battery, lights, radio, sensor chip, button, impact sensor.

Guarantee: it ends within a minute whatever is broken and whoever walks away; a step that is not
passed is named; the game starts afterwards in any case. It runs before the game, so a press is an
answer and no hit, and game time stops. It runs when the installer asked for it, or a
technician (`redband badge selftest`), and never again by itself: a badge whose battery is pulled
plays on.

A technician hears of each step by a line on USB: `SELFTEST begin button 20`, `SELFTEST end button
ok 812`. The button is to be pressed while green blinks, which shows that green works; the impact
sensor is to be knocked while red blinks. Both lights and the motor say that a step was passed.

File /selftest: `run` by the installer; `begun` while it runs; `result FAILED TRIED MS` by a test
at the prompt, for the next start to journal. The newest result stays in /boot.cnt, too.
"""

import asyncio
import os
import sys

from redband_badge import files, limits
from redband_badge.journal_store import JournalStore
from redband_core import journal, numbers
from redband_hal import board, self_check, system
from redband_hal.battery import Battery
from redband_hal.inputs import Contact
from redband_hal.lights import Lights

_RED = (1, 0, 0)
_GREEN = (0, 1, 0)
_ALL = (1, 1, 1)
_OFF = (0, 0, 0)


async def at_start(root: str, options, boot, game_journal, radio, feed) -> None:
    """Do what /selftest says, and journal the result. Never raises for broken hardware.

    `root`: directory of the files. `radio`: the Radio, or None. `feed()`: the watchdog. No task
    runs yet.
    """
    path = root + limits.SELF_TEST_PATH
    try:
        words = (files.read_bytes(path) or b"").split()
        test = SelfTest(root, options, radio, feed)
        found = await _found(test, path, words)
        if found is not None:
            failed, tried, flash_ms = found
            now_ms = game_journal.game_ms()
            game_journal.note(now_ms, numbers.NOTE_SELF_TEST, failed | tried << 16)
            game_journal.note(now_ms, numbers.NOTE_SELF_TEST_FLASH_MS, flash_ms)
            boot.keep_self_test(failed, tried)
        os.remove(path)  # done, or nobody of ours wrote it
    except OSError:
        boot.keep_self_test(numbers.STEP_FLASH, numbers.STEP_FLASH)


async def _found(test, path: str, words: list) -> "tuple | None":
    """Return (failed, tried, ms of the flash), of a test that is run now or was before."""
    kind = words[0] if words else b""
    figures = [int(word) for word in words[1:] if word.isdigit()]
    if kind == b"run":
        # From here on it is not run again by itself: not after a panic, nor in a game.
        files.replace(path, b"begun")
        await test.run()
        return test.failed, test.tried, test.flash_ms
    if kind == b"result" and len(figures) == 3:
        return tuple(figures)
    return (numbers.STEP_CUT_OFF, numbers.STEP_CUT_OFF, 0) if kind == b"begun" else None


def at_prompt() -> None:
    """Run the test for a technician at the prompt; the next start journals its result."""
    from redband_badge.radio_parts import make_radio
    from redband_badge.settings import SettingsStore

    options = SettingsStore().load()
    radio = None
    if options.has_radio:
        radio = make_radio()
        try:
            radio.start("Redband", limits.FIRMWARE_VERSION)
        except OSError as error:
            _say("radio %d" % (error.errno or 0))
    test = SelfTest("", options, radio, _nobody)
    asyncio.run(test.run())
    result = (test.failed, test.tried, test.flash_ms)
    files.replace(limits.SELF_TEST_PATH, b"result %d %d %d" % result)
    _say("result %d %d %d" % result)


def _say(text: str) -> None:
    sys.stdout.write("SELFTEST " + text + "\n")


def _skip(_kind: int, _game_ms: int, _payload: bytes) -> None:
    """Take no record."""


def _nobody() -> None:
    """Feed no watchdog: at the prompt it has ten minutes."""


class SelfTest:
    """One run. `failed`, `tried`: STEP_ bits; `flash_ms`: slowest operation of the flash."""

    def __init__(self, root: str, options, radio, feed) -> None:
        """See at_start(); `options`: checked Settings."""
        self._root = root
        self._options = options
        self._chip = None  # the accelerometer, where there is one
        self._radio = radio
        self._feed = feed
        self.failed = 0
        self.tried = 0
        self.flash_ms = 0

    async def run(self) -> None:
        """Run every step that this badge has."""
        self._try(numbers.STEP_FLASH, "flash", self._flash)
        self._try(numbers.STEP_FLASH, "records", self._records)
        self._try(numbers.STEP_BATTERY, "battery", self._battery)
        self._try(numbers.STEP_LIGHTS, "lights", self._outputs)
        if self._radio is not None:
            self._try(numbers.STEP_RADIO, "radio", self._radio_runs)
        impact = self._options.impact
        if impact == numbers.IMPACT_ACCELEROMETER:
            self._try(numbers.STEP_SENSOR_CHIP, "sensor", self._sensor_answers)
        button = Contact(board.PIN_BUTTON, board.BUTTON_ACTIVE_LOW)
        await self._touch(numbers.STEP_BUTTON, "button", button, _GREEN)
        if impact == numbers.IMPACT_OFF:
            # Without a sensor the button says that red was seen.
            await self._touch(numbers.STEP_IMPACT, "red", button, _RED)
        else:
            sensor = Contact(board.PIN_IMPACT, board.IMPACT_ACTIVE_LOW)
            if self._chip is not None:
                self._chip.take()  # it holds its pin since any blow before
            await self._touch(numbers.STEP_IMPACT, "impact", sensor, _RED)

    def _try(self, bit: int, name: str, work) -> None:
        """Do a step that needs nobody: `work()` gives (is passed, a figure to show)."""
        self._feed()
        _say("begin %s 0" % name)
        try:
            is_passed, figure = work()
        except (OSError, ImportError, MemoryError) as error:
            is_passed, figure = False, getattr(error, "errno", 0) or 0
        self._end(bit, name, is_passed, figure)

    def _end(self, bit: int, name: str, is_passed: bool, figure: int) -> None:
        self.tried |= bit
        if not is_passed:
            self.failed |= bit
        _say("end %s %s %d" % (name, "ok" if is_passed else "failed", figure))

    def _flash(self) -> tuple:
        path = self._root + limits.SELF_TEST_PATH + ".tmp"
        chunk = bytes(range(250))
        started_ms = system.ticks_ms()

        def done() -> None:
            nonlocal started_ms
            ended_ms = system.ticks_ms()
            self.flash_ms = max(self.flash_ms, system.ticks_diff(ended_ms, started_ms))
            started_ms = ended_ms
            self._feed()

        with open(path, "wb") as file:
            for _ in range(limits.SELF_TEST_FLASH_CHUNKS):
                file.write(chunk)
                done()
            file.flush()
        done()
        moved = path + "2"
        os.rename(path, moved)
        done()
        is_same = True
        with open(moved, "rb") as file:
            for _ in range(limits.SELF_TEST_FLASH_CHUNKS):
                is_same = file.read(len(chunk)) == chunk and is_same
        done()
        os.remove(moved)
        done()
        return is_same and self.flash_ms <= limits.SELF_TEST_FLASH_MAX_MS, self.flash_ms

    def _records(self) -> tuple:
        """Write records as the journal does: when not in place, each hit would erase a block."""
        folder = self._root + limits.SELF_TEST_PATH + ".log"
        store = JournalStore(folder)
        store.recover(_skip)
        store.begin_segment(0, b"")
        store.append(journal.CHECKPOINT, 0, b"")
        is_in_place = store.block >= 0
        for name in os.listdir(folder):
            os.remove(folder + "/" + name)
        os.rmdir(folder)
        return is_in_place, 0

    def _battery(self) -> tuple:
        battery_mv = Battery().read_mv()
        lowest_mv, highest_mv = limits.BATTERY_EMPTY_MV, limits.SELF_TEST_BATTERY_MAX_MV
        return lowest_mv <= battery_mv <= highest_mv, battery_mv

    def _outputs(self) -> tuple:
        stuck = self_check.stuck_outputs()
        return not stuck, stuck

    def _radio_runs(self) -> tuple:
        return self._radio.is_started, 0

    def _sensor_answers(self) -> tuple:
        from redband_hal.accelerometer import Accelerometer  # a badge without one never loads it

        chip = Accelerometer(self._options.impact_threshold_mg)
        fault = chip.start()
        if not fault:
            self._chip = chip
        return not fault, fault

    async def _touch(self, bit: int, name: str, contact, levels: tuple) -> None:
        """Blink `levels` until the contact closes, having been open before."""
        _say("begin %s %d" % (name, limits.SELF_TEST_STEP_MS // 1000))
        lights = Lights()
        started_ms = system.ticks_ms()
        was_open = False
        is_passed = False
        waited_ms = 0
        contact.take_edges()
        while not is_passed and waited_ms < limits.SELF_TEST_STEP_MS:
            is_lit = waited_ms // limits.SELF_TEST_BLINK_MS & 1 == 0
            lights.show(*(levels if is_lit else _OFF))
            await asyncio.sleep_ms(limits.SELF_TEST_POLL_MS)
            self._feed()
            waited_ms = system.ticks_diff(system.ticks_ms(), started_ms)
            is_active, edges = contact.is_active(), contact.take_edges()[0]
            if was_open:
                is_passed = is_active or edges > 0
            else:
                was_open = not is_active
        if is_passed:
            await self._confirm(lights, contact)
        lights.show(*_OFF)
        self._end(bit, name, is_passed, waited_ms)

    async def _confirm(self, lights, contact) -> None:
        lights.show(*_ALL)
        for _ in range(limits.SELF_TEST_CONFIRM_MS // limits.SELF_TEST_POLL_MS):
            await asyncio.sleep_ms(limits.SELF_TEST_POLL_MS)
        lights.show(*_OFF)
        if self._chip is not None:
            self._chip.take()  # it holds its pin since the blow
        # Let go before the next step, or the game, takes it for an input of its own.
        for _ in range(limits.SELF_TEST_RELEASE_MS // limits.SELF_TEST_POLL_MS):
            self._feed()
            if not contact.is_active():
                return
            await asyncio.sleep_ms(limits.SELF_TEST_POLL_MS)
