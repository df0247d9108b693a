"""Puts the radio to a badge, for the app and for safe mode alike."""

from redband_badge.files import read_bytes
from redband_badge.journal_pages import JournalPages
from redband_badge.pending_commands import PendingCommands
from redband_badge.radio_task import RadioTask
from redband_core import frames, keys, numbers
from redband_hal import board, system
from redband_hal.radio import Radio


def make_radio() -> Radio:
    """Return the radio with our service's UUIDs, not yet started."""
    return Radio(frames.SERVICE_UUID, frames.INFO_UUID, frames.CONTROL_UUID, frames.LOG_UUID)


def load_access(badge) -> keys.Access:
    """Return the badge's keys; without them it plays, and grants nobody anything."""
    try:
        file = read_bytes(badge.root + "/keys.bin")
    except OSError:
        file = b""
    if file is None:
        return keys.Access()
    if not keys.is_key_file(file):
        badge.note_queue.put((numbers.NOTE_KEYS_DAMAGED, len(file)))
        return keys.Access()
    return keys.Access(file)


def handlers_of(badge) -> dict:
    """Return what a proven host may ask besides the journal: see BadgeSession's `handlers`.

    Each handler is a function here that imports what it needs when it is called.
    """

    def order(session, number: int, message: bytes) -> None:
        from redband_badge import host_commands

        try:
            host_commands.take(badge, session, number, message)
        finally:
            for name in (
                "badge.host_commands",
                "badge.broadcast",
                "core.command_frames",
                "core.opening",
            ):
                system.forget("redband_" + name)

    def take_upload(session, number: int, message: bytes) -> None:
        from redband_badge import update  # stays while an upload is going on

        update.take(badge, session, number, message)

    handlers: dict = dict.fromkeys(range(0x30, 0x35), (numbers.MAY_UPDATE, take_upload))
    handlers[frames.COMMAND] = handlers[frames.EVENT] = (numbers.MAY_COMMAND, order)
    handlers[frames.BROADCAST] = (numbers.MAY_READ, order)
    return handlers


def gesture_taker(badge):
    """Return what looks at gestures first, in a game where medics treat by badge or by host."""

    def take(code: int, first_ms: int, now_ms: int) -> int:
        from redband_badge import tap_gestures  # seldom

        try:
            return tap_gestures.take(badge, code, first_ms, now_ms)
        finally:
            system.forget("redband_badge.tap_gestures")
            if badge.tap is None:
                system.forget("redband_core.tap")

    return take


def is_windowed(badge) -> bool:
    """Return whether the radio is to be on in windows only: by the setting, else by the board.

    In safe mode it is always on: such a badge is looked for.
    """
    mode = badge.options.radio_mode
    return not badge.reason and (mode == 2 or (mode == 0 and board.RADIO_WINDOWED))


def add_radio(badge, supervisor, radio: "Radio | None" = None) -> Radio:
    """Add the radio task to the supervisor; return the radio."""
    radio = radio or make_radio()
    state = badge.state

    def release(before_seq: int) -> None:
        state.release_before_seq = max(state.release_before_seq, before_seq)
        badge.game_wakeup.set()

    slot = read_bytes(badge.root + "/slot") or b"\0"
    if slot[0] == 2:  # of slots.py, which costs no memory here
        badge.info.firmware_version += " trial"
    pages = JournalPages(badge.store, release)
    badge.pending_commands = PendingCommands(badge)
    if badge.options.treatment and badge.ruleset is not None:
        state.on_gesture = gesture_taker(badge)
    task = RadioTask(radio, badge, pages, load_access(badge), handlers_of(badge))
    badge.observer = task.observer
    if is_windowed(badge):
        from redband_badge import light_sleep, radio_windows

        sleeper = light_sleep.install(badge)
        windows = radio_windows.Windows(badge, task.adverts, sleeper)
        task.windows = windows  # pyright: ignore[reportAttributeAccessIssue]
    supervisor.add(numbers.TASK_RADIO, task.run)
    return radio
