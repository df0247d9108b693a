"""From a badge's journal to its state: the same fold that the badge itself runs.

Problem: the host must show what a badge is, from records that arrived in pieces, without making
up anything. Guarantee: pure. The state is a function of the records in the order (install, seq),
folded with the engine that runs on the badge; folding in one go, in pieces, or again gives equal
bytes (PITFALLS G5). Every SNAPSHOT record is compared with the fold, and where they differ the
badge is right, the host counts the difference and goes on from the badge's state.
Not here: adverts (`redband.gateway.merge`), wall time, side effects of any kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from redband import number_texts
from redband.store.records import Record
from redband.store.restarts import Restarts
from redband.wire import journal as wire_journal
from redband_core import journal, numbers
from redband_core.engine import Engine
from redband_core.errors import RedbandError
from redband_core.ruleset import Ruleset

RulesetLookup = Callable[[bytes], Ruleset | None]
"""Gives the compiled ruleset of an identity (8 bytes), or None when the host has it not."""


@dataclass(frozen=True, slots=True)
class LastEvent:
    """The newest applied event: its id in the ruleset, its arguments, when (game ms)."""

    event_id: int
    args: tuple[int, ...]
    game_ms: int


@dataclass(frozen=True, slots=True)
class BadgeState:
    """What the journal says about one badge. Counts run over the whole latest install.

    identity: ruleset, None before the first boot record. signal: index, None without a known
    ruleset. counters with their (low, high), tracks: by index. timer_left_ms: of the shown timer
    at `game_ms`, -1 none. last_seq: newest record folded, -1 none. lost_records: that the host
    can never get. verified, mismatched: SNAPSHOT records that agreed and that did not. is_paused:
    the game is, on the badge. broadcast_number: of the newest broadcast that it obeyed. snapshot:
    the engine's state.
    """

    badge_id: int
    install_order: int = 0
    boot_id: int = 0
    boots: int = 0
    restarts: Restarts = Restarts()
    identity: bytes | None = None
    signal: int | None = None
    counters: tuple[int, ...] = ()
    counter_ranges: tuple[tuple[int, int], ...] = ()
    tracks: tuple[int, ...] = ()
    timer_left_ms: int = -1
    game_ms: int = 0
    last_seq: int = -1
    events: int = 0
    refused: int = 0
    lost_records: int = 0
    verified: int = 0
    mismatched: int = 0
    is_paused: bool = False
    broadcast_number: int = 0
    last_event: LastEvent | None = None
    problem: str | None = None
    snapshot: bytes = b""


_SNAPSHOT_IDENTITY = slice(1, 9)
"""Where a snapshot names its ruleset (layout: core/snapshot.py)."""


class Projector:
    """Folds one badge's records, one after the other, in the order the store gives them.

    `lookup` finds rulesets. Records of another badge or out of order are a bug of the caller and
    raise ValueError.
    """

    def __init__(self, badge_id: int, lookup: RulesetLookup) -> None:
        self.badge_id = badge_id
        self._lookup = lookup
        self._install_order = 0
        self._begin_install()

    def _begin_install(self) -> None:
        self._engine: Engine | None = None
        self._ruleset: Ruleset | None = None
        self._identity: bytes | None = None
        self._is_based = self._is_paused = False
        self._broadcast_number = self._broadcast_pending = 0
        self._boot_id = self._boots = 0
        self._restarts = Restarts()
        self._game_ms = 0
        self._last_seq = -1
        self._events = self._refused = self._lost_records = 0
        self._verified = self._mismatched = 0
        self._last_event: LastEvent | None = None
        self._problem: str | None = None

    @property
    def position(self) -> tuple[int, int]:
        """Return (install_order, seq) of the newest record folded, for `Store.records(after=)`."""
        return self._install_order, self._last_seq

    @property
    def game_ms(self) -> int:
        """Return the game time of the newest record folded, in ms."""
        return self._game_ms

    @property
    def broadcast_number(self) -> int:
        """Return the number of the newest broadcast that the badge obeyed, 0 for none."""
        return self._broadcast_number

    @property
    def identity(self) -> bytes | None:
        """Return the identity of the badge's ruleset, None before its first boot record."""
        return self._identity

    def apply(self, record: Record) -> bool:
        """Fold `record` in; return True for a start for want of power while a timer ran.

        A payload that is not what its kind says becomes the `problem`.
        """
        if record.badge_id != self.badge_id:
            raise ValueError(f"record of badge {record.badge_id} given to {self.badge_id}")
        if record.install_order != self._install_order:
            self._install_order = record.install_order
            self._begin_install()
        if record.seq < self._last_seq:
            raise ValueError(f"record {record.seq} after {self._last_seq}")
        if record.seq == self._last_seq:
            self._problem = f"record {record.seq} exists twice: was an old image written back?"
            return False
        if missing := record.seq - self._last_seq - 1:
            # What is missing may have changed anything: wait for the badge's next snapshot.
            self._lost_records += missing
            self._is_based = False
        self._last_seq = record.seq
        self._game_ms = max(self._game_ms, record.game_ms)
        in_timer = self._restarts.in_timer
        handler = _HANDLERS.get(record.kind)
        try:
            if record.kind in _DECISIONS and record.payload:
                self._broadcast_followed()
            if handler is not None:
                handler(self, record)
        except RedbandError as error:
            # The record stays in the store as it is; one odd record must not hide a badge.
            self._problem = f"record {record.seq} cannot be read: {number_texts.error_text(error)}"
            self._is_based = False
        return self._restarts.in_timer > in_timer

    def _boot(self, record: Record) -> None:
        self._boot_id, _count, cause, _badge, identity = journal.parse_boot(record.payload)
        if self._boots or self._lost_records:
            runs_timer = self._engine is not None and self._engine.next_deadline_ms() >= 0
            is_in_timer = runs_timer and cause == numbers.CAUSE_POWER_ON and not self._is_paused
            self._restarts = self._restarts.with_one(cause, is_in_timer)
        self._boots += 1
        self._use_ruleset(bytes(identity))
        self._checkpoint(record)

    def _use_ruleset(self, identity: bytes) -> None:
        """Go on under the ruleset of `identity`; a change of ruleset is a new character."""
        if identity == self._identity and self._engine is not None:
            return
        self._identity = identity
        self._ruleset = self._lookup(identity)
        self._engine = None
        # With the default params until a snapshot says which this player has.
        self._is_based = False
        if self._ruleset is None:
            self._problem = f"the ruleset {identity.hex()} of this badge is not known here"
            return
        self._problem = None
        self._engine = Engine(self._ruleset)

    def _event(self, record: Record) -> None:
        event_id, args = journal.parse_event(record.payload)
        self._events += 1
        self._last_event = LastEvent(event_id, tuple(args), record.game_ms)
        self._step(record, event_id, args, 0)

    def _refusal(self, record: Record) -> None:
        reason, event_id, args = wire_journal.parse_refused(record.payload)
        self._refused += 1
        if reason == numbers.REFUSED_PAUSED:
            self._checkpoint(record)  # the engine was not asked
        else:
            self._step(record, event_id, args, reason)

    def _step(self, record: Record, event_id: int, args: Iterable[int], badge_answer: int) -> None:
        if self._engine is None:
            return
        answer = self._engine.step(record.game_ms, event_id, tuple(args))
        if answer != badge_answer and self._is_based:
            self._mismatched += 1
            self._problem = (
                f"record {record.seq}: the badge answered event {event_id} with {badge_answer},"
                f" the host with {answer}"
            )

    def _snapshot(self, record: Record) -> None:
        if not self._is_based:
            self._is_paused = False  # after a gap; the segment says it again if it is so
        if not record.payload:
            return  # of a badge in safe mode, which has no state to give
        self._use_ruleset(record.payload[_SNAPSHOT_IDENTITY])
        if self._engine is None or self._ruleset is None:
            return
        theirs = Engine(self._ruleset)
        theirs.restore(record.payload)
        # The snapshot's own time counts: a badge lets time pass without writing it down.
        self._engine.advance(theirs.now_ms)
        if self._is_based and self._engine.snapshot() == record.payload:
            self._verified += 1
            return
        if self._is_based:
            self._mismatched += 1
            self._problem = f"record {record.seq}: the badge's state differs from its journal"
        self._engine = theirs
        self._is_based = True

    def _checkpoint(self, record: Record) -> None:
        if self._engine is not None:
            self._engine.advance(record.game_ms)

    def _note(self, record: Record) -> None:
        code, value = journal.parse_note(record.payload)
        if code == numbers.NOTE_BROADCAST and value & 1:
            self._broadcast_pending = value >> 1
        elif code == numbers.NOTE_BROADCAST:
            self._broadcast_number = value >> 1
        elif code in (numbers.NOTE_GAME_ENDED, numbers.NOTE_GAME_BEGUN):
            self._broadcast_followed()
        if code == numbers.NOTE_NEW_GAME and self._ruleset is not None:
            self._engine = Engine(self._ruleset)
            self._is_based = False
        else:
            self._checkpoint(record)

    def _broadcast_followed(self) -> None:
        """Count a broadcast: the record that it made is there."""
        if self._broadcast_pending:
            self._broadcast_number, self._broadcast_pending = self._broadcast_pending, 0

    def _pause(self, record: Record) -> None:
        self._checkpoint(record)
        self._is_paused = record.kind == journal.PAUSE

    def state(self, game_ms: int | None = None) -> BadgeState:
        """Return the state at `game_ms` (default: at the newest record), leaving the fold as is.

        Later than the newest record means: as it is if nothing happened but timers, and these
        stand in a pause.
        """
        engine = self._engine
        at_ms = self._game_ms
        if game_ms is not None and not self._is_paused:
            at_ms = max(game_ms, at_ms)
        if engine is not None and at_ms > engine.now_ms and self._ruleset is not None:
            snapshot = engine.snapshot()
            engine = Engine(self._ruleset)
            engine.restore(snapshot)
            engine.advance(at_ms)
        state = self._journal_state(at_ms)
        if engine is None or self._ruleset is None:
            return state
        return replace(
            state,
            signal=engine.signal(),
            counters=tuple(map(engine.counter, range(self._ruleset.counter_count))),
            counter_ranges=tuple(map(engine.counter_range, range(self._ruleset.counter_count))),
            tracks=tuple(map(engine.track_state, range(len(self._ruleset.state_counts)))),
            timer_left_ms=engine.shown_timer_left_ms(),
            snapshot=bytes(engine.snapshot()),
        )

    def _journal_state(self, at_ms: int) -> BadgeState:
        """Return what the journal says without knowing the rules."""
        return BadgeState(
            badge_id=self.badge_id,
            install_order=self._install_order,
            boot_id=self._boot_id,
            boots=self._boots,
            restarts=self._restarts,
            identity=self._identity,
            game_ms=at_ms,
            last_seq=self._last_seq,
            events=self._events,
            refused=self._refused,
            lost_records=self._lost_records,
            verified=self._verified,
            mismatched=self._mismatched,
            is_paused=self._is_paused,
            broadcast_number=self._broadcast_number,
            last_event=self._last_event,
            problem=self._problem,
        )


_DECISIONS = (journal.EVENT, journal.REFUSED, journal.PAUSE, journal.RESUME)

_HANDLERS: dict[int, Callable[[Projector, Record], None]] = {
    journal.BOOT: Projector._boot,
    journal.EVENT: Projector._event,
    journal.REFUSED: Projector._refusal,
    journal.SNAPSHOT: Projector._snapshot,
    journal.CHECKPOINT: Projector._checkpoint,
    journal.NOTE: Projector._note,
    journal.PAUSE: Projector._pause,
    journal.RESUME: Projector._pause,
    journal.TAP: Projector._checkpoint,  # what came of it is a record of its own
}


def fold(badge_id: int, records: Iterable[Record], lookup: RulesetLookup) -> BadgeState:
    """Return the state of `badge_id` after all its `records`, in the store's order."""
    projector = Projector(badge_id, lookup)
    for record in records:
        projector.apply(record)
    return projector.state()
