"""What a technician asks a badge over USB: who it is, how it has fared, what is wrong.

Guarantee: nothing is changed, and the game goes on: the answer is one line, `STATUS` and JSON,
made within a second in which inputs are latched as during a flash write. Loaded when somebody asks
(`?` on USB, `redband badge status`), and leaves the memory then. Words for the numbers are the
host's business.
"""

import gc
import json
import sys

from redband_badge import limits
from redband_badge.files import read_bytes
from redband_hal import board, system


def answer(root: str, who: tuple, state, store, supervisor, queue, observer) -> None:
    """Print the status of a badge that runs.

    `who`: its BootRecord, settings and BadgeInfo. `queue`: of inputs. `observer`: None without a
    radio.
    """
    boot, options, info = who
    facts = _common(boot, options)
    facts["reset_cause"] = system.reset_cause()
    facts["hung_task"] = boot.hung_task
    facts["uptime_ms"] = supervisor.uptime_ms
    facts["safe_mode"] = state.safe_mode_reason
    facts["ruleset"] = list(info.ruleset_identity)
    facts["faults"] = state.faults
    dropped_count = 0
    if observer is not None:
        dropped_count = observer.radio.dropped_count + observer.radio.heard_dropped_count
    facts["radio"] = [state.radio_failures, dropped_count]
    facts["battery_mv"] = state.battery_mv
    facts["sleep_refusal"] = state.sleep_refusal
    facts["failures"] = supervisor.failure_counts()
    facts["dropped_inputs"] = queue.dropped_count
    facts["journal"] = [store.oldest_seq, store.next_seq, len(store.segments)]
    facts["free_bytes"] = system.free_bytes(root or "/")
    _tell(facts)


def at_prompt() -> None:
    """Print the status of a badge that does not run, as far as its files tell."""
    from redband_badge.boot_record import BootRecord
    from redband_badge.settings import SettingsStore

    facts = _common(BootRecord("/boot.cnt"), SettingsStore().load())
    facts["free_bytes"] = system.free_bytes("/")
    _tell(facts)


def _common(boot, options) -> dict:
    return {
        "settings": list(options),
        "firmware": limits.FIRMWARE_VERSION,
        "micropython": list(sys.implementation.version)[:3],
        "board": board.NAME,
        "boots": boot.boot_count,
        "failed_starts": boot.failures,
        "failure_reason": boot.reason,
        "test": [boot.test_failed, boot.test_tried],
        "update": list(_read(boot.path[:-8] + "slot")),
    }


def _read(path: str) -> bytes:
    try:
        return read_bytes(path) or b""
    except OSError:
        return b""


def _tell(facts: dict) -> None:
    gc.collect()
    free, *system_heap = system.heap_bytes()
    facts["heap_free_bytes"] = free
    facts["system_heap_bytes"] = system_heap
    sys.stdout.write("STATUS " + json.dumps(facts) + "\n")
