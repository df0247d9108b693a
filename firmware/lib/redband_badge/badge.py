"""The badge that counts hits: inputs, game, journal, LED, put together and kept alive.

Guarantee: whatever is wrong with settings, ruleset or journal, load() ends with a badge that
counts, and `reason` says what is wrong. Both the app and safe mode run on this; it knows neither
radio nor battery, so that neither can keep it from starting.
"""

import binascii
import sys

import redband_badge
from redband_badge import limits, notes
from redband_badge.book import Book
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.files import read_bytes
from redband_badge.game import Game
from redband_badge.game_task import GameTask
from redband_badge.input_task import add_inputs
from redband_badge.journal_store import JournalStore
from redband_badge.led_task import add_lights
from redband_badge.state import FAULT_JOURNAL, FAULT_TASK, BadgeState
from redband_badge.supervisor import Supervisor
from redband_badge.wakeup import Wakeup
from redband_core import journal, led
from redband_core.advert import FLAG_SAFE_MODE
from redband_core.clock import GameClock
from redband_core.errors import RulesError
from redband_core.ruleset import Ruleset
from redband_hal import system

_NO_IDENTITY = bytes(8)
# Without rules there is no state to show; the LED code beside it says why.
_RAW_SIGNALS = ((led.SHORT_FLASH, led.SHORT_FLASH, led.OFF),)


class BadgeInfo:
    """Who this badge is, for adverts and sessions."""

    def __init__(self, settings, boot_id: int) -> None:
        self.badge_id = settings.badge_id
        self.role = settings.role
        self.boot_id = boot_id
        self.install_id = 0
        self.firmware_version = limits.FIRMWARE_VERSION
        self.ruleset_identity = _NO_IDENTITY


class Badge:
    """See the module's text. Use: load(), then add tasks to make_supervisor(), then run it."""

    def __init__(self, root: str, boot, cause: int, reason: int) -> None:
        """`root`: directory of the badge's files. `boot`: BootRecord after begin().

        `reason`: why to run in safe mode, 0 for normal.
        """
        from redband_badge.settings import SettingsStore  # leaves the memory after load()

        self.root = root
        self._boot = boot
        self._cause = cause
        self._ruleset = None
        self._settings_store = SettingsStore(root)
        self.options = self._settings = self._settings_store.load()
        self.reason = reason
        self.has_radio = self._settings.has_radio
        self.info = BadgeInfo(self._settings, system.random_u32())
        self.state = BadgeState()
        self.store = JournalStore(root + "/journal")
        self.game_wakeup = Wakeup()
        self.queue = BoundedQueue(limits.INPUT_QUEUE_SIZE, self.game_wakeup)
        self.note_queue = BoundedQueue(limits.NOTE_QUEUE_SIZE, self.game_wakeup)
        self.book = Book(self.store, self.state, 0, 0)
        self.clock = GameClock()
        self.is_loaded = False

    def _is_wrong(self, reason: int) -> None:
        self.reason = self.reason or reason

    def load(self) -> None:
        """Read ruleset and journal, restore the state, write the boot record."""
        if self._settings.problem:
            self._is_wrong(notes.REASON_SETTINGS)
        self._load_ruleset()
        self.book = self._make_book()
        is_new_game = self._restore()
        self.info.install_id = self.store.install_id
        self.clock = GameClock(self.store.last_ms)
        self.clock.start(system.ticks_ms())
        self._begin_boot(is_new_game)
        self.state.safe_mode_reason = self.reason
        self.state.set_flag(FLAG_SAFE_MODE, bool(self.reason))
        self.book.show()
        self._keep_settings()
        self.is_loaded = True

    def _keep_settings(self) -> None:
        """Remember settings that have led to a game; then let their module leave the memory."""
        try:
            if not self.reason:
                self._settings_store.keep_as_good()
        except OSError:
            # The present settings work; only the spare copy could not be written.
            self.state.set_fault(FAULT_JOURNAL, True)
        del self._settings
        del self._settings_store
        if "redband_badge.settings" in sys.modules:
            del sys.modules["redband_badge.settings"]
            delattr(redband_badge, "settings")

    def _load_ruleset(self) -> None:
        try:
            data = read_bytes(self.root + self._settings.ruleset_path)
            if data is not None:
                self._ruleset = Ruleset.from_bytes(data)
                self.info.ruleset_identity = self._ruleset.identity
        except (OSError, RulesError):
            pass
        if self._ruleset is None:
            self._is_wrong(notes.REASON_RULESET)

    def _make_book(self):
        provisioned = self._provisioned()
        common = (self.store, self.state)
        if self._ruleset is not None:
            for params in (self._settings.params or None, None):
                try:
                    return Game(*common, self._ruleset, params, provisioned, self.info.boot_id)
                except RulesError:
                    self._is_wrong(notes.REASON_SETTINGS)
        return self._raw_game()

    def _raw_game(self) -> Book:
        from redband_badge.raw_game import RawGame  # seldom needed, so it costs no memory else

        return RawGame(self.store, self.state, self._provisioned(), self.info.boot_id)

    def _provisioned(self) -> int:
        """Return a number that changes when the badge gets another player or game."""
        settings = self._settings
        text = "%d %r " % (settings.badge_id, settings.params)
        return binascii.crc32(text.encode() + self.info.ruleset_identity)

    def _restore(self) -> bool:
        """Take the state from the journal; return whether a new game begins instead."""
        try:
            self.book.restore()
            known = self.book.found_provisioned
            is_other = self.book.has_foreign_state or known not in (-1, self._provisioned())
            if is_other and not self.reason:
                self._archive_journal()
                self.book.found_provisioned = -1
                self.book.restore()
                return True
            if self.book.has_foreign_state:
                # In doubt nothing is forgiven: count beside the state until someone looks.
                self._is_wrong(notes.REASON_RULESET)
                self.book = self._raw_game()
                self.book.restore()
        except OSError:
            self._lose_journal()
        return False

    def _archive_journal(self) -> None:
        from redband_badge.journal_archive import archive  # once in a badge's life

        self.store.close()
        archive(self.root + "/journal")

    def _lose_journal(self) -> None:
        self._is_wrong(notes.REASON_JOURNAL)
        self.book.go_on_without_flash()

    def _begin_boot(self, is_new_game: bool) -> None:
        boot_count = max(self._boot.boot_count, self.book.boot_count + 1)
        self._boot.boot_count = boot_count
        info = self.info
        try:
            self.book.begin_boot(boot_count, self._cause, info.badge_id, info.ruleset_identity)
            now_ms = self.store.last_ms
            if is_new_game:
                self.book.note(now_ms, notes.NEW_GAME, 0)
            if self.reason:
                self.book.note(now_ms, journal.NOTE_SAFE_MODE, self.reason)
            if self._settings.problem:
                self.book.note(now_ms, journal.NOTE_SETTINGS_REFUSED, self._settings.problem)
        except OSError:
            self._lose_journal()

    def make_supervisor(self, feed) -> Supervisor:
        """Return a supervisor with the tasks of input, game and LED. `feed()`: the watchdog."""
        is_safe_mode = self.reason != 0
        supervisor = Supervisor(
            feed, self._task_failed, self._task_silent, self._healthy, is_safe_mode
        )
        add_inputs(self, supervisor)
        queues = (self.queue, self.note_queue, self.game_wakeup)
        game = GameTask(self.book, self.clock, queues, self.state, is_safe_mode)
        supervisor.add(notes.TASK_GAME, game.run)
        signals = _RAW_SIGNALS
        if self._ruleset is not None and isinstance(self.book, Game):
            signals = self._ruleset.signals
        add_lights(self, supervisor, signals)
        return supervisor

    def _task_failed(self, number: int) -> None:
        self.note_queue.put((journal.NOTE_TASK_RESTARTED, number))
        if self.reason:
            self.state.set_fault(FAULT_TASK, True)

    def _task_silent(self, number: int) -> None:
        self.note_queue.put((notes.TASK_SILENT, number))

    def _healthy(self) -> None:
        self._boot.mark_healthy(self.reason != 0)
