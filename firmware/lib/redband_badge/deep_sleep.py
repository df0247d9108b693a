"""Going to sleep and waking up: what transport mode and switching off have in common.

Guarantee: the journal has the sleep before the lights go out, the radio is off and the outputs
are held off while the chip sleeps, and nothing but the button wakes it. A button that is jammed
(in a full box, say) would wake it at once: then it sleeps by time and looks again. Game time
stops, since no tick passes; so no timer is shortened and no state improves.
"""

import asyncio
import os

from redband_badge import files, limits
from redband_core import numbers
from redband_core.light_show import UNIT_MS
from redband_hal import power, system
from redband_hal.lights import Lights, switch_off

_POLL_MS = 10
_BOUNCE_MS = 30  # open for less is no release

# Signs, as sequences of light_show: three flashes, shorter and shorter, or longer.
FALLING_ASLEEP = b"\x3c\x03\x14\x00\x1e\x03\x14\x00\x0a\x03\x14\x00"
WAKING = b"\x0a\x03\x14\x00\x1e\x03\x14\x00\x3c\x03\x14\x00"


async def fall_asleep(parts, state, kind: int) -> None:
    """Put the badge to sleep; returns only when that is impossible or unwanted now.

    `parts`: SleepParts. `kind`: numbers.SLEEP_TRANSPORT, or SLEEP_AUTO_OFF, which waits for a
    journal that works and a button that is free.
    """
    button = power.button()
    is_transport = kind == numbers.SLEEP_TRANSPORT
    if not power.can_wake() or (not is_transport and power.is_pressed(button)):
        return
    is_noted = await _note(parts, ((numbers.NOTE_TRANSPORT_ON, kind),))
    if is_transport:
        try:
            files.replace(parts.root + limits.TRANSPORT_PATH, b"1" if is_noted else b"0")
        except OSError:
            return  # without the file it would start at the first press
    elif not is_noted:
        return
    parts.boot.mark_healthy(state.safe_mode_reason != 0)  # an end in good order is no failed start
    if parts.has_radio:
        power.stop_radio()
    parts.store.close()
    _play(parts.lights, FALLING_ASLEEP)
    _sleep(button)


async def note_waking(parts) -> None:
    """Note that the badge was woken from transport mode, once."""
    path = parts.root + limits.WOKEN_PATH
    found = ((numbers.NOTE_TRANSPORT_WOKEN, 0),)
    if files.read_bytes(path) == b"0":
        found = ((numbers.NOTE_TRANSPORT_ON, numbers.SLEEP_TRANSPORT),) + found
    if await _note(parts, found):
        os.remove(path)


async def _note(parts, found: tuple) -> bool:
    """Return whether the journal has taken these notes."""
    queue = parts.note_queue
    for item in found:
        if not queue.put(item):
            return False
    for _ in range(limits.SLEEP_NOTE_MS // _POLL_MS):
        if queue.front() is None:
            return True
        await asyncio.sleep_ms(_POLL_MS)
    return False


def stay_asleep(root: str) -> bool:
    """Sleep on, or wake for good when the button is held for TRANSPORT_HOLD_MS.

    Returns True when it may start: nothing could wake it else, or the flash can't end the mode.
    After a reset or a new battery it stays awake, dark, for TRANSPORT_WINDOW_MS.
    """
    lights = Lights()
    button = power.button()
    if not power.can_wake():
        _end(root)
        return True
    is_from_sleep = system.reset_cause() == numbers.CAUSE_DEEP_SLEEP
    is_pressed = power.is_pressed(button)
    if is_from_sleep and not system.was_woken_by_pin():
        switch_off(True)
        power.deep_sleep(limits.JAMMED_SLEEP_MS if is_pressed else 0)
    if _is_held(button, 0 if is_from_sleep else limits.TRANSPORT_WINDOW_MS):
        _play(lights, WAKING)
        if _is_released(button, limits.RELEASE_WAIT_MS):
            # A start of its own, so that the hold is no press of the game. But a flash that can't
            # write may not keep the badge asleep for ever.
            if _end(root):
                system.reset()
            return True
    _sleep(button)
    return False


def _end(root: str) -> bool:
    """End the mode; return whether that worked."""
    try:
        os.rename(root + limits.TRANSPORT_PATH, root + limits.WOKEN_PATH)
    except OSError:
        return False
    return True


def _sleep(button) -> None:
    is_free = _is_released(button, limits.RELEASE_SHORT_MS)
    switch_off(True)
    power.deep_sleep(0 if is_free else limits.JAMMED_SLEEP_MS)


def _is_held(button, window_ms: int) -> bool:
    """Return whether the button is held long enough; the hold begins within `window_ms`."""
    held_ms = 0
    open_ms = 0
    passed_ms = 0
    last_ms = system.ticks_ms()
    while held_ms < limits.TRANSPORT_HOLD_MS:
        power.pause_ms(_POLL_MS)
        ticks_ms = system.ticks_ms()
        elapsed_ms = system.ticks_diff(ticks_ms, last_ms)
        last_ms = ticks_ms
        passed_ms += elapsed_ms
        held_ms += elapsed_ms
        if power.is_pressed(button):
            open_ms = 0
            continue
        open_ms += elapsed_ms
        if open_ms >= _BOUNCE_MS:
            held_ms = 0
            if passed_ms >= window_ms:
                return False
    return True


def _is_released(button, timeout_ms: int) -> bool:
    open_ms = 0
    for _ in range(0, timeout_ms, _POLL_MS):
        open_ms = 0 if power.is_pressed(button) else open_ms + _POLL_MS
        if open_ms >= _BOUNCE_MS:
            return True
        power.pause_ms(_POLL_MS)
    return False


def _play(lights, sequence: bytes) -> None:
    for index in range(0, len(sequence), 2):
        levels = sequence[index + 1]
        lights.show(levels & 1, levels >> 1 & 1, 0)
        power.pause_ms(sequence[index] * UNIT_MS)
    lights.show(0, 0, 0)
