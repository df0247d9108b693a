"""Puts the radio to a badge, for the app and for safe mode alike."""

from redband_badge.adverts import Adverts
from redband_badge.files import read_bytes
from redband_badge.observer import Observer
from redband_badge.on_demand import (
    BROADCAST,
    HOST_COMMANDS,
    INFO,
    TAP_GESTURES,
    UPDATE,
    Needed,
)
from redband_badge.pending_commands import PendingCommands
from redband_badge.radio_task import RadioTask
from redband_core import advert, frames, keys, numbers
from redband_hal import board
from redband_hal.radio import Radio


def make_radio() -> Radio:
    """Return the radio with our service's UUIDs, not yet started."""
    return Radio(advert.SERVICE_UUID, frames.INFO_UUID, frames.CONTROL_UUID, frames.LOG_UUID)


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


class RadioParts:
    """What commands, broadcasts and a medic's tap work with."""

    def __init__(self, observer, pending_commands, badge) -> None:
        """Take the rest from `badge`, a Badge: its part of the rules and of the game."""
        self.observer = observer
        self.pending_commands = pending_commands
        self.state = badge.state
        self.info = badge.info
        self.options = badge.options
        self.ruleset = badge.ruleset
        self.game_journal = badge.game_journal


def handlers_of(badge, parts: RadioParts) -> dict:
    """Return what a proven host may ask besides the journal: see BadgeSession's `handlers`."""

    def take_command(session, number: int, message: bytes) -> None:
        with Needed(HOST_COMMANDS) as host_commands:
            host_commands.take(parts, session, number, message)

    def make_desk(update):
        running = (badge.info, badge.options, badge.ruleset)
        return update.Desk(badge.root, *running, badge.state, badge.note_queue)

    def take_upload(session, number: int, message: bytes) -> None:
        with Needed(UPDATE) as update:
            update.take(make_desk, session, number, message)

    handlers: dict = dict.fromkeys(range(0x30, 0x35), (numbers.MAY_UPDATE, take_upload))
    handlers[frames.COMMAND] = handlers[frames.EVENT] = (numbers.MAY_COMMAND, take_command)
    handlers[frames.BROADCAST] = (numbers.MAY_READ, take_command)
    return handlers


def gesture_taker(parts: RadioParts):
    """Return what looks at gestures first, in a game where medics treat by badge or by host."""

    def take(code: int, first_ms: int, now_ms: int) -> int:
        with Needed(TAP_GESTURES) as tap_gestures:
            return tap_gestures.take(parts, code, first_ms, now_ms)

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
    state, info = badge.state, badge.info
    slot = read_bytes(badge.root + "/slot") or b"\0"
    if slot[0] == 2:  # of slots.py, which costs no memory here
        info.firmware_version += " trial"
    access = load_access(badge)
    adverts = Adverts(state, info, access, badge.boot)
    observer = Observer(radio, state, badge.note_queue, access, adverts)
    badge.observer = observer
    parts = RadioParts(observer, PendingCommands(badge.command_queue, state), badge)

    def hear_broadcast(payload: bytes, _rssi_dbm: int, _now_ms: int) -> int:
        with Needed(BROADCAST) as broadcast:
            return broadcast.heard(parts, payload)

    observer.takers[advert.KIND_BROADCAST] = hear_broadcast
    if badge.options.treatment and badge.ruleset is not None:
        state.on_gesture = gesture_taker(parts)
    with Needed(INFO) as messages:
        info_value = messages.encode_info(info)
    make_link = link_maker(badge, radio, access, handlers_of(badge, parts))
    task = RadioTask(radio, state, info_value, badge.note_queue, observer, make_link)
    if is_windowed(badge):
        from redband_badge import radio_windows  # costs a badge whose radio is always on nothing
        from redband_badge.power_parts import install_sleep

        windows = radio_windows.Windows(state, observer, install_sleep(badge))
        task.windows = windows  # pyright: ignore[reportAttributeAccessIssue]
    supervisor.add(numbers.TASK_RADIO, task.run)
    return radio


def link_maker(badge, radio, access, handlers: dict):
    """Return what makes a Link of a connection, see RadioTask."""
    state = badge.state

    def release(before_seq: int) -> None:
        state.release_before_seq = max(state.release_before_seq, before_seq)
        badge.game_wakeup.set()

    def make(link, connection: int):
        session = (badge.info, access, handlers)
        wake = state.radio_wakeup.set
        return link.Link(radio, connection, badge.store, release, session, wake)

    return make
