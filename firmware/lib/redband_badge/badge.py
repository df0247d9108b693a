"""The badge that counts hits: what its tasks share, and what the supervisor tells it.

Guarantee: whatever is wrong with settings, ruleset or journal, load() ends with a badge that
counts, and `reason` says what is wrong. Both the app and safe mode run on this; it knows neither
radio nor battery, so that neither can keep it from starting. What a start does once is in
redband_badge.loading, which leaves the memory then.
"""

from redband_badge import files, limits
from redband_badge.bounded_queue import BoundedQueue
from redband_badge.game_journal import GameJournal
from redband_badge.journal_store import JournalStore
from redband_badge.on_demand import HEAP_KEEPER, LOADING, STATUS, TRIAL, Needed
from redband_badge.state import BadgeState
from redband_core import numbers
from redband_core.clock import GameClock
from redband_hal import system
from redband_hal.event_loop import Wakeup

_NO_IDENTITY = bytes(8)


class BadgeInfo:
    """Who this badge is, for adverts and sessions."""

    def __init__(self, boot_id: int) -> None:
        self.badge_id = 0
        self.role = 0
        self.boot_id = boot_id
        self.install_id = 0
        self.firmware_version = limits.FIRMWARE_VERSION
        self.ruleset_identity = _NO_IDENTITY


class Badge:
    """See the module's text. Use: load(), then add tasks to make_supervisor(), then run it.

    `options`: checked Settings. `reason`: why it runs in safe mode, 0 for normal. `ruleset`: None
    without one. `woke_by_button`: the press that woke the chip, which may be over, is to count.
    """

    def __init__(self, root: str, boot, cause: int, reason: int) -> None:
        """`root`: directory of the badge's files. `boot`: BootRecord after begin()."""
        self._loading = Needed(LOADING)
        loading = self._loading.take()
        self.root = root
        self.boot = boot
        self.mark_running = boot.mark_running  # called at each report of a task
        self.cause = cause
        self.reason = reason
        self.woke_by_button = system.was_woken_by_pin()
        self.ruleset = None
        self.info = BadgeInfo(system.random_u32())
        self.state = BadgeState()
        self.store = JournalStore(root + "/journal")
        self.game_wakeup = Wakeup()
        self.queue = BoundedQueue(limits.INPUT_QUEUE_SIZE, self.game_wakeup)
        self.note_queue = BoundedQueue(limits.NOTE_QUEUE_SIZE, self.game_wakeup)
        self.command_queue = BoundedQueue(limits.COMMAND_QUEUE_SIZE, self.game_wakeup)
        self.game_journal = GameJournal(self.store, self.state, 0, 0)
        self.clock = GameClock()
        self.is_loaded = False
        self.inputs = None
        self.lights = None
        self.observer = None  # with a radio: an Observer
        self.supervisor = None
        self._inputs_seen = None  # of heap_keeper
        self._heap_look_ms = limits.HEAP_FIRST_LOOK_MS
        self.options = loading.read_settings(self)
        self.has_radio = self.options.has_radio

    def load(self) -> None:
        """Read ruleset and journal, restore the state, write the boot record."""
        with Needed(LOADING) as loading:
            loading.load(self)
        self.is_loaded = True

    def make_supervisor(self, feed):
        """Return a supervisor with the tasks of input, game and LED. `feed()`: the watchdog."""
        with Needed(LOADING) as loading:
            self.supervisor = loading.make_supervisor(self, feed)
        self._loading.end()
        return self.supervisor

    # What the supervisor tells.

    def task_failed(self, number: int) -> None:
        """A task failed and is started again; 0: something outside of the tasks."""
        self.note_queue.put((numbers.NOTE_TASK_RESTARTED, number))
        if self.reason:
            self.state.set_fault(numbers.FAULT_TASK, True)

    def task_silent(self, number: int) -> None:
        """A task has not reported for SILENT_MS, and the watchdog is hungry."""
        self.boot.mark_silent(number)
        self.note_queue.put((numbers.NOTE_TASK_SILENT, number))

    def be_healthy(self) -> None:
        """All has been well for HEALTHY_AFTER_MS."""
        self.boot.mark_healthy(self.reason != 0)
        if files.exists(self.root + "/slot"):
            tasks = self.supervisor if self.has_radio else None
            modules = Needed(TRIAL)
            trial = modules.take()
            trial.decide(self.root, self.state, self.info, self.note_queue, tasks, modules)

    async def look(self) -> None:
        """Answer whoever asks over USB, while the game goes on; look after the heap."""
        if system.usb_asked():
            who = (self.boot, self.options, self.info)
            parts = (self.state, self.store, self.supervisor, self.queue, self.observer)
            with Needed(STATUS) as status:
                status.answer(self.root, who, *parts)
        uptime_ms = self.supervisor.uptime_ms  # pyright: ignore[reportOptionalMemberAccess]
        if uptime_ms < self._heap_look_ms:
            return
        self._heap_look_ms = uptime_ms + limits.HEAP_LOOK_MS
        if system.is_heap_short():
            queues = (self.queue, self.note_queue, self.command_queue)
            playing = (self.state, self.game_journal, queues, self.observer)
            with Needed(HEAP_KEEPER) as heap_keeper:
                self._inputs_seen = await heap_keeper.look(self.root, playing, self._inputs_seen)
