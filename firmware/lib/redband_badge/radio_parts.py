"""Puts the radio to a badge, for the app and for safe mode alike. Leaves the memory then."""

from redband_badge.adverts import Adverts
from redband_badge.files import read_bytes
from redband_badge.observer import Observer
from redband_badge.on_demand import LINK, Needed
from redband_badge.pending_commands import PendingCommands
from redband_badge.radio_side import RadioSide
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


def handlers_of(side: RadioSide) -> dict:
    """Return what a proven host may ask besides the journal: see BadgeSession's `handlers`."""
    handlers: dict = dict.fromkeys(range(0x30, 0x35), (numbers.MAY_UPDATE, side.take_upload))
    command = (numbers.MAY_COMMAND, side.take_command)
    handlers[frames.COMMAND] = handlers[frames.EVENT] = command
    handlers[frames.BROADCAST] = (numbers.MAY_READ, side.take_command)
    return handlers


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
    running = (state, info, badge.options, badge.ruleset)
    pending_commands = PendingCommands(badge.command_queue, state)
    queues = (badge.game_journal, badge.note_queue, pending_commands)
    handlers: dict = {}
    side = RadioSide(
        badge.root, badge.store, badge.game_wakeup, running, queues, observer, handlers
    )
    handlers.update(handlers_of(side))
    observer.takers[advert.KIND_BROADCAST] = side.hear_broadcast
    if badge.options.treatment and badge.ruleset is not None:
        state.on_gesture = side.take_gesture
    with Needed(LINK) as link:
        value = link.info_value(info)
    task = RadioTask(radio, state, value, badge.note_queue, observer, side.make_link)
    if is_windowed(badge):
        from redband_badge import radio_windows  # costs a badge whose radio is always on nothing
        from redband_badge.power_parts import install_sleep

        windows = radio_windows.Windows(state, observer, install_sleep(badge))
        task.windows = windows  # pyright: ignore[reportAttributeAccessIssue]
    supervisor.add(numbers.TASK_RADIO, task.run)
    return radio
