"""Puts the radio to a badge, for the app and for safe mode alike."""

from redband_badge import notes
from redband_badge.journal_pages import JournalPages
from redband_badge.radio_task import RadioTask
from redband_core import frames
from redband_hal.radio import Radio


def make_radio() -> Radio:
    """Return the radio with our service's UUIDs, not yet started."""
    return Radio(frames.SERVICE_UUID, frames.INFO_UUID, frames.CONTROL_UUID, frames.LOG_UUID)


def add_radio(badge, supervisor, radio: "Radio | None" = None) -> Radio:
    """Add the radio task to the supervisor; return the radio."""
    radio = radio or make_radio()
    state = badge.state

    def release(before_seq: int) -> None:
        state.release_before_seq = max(state.release_before_seq, before_seq)
        badge.game_wakeup.set()

    pages = JournalPages(badge.store, release)
    task = RadioTask(radio, state, badge.info, pages, badge.note_queue)
    supervisor.add(notes.TASK_RADIO, task.run)
    return radio
