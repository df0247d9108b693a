"""Says whether a new version of the firmware stays; tells the journal how an update ended.

Guarantee: a version on trial stays only when it has run for HEALTHY_AFTER_MS with all tasks well,
the radio among them, in no worse state than the version before it was; else the chip is reset, and
the version before comes back (slots.py). Loaded while /slot is there, HEALTHY_AFTER_MS after the
start.
"""

import asyncio
import os

from redband_badge import limits
from redband_badge.files import exists, read_bytes, replace
from redband_badge.staging import drop
from redband_core import numbers, upload
from redband_hal import system

_FAULTS = numbers.FAULT_RADIO | numbers.FAULT_JOURNAL | numbers.FAULT_TASK
_NOTED_MS = 3000  # for the journal to take a note


def decide(root: str, state, info, note_queue, supervisor, modules) -> None:
    """All has been well for HEALTHY_AFTER_MS, as far as the supervisor knows.

    `supervisor`: of the radio's task, None without a radio. `modules`: the Needed of this module,
    which ends when all is tidy.
    """
    slot = bytearray(read_bytes(root + "/slot") or b"")
    if len(slot) != upload.SLOT_BYTES:
        modules.end()
        return
    if slot[0] == numbers.UPDATE_TRIAL:
        if is_radio_missing(supervisor) or is_worse(state, slot):
            system.reset()
        slot[0] = numbers.UPDATE_GOOD
        replace(root + "/slot", bytes(slot))
        info.firmware_version = limits.FIRMWARE_VERSION
        note_queue.put((numbers.NOTE_UPDATE_CONFIRMED, slot[2]))
    elif slot[0] == numbers.UPDATE_TOLD and slot[1] != upload.FIRMWARE:
        note_queue.put((numbers.NOTE_UPDATE_BEGUN, slot[1] | slot[3] << 8))
    elif slot[0] == numbers.UPDATE_TOLD:
        note_queue.put((numbers.NOTE_UPDATE_ROLLED_BACK, slot[3]))
    asyncio.create_task(_tidy(root, slot[0], modules))


def is_radio_missing(supervisor) -> bool:
    """Return whether the radio should run, and its task does not."""
    if supervisor is None:
        return False
    return numbers.TASK_RADIO not in [number for number, _ in supervisor.failure_counts()]


def is_worse(state, slot: bytearray) -> bool:
    """Return whether the badge fares worse than the version before did when it was replaced."""
    reason, faults = state.safe_mode_reason, state.faults
    return reason not in (0, slot[4]) or faults & ~slot[5] & _FAULTS != 0


async def _tidy(root: str, state: int, modules) -> None:
    """Remove what the update left, a file at a time; what is cut is done at the next start."""
    old = root + "/lib.old"
    try:
        await asyncio.sleep_ms(_NOTED_MS)
        if state == numbers.UPDATE_GOOD and exists(old):
            for entry in list(os.ilistdir(old)):
                name = entry[0]
                is_ours = name.startswith("redband_") or name == "manifest"
                if not is_ours and not exists(root + "/lib/" + name):
                    os.rename(old + "/" + name, root + "/lib/" + name)  # somebody else's
            await drop(old)
        if state in (numbers.UPDATE_GOOD, numbers.UPDATE_TOLD):
            os.remove(root + "/slot")
    except OSError:
        pass  # the next start tries again
    modules.end()
