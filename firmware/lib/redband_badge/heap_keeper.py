"""Starts a badge again whose heap is short, while nobody plays: Python never takes a third area.

Problem: a chip gives Python 64 kB, then 64 more; the next growth takes the largest block that is
left, which Bluetooth needs. Guarantee: a start again happens in order, with a note in the journal
before it, and only while the game is at rest: no timer runs, no host is linked, no upload, tap,
emergency, gesture or trial of an update is going on, no input came since the look before (a minute
ago), and nothing waits for the journal. Loaded for such a look, and leaves the memory then.
"""

import asyncio
import sys

from redband_badge import files, limits
from redband_core import numbers
from redband_hal import system


async def look(root: str, playing, inputs_seen):
    """Start the badge, whose heap is short, again if its game is at rest.

    `root`: directory of the badge's files. `playing`: state, game journal, queues of the game task
    and Observer or None. `inputs_seen`: what the look before returned, at first None.
    """
    state, _game_journal, queues, _observer = playing
    inputs = (state.acknowledged, state.refused)
    if inputs != inputs_seen or state.safe_mode_reason or not is_at_rest(root, playing):
        return inputs
    queues[1].put((numbers.NOTE_HEAP_SHORT, system.heap_bytes()[0]))
    await asyncio.sleep_ms(limits.HEAP_NOTE_MS)  # the note has to reach the journal
    if (state.acknowledged, state.refused) == inputs and is_at_rest(root, playing):
        system.reset()
    return inputs


def is_at_rest(root: str, playing) -> bool:
    """Return whether a start again now would cost nobody anything."""
    state, game_journal, queues, observer = playing
    engine = getattr(game_journal, "engine", None)
    return not (
        state.is_input_busy
        or state.is_connected
        or state.is_emergency
        or (observer is not None and observer.tap is not None)
        or "redband_badge.update" in sys.modules
        or (engine is not None and engine.next_deadline_ms() >= 0)
        or any(queue.front() is not None for queue in queues)
        or files.exists(root + "/slot")
    )
