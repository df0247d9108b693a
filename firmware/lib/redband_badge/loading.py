"""What a start does once: settings, ruleset, journal, boot record; then the tasks put together.

Guarantee: see Badge.load(). In doubt no state is forgiven: a new game begins only when settings
and ruleset are good and say that the badge got another player or game. Leaves the memory when the
tasks run.
"""

import binascii

from redband_badge import boot_record
from redband_badge.files import exists, read_bytes
from redband_badge.game import Game
from redband_badge.game_journal import GameJournal
from redband_badge.game_task import GameTask
from redband_badge.input_task import InputTask
from redband_badge.led_task import LedTask
from redband_badge.on_demand import RULESET_READER, SETTINGS, UPDATE_CHECK, Needed
from redband_badge.supervisor import Supervisor
from redband_core import led, numbers
from redband_core.advert import FLAG_SAFE_MODE
from redband_core.clock import GameClock
from redband_core.errors import RulesError
from redband_core.ruleset import Ruleset
from redband_hal import board, event_loop, system
from redband_hal.inputs import Contact
from redband_hal.lights import Lights

# Without rules there is no state to show; the LED code beside it says why.
_RAW_SIGNALS = ((led.SHORT_FLASH, led.SHORT_FLASH, led.OFF),)


def read_settings(badge):
    """Give the badge its identity; return its options."""
    if exists(badge.root + "/slot"):
        with Needed(UPDATE_CHECK) as update_check:
            update_check.take_over(badge.root)
    with Needed(SETTINGS) as settings:
        return _identified(badge, settings.SettingsStore(badge.root).load())


def _identified(badge, settings):
    badge.info.badge_id = settings.badge_id
    badge.info.role = settings.role
    return settings


def _is_wrong(badge, reason: int) -> None:
    badge.reason = badge.reason or reason


def load(badge) -> None:
    """See Badge.load()."""
    if badge.options.problem:
        _is_wrong(badge, numbers.REASON_SETTINGS)
    _load_ruleset(badge)
    badge.game_journal = _make_game_journal(badge)
    is_new_game = _restore(badge)
    if _was_never_provisioned(badge):
        badge.state.is_in_game = False  # in its box it may switch itself off
    badge.info.install_id = badge.store.install_id
    badge.clock = GameClock(badge.game_journal.game_ms())
    badge.clock.start(system.ticks_ms())
    _begin_boot(badge, is_new_game)
    badge.state.safe_mode_reason = badge.reason
    badge.state.set_flag(FLAG_SAFE_MODE, bool(badge.reason))
    badge.state.set_fault(numbers.FAULT_SELF_TEST, badge.boot.test_failed != 0)
    badge.game_journal.show()
    _keep_settings(badge)


def _keep_settings(badge) -> None:
    """Remember settings that have led to a game."""
    try:
        if not badge.reason:
            with Needed(SETTINGS) as settings:
                settings.SettingsStore(badge.root).keep_as_good()
    except OSError:
        # The present settings work; only the spare copy could not be written.
        badge.state.set_fault(numbers.FAULT_JOURNAL, True)


def _load_ruleset(badge) -> None:
    try:
        data = read_bytes(badge.root + badge.options.ruleset_path)
        if data is not None:
            with Needed(RULESET_READER):
                badge.ruleset = Ruleset.from_bytes(data)
            badge.info.ruleset_identity = badge.ruleset.identity
    except (OSError, RulesError, MemoryError):
        pass
    if badge.ruleset is None:
        _is_wrong(badge, numbers.REASON_RULESET)


def _make_game_journal(badge) -> GameJournal:
    if badge.ruleset is None:
        return _raw_game(badge)
    for is_last_good in (True, False):
        try:
            return _game(badge)
        except RulesError:
            _is_wrong(badge, numbers.REASON_SETTINGS)
            with Needed(SETTINGS) as settings:
                store = settings.SettingsStore(badge.root)
                found = store.refused(badge.options, is_last_good)
            badge.options = _identified(badge, found)
    return _game(badge)


def _game(badge) -> Game:
    params = badge.options.params or None
    common = (badge.store, badge.state, badge.ruleset)
    return Game(*common, params, _provisioned(badge), badge.info.boot_id)


def _raw_game(badge) -> GameJournal:
    from redband_badge.raw_game import RawGame  # seldom needed, so it costs no memory else

    return RawGame(badge.store, badge.state, _provisioned(badge), badge.info.boot_id)


def _provisioned(badge) -> int:
    """Return a number that changes when the badge gets another player or game."""
    text = "%d %r " % (badge.options.badge_id, badge.options.params)
    return binascii.crc32(text.encode() + badge.info.ruleset_identity)


def _restore(badge) -> bool:
    """Take the state from the journal; return whether a new game begins instead."""
    try:
        badge.game_journal.restore()
        known = badge.game_journal.found_provisioned
        is_other = badge.game_journal.has_foreign_state or known not in (-1, _provisioned(badge))
        if is_other and not badge.reason:
            _archive_journal(badge)
            badge.game_journal.found_provisioned = -1
            badge.game_journal.restore()
            return True
        if badge.game_journal.has_foreign_state:
            # In doubt nothing is forgiven: count beside the state until someone looks.
            _is_wrong(badge, numbers.REASON_RULESET)
            badge.game_journal = _raw_game(badge)
            badge.game_journal.restore()
        if badge.reason:
            badge.game_journal.stay_provisioned()
    except OSError:
        _lose_journal(badge)
    return False


def _was_never_provisioned(badge) -> bool:
    """Return whether neither files nor journal know of any game: settings lost are no end."""
    is_blank = not badge.options.badge_id and badge.ruleset is None
    return is_blank and badge.game_journal.found_provisioned in (-1, _provisioned(badge))


def _archive_journal(badge) -> None:
    from redband_badge.journal_archive import archive  # once in a badge's life

    badge.store.close()
    archive(badge.root + "/journal")


def _lose_journal(badge) -> None:
    _is_wrong(badge, numbers.REASON_JOURNAL)
    badge.game_journal.go_on_without_flash()


def _begin_boot(badge, is_new_game: bool) -> None:
    boot, game_journal, info = badge.boot, badge.game_journal, badge.info
    boot.boot_count = max(boot.boot_count, game_journal.boot_count + 1)
    try:
        game_journal.begin_boot(boot.boot_count, badge.cause, info.badge_id, info.ruleset_identity)
        now_ms = badge.store.last_ms
        if is_new_game:
            game_journal.note(now_ms, numbers.NOTE_NEW_GAME, 0)
        if boot.hung_task != boot_record.NO_TASK:
            game_journal.note(now_ms, numbers.NOTE_HUNG_TASK, boot.hung_task)
        if badge.reason:
            game_journal.note(now_ms, numbers.NOTE_SAFE_MODE, badge.reason)
        if badge.options.problem:
            game_journal.note(now_ms, numbers.NOTE_SETTINGS_REFUSED, badge.options.problem)
    except OSError:
        _lose_journal(badge)


def make_supervisor(badge, feed) -> Supervisor:
    """See Badge.make_supervisor()."""
    is_safe_mode = badge.reason != 0
    supervisor = Supervisor(badge, feed, is_safe_mode)
    _add_inputs(badge, supervisor)
    queues = (badge.queue, badge.note_queue, badge.game_wakeup, badge.command_queue)
    game = GameTask(badge.game_journal, badge.clock, queues, badge.state, is_safe_mode)
    supervisor.add(numbers.TASK_GAME, game.run)
    signals = _RAW_SIGNALS
    if badge.ruleset is not None and isinstance(badge.game_journal, Game):
        signals = badge.ruleset.signals
    badge.lights = Lights()
    badge.state.brightness_pct = badge.options.brightness_pct
    supervisor.add(numbers.TASK_LED, LedTask(badge.lights, badge.state, signals).run)
    return supervisor


def _add_inputs(badge, supervisor) -> None:
    """Add the input task, and the sensor's where there is one.

    `badge.woke_by_button`: the chip slept and this press woke it (R13); it counts although the
    finger may be gone.
    """
    button = Contact(board.PIN_BUTTON, board.BUTTON_ACTIVE_LOW)
    contacts = [button]
    if badge.woke_by_button:
        button.latch()
    impact = None
    if badge.options.impact != numbers.IMPACT_OFF:
        impact = Contact(board.PIN_IMPACT, board.IMPACT_ACTIVE_LOW)
        contacts.append(impact)
    if badge.options.impact == numbers.IMPACT_ACCELEROMETER:
        # Costs a badge without one no memory.
        from redband_badge.impact_sensor import BlowContact, ImpactSensor

        sensor = ImpactSensor(badge.options.impact_threshold_mg, badge.state, badge.note_queue)
        sensor.look()
        impact = BlowContact(impact, sensor)
        supervisor.add(numbers.TASK_SENSOR, sensor.run)
    event_loop.watch()
    queues = (badge.queue, badge.note_queue)
    badge.inputs = InputTask(badge.clock, button, impact, *queues, badge.state)
    for contact in contacts:
        contact.wakeup = badge.inputs.wakeup  # pyright: ignore[reportAttributeAccessIssue]
    supervisor.add(numbers.TASK_INPUT, badge.inputs.run)
