"""Watches the battery, and puts the badge to sleep when it is asked to or nobody needs it.

Guarantee: jitter around a mark gives one warning, not fifty (hysteresis over a median); the sag
under our own motor gives none; a low battery changes lights, motor and radio, never the game. A
badge that is in a game never switches itself off.
"""

import asyncio

from redband_badge import limits
from redband_badge.files import read_bytes
from redband_badge.on_demand import DEEP_SLEEP, Needed
from redband_core import numbers
from redband_core.advert import FLAG_LOW_BATTERY
from redband_core.clock import GameClock
from redband_hal import system

# Voltage at rest of a typical one-cell LiPo, for 0, 5, 10 ... 100 % of charge, as printed by its
# makers: in units of 10 mV over 3270 mV. Flat in the middle, where 20 mV are 10 %.
_CURVE = b"\x00\x22\x2a\x2c\x2e\x30\x32\x34\x35\x37\x39\x3a\x3c\x40\x44\x47\x4b\x51\x54\x58\x5d"
_CURVE_FROM_MV = 3270

_FINE = 0
_LOW = 1
_CRITICAL = 2


def charge_pct(battery_mv: int) -> int:
    """Return the charge in per cent, 0 to 100, of a cell that carries little."""
    above = (battery_mv - _CURVE_FROM_MV) // 10
    for step in range(1, len(_CURVE)):
        below = _CURVE[step - 1]
        if above < _CURVE[step]:
            return max(0, 5 * (step - 1) + 5 * (above - below) // (_CURVE[step] - below))
    return 100


class SleepParts:
    """What has to be put in order before the chip sleeps deeply: see deep_sleep."""

    def __init__(self, root: str, boot, store, note_queue, lights, has_radio: bool) -> None:
        """`root`: directory of the files. `boot`: BootRecord. `store`: the journal's."""
        self.root = root
        self.boot = boot
        self.store = store
        self.note_queue = note_queue
        self.lights = lights
        self.has_radio = has_radio


class PowerTask:
    """Owns the battery's converter and the decision to sleep."""

    def __init__(self, battery, state, game_journal, auto_off_min: int, parts) -> None:
        """`auto_off_min`: of the settings, 0 for never. `parts`: SleepParts."""
        self._battery = battery
        self._state = state
        self._game_journal = game_journal
        self._auto_off_min = auto_off_min
        self._parts = parts
        self._level = _FINE
        self._uptime = GameClock()
        self._uptime.start(system.ticks_ms())
        self._measured_ms = -1
        self._auto_off = None

    async def run(self, beat) -> None:
        """Watch for ever."""
        state, parts = self._state, self._parts
        if read_bytes(parts.root + limits.WOKEN_PATH) is not None:
            with Needed(DEEP_SLEEP) as deep_sleep:
                await deep_sleep.note_waking(parts)
        while True:
            beat.report()
            kind = self.look(system.ticks_ms())
            if kind:
                state.sleep_request = 0
                with Needed(DEEP_SLEEP) as deep_sleep:
                    await deep_sleep.fall_asleep(parts, state, kind)
            await asyncio.sleep_ms(limits.POWER_PERIOD_MS)

    def look(self, ticks_ms: int) -> int:
        """Measure when it is time; return a SLEEP_ number when it is time to sleep, or 0."""
        up_ms = self._uptime.update(ticks_ms)
        self._measure(up_ms)
        return self._state.sleep_request or self._look_off(up_ms)

    def _look_off(self, up_ms: int) -> int:
        if self._state.is_in_game or not self._auto_off_min:
            self._state.is_off_warned = False
            self._auto_off = None
            return 0
        if self._auto_off is None:
            try:
                from redband_badge.auto_off import AutoOff
            except MemoryError:
                return 0  # too full to be switched off: it stays on
            self._auto_off = AutoOff(self._state, self._game_journal, self._auto_off_min, up_ms)
        return self._auto_off.look(up_ms)

    def _measure(self, up_ms: int) -> None:
        """Take a measurement when one is due and the cell carries no motor."""
        since_ms = up_ms - self._measured_ms
        if self._measured_ms >= 0 and since_ms < limits.BATTERY_PERIOD_MS:
            return
        if self._is_under_motor(up_ms) and since_ms < limits.BATTERY_FORCED_MS:
            return
        self._measured_ms = up_ms
        self.take(self._battery.read_mv())

    def _is_under_motor(self, up_ms: int) -> bool:
        state = self._state
        if state.is_motor_on or state.motor_ticks_ms < 0:
            return state.is_motor_on
        # A motor of days ago may seem to be one of days to come.
        off_ms = up_ms - self._uptime.at(state.motor_ticks_ms)
        return 0 <= off_ms < limits.BATTERY_REST_MS

    def take(self, battery_mv: int) -> None:
        """Take one measurement, in mV."""
        state, was = self._state, self._level
        state.battery_mv = battery_mv
        state.battery_pct = charge_pct(battery_mv)
        level = was
        if battery_mv < limits.BATTERY_CRITICAL_MV:
            level = _CRITICAL
        elif battery_mv > limits.BATTERY_FINE_MV:
            level = _FINE
        elif was == _FINE and battery_mv < limits.BATTERY_LOW_MV:
            level = _LOW
        elif was == _CRITICAL and battery_mv > limits.BATTERY_BETTER_MV:
            level = _LOW
        if level == was:
            return
        self._level = level
        if level > was:
            code = numbers.NOTE_LOW_BATTERY if level == _LOW else numbers.NOTE_BATTERY_CRITICAL
            self._parts.note_queue.put((code, battery_mv))
        state.is_saving = level >= _LOW
        state.is_critical = level == _CRITICAL
        state.set_flag(FLAG_LOW_BATTERY, state.is_saving)
        state.touch()
