"""Treatments by badge, as patients' and medics' journals have them, and where the two differ.

Problem: a medic's badge and a patient's each write down a treatment, and either can lose its half
to an empty battery, to distance, or to a player who wants it so. Guarantee: pure; every treatment
that only one journal knows is found, and it is said whether the other badge has been synced since:
if not, its half may still come. What decides is the patient's journal (docs/medic-tap.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from redband.overview.answers import told
from redband.overview.names import RuleNames
from redband.rules.model import Text
from redband.store.records import Record
from redband.wire import journal as wire_journal
from redband_core import journal, numbers, tap
from redband_core.errors import ProtocolError

Who = tuple[int, int, int]
"""Patient, medic, nonce of the call: one treatment."""

_NOT_IN_THE_PATIENTS_JOURNAL = (
    numbers.ANSWER_ALREADY,
    numbers.ANSWER_OTHER_RULES,
    numbers.ANSWER_ROLE,
    numbers.ANSWER_UNKNOWN,
)
"""Answers that the patient's badge gave without asking its rules."""

_DECISIONS = (journal.EVENT, journal.REFUSED)


@dataclass(frozen=True, slots=True)
class Side:
    """What one journal says. outcome: see `tap`; None: it was cut off, or its end is not here yet.

    wall_ms: when, ms since 1970, as far as known. identity: of the ruleset that names the event.
    """

    event: tuple[int, tuple[int, ...]]
    outcome: int | None
    wall_ms: int | None
    identity: bytes | None


class Finding(Enum):
    """What is to be said of a treatment."""

    AGREED = "agreed"
    ONLY_PATIENT = "only patient"
    ONLY_MEDIC = "only medic"
    UNHEARD = "unheard"
    """The patient's badge has decided, the medic's did not hear what."""
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Treatment:
    """One treatment. is_synced_since: the badge whose journal lacks it was met after it."""

    who: Who
    patient: Side | None
    medic: Side | None
    finding: Finding
    is_synced_since: bool

    @property
    def is_odd(self) -> bool:
        """Return whether no sync that is still to come can explain it."""
        if self.finding is Finding.DIFFERENT:
            return True
        is_lacking = self.finding in (Finding.ONLY_PATIENT, Finding.ONLY_MEDIC)
        # An offer without an answer that the patient's journal lacks was heard by nobody.
        is_unheard = self.medic is not None and self.medic.outcome == numbers.ANSWER_ASKED
        return is_lacking and self.is_synced_since and not is_unheard


class Treatments:
    """Both sides of all treatments. Give it each badge's records in the store's order."""

    def __init__(self) -> None:
        self._patients: dict[Who, Side] = {}
        self._medics: dict[Who, Side] = {}
        self._open: dict[int, Who] = {}  # by badge: whose decision is the next record to say

    def add(self, record: Record, wall_ms: int | None, identity: bytes | None) -> None:
        """Take a record; those that are no TAP, and tell nothing of one, are ignored."""
        if record.kind == journal.BOOT:
            self._open.pop(record.badge_id, None)
        elif record.kind in _DECISIONS and record.badge_id in self._open:
            self._decided(record)
        elif record.kind == journal.TAP:
            try:
                found = tap.parse(record.payload)
            except ProtocolError:
                return  # of a later version
            self._tapped(record, found, wall_ms, identity)

    def _tapped(
        self, record: Record, found: tuple, wall_ms: int | None, identity: bytes | None
    ) -> None:
        (side, _role), other, nonce, outcome, event = found
        self._open.pop(record.badge_id, None)
        if outcome == numbers.ANSWER_SELF:
            return
        if side == tap.MEDIC:
            self._medics[other, record.badge_id, nonce] = Side(event, outcome, wall_ms, identity)
            return
        who = (record.badge_id, other, nonce)
        self._patients[who] = Side(event, None, wall_ms, identity)
        self._open[record.badge_id] = who

    def _decided(self, record: Record) -> None:
        who = self._open.pop(record.badge_id)
        side = self._patients[who]
        try:
            if record.kind == journal.EVENT:
                outcome, event = 0, journal.parse_event(record.payload)
            else:
                reason, *event = wire_journal.parse_refused(record.payload)
                outcome = reason or -1  # 0 as a reason: the game was paused
        except ProtocolError:
            return
        if tuple(event) == side.event:
            self._patients[who] = Side(side.event, outcome, side.wall_ms, side.identity)

    def treatments(self, met_ms: Mapping[int, int]) -> list[Treatment]:
        """Return all, oldest first. met_ms: by badge, when it was last synced, ms since 1970."""
        found = []
        for who in self._patients.keys() | self._medics.keys():
            patient, medic = self._patients.get(who), self._medics.get(who)
            finding = _compare(patient, medic)
            lacking = who[0] if patient is None else who[1]
            known = patient or medic
            wall_ms = known.wall_ms if known is not None else None
            is_since = wall_ms is not None and met_ms.get(lacking, 0) > wall_ms
            found.append(Treatment(who, patient, medic, finding, is_since))
        return sorted(found, key=_order)


def _order(one: Treatment) -> tuple[int, Who]:
    known = one.patient or one.medic
    return (known.wall_ms or 0 if known is not None else 0, one.who)


def _compare(patient: Side | None, medic: Side | None) -> Finding:
    if medic is None:
        return Finding.ONLY_PATIENT
    if patient is None:
        is_none = medic.outcome in _NOT_IN_THE_PATIENTS_JOURNAL
        return Finding.AGREED if is_none else Finding.ONLY_MEDIC
    if patient.event != medic.event:
        return Finding.DIFFERENT
    if medic.outcome == numbers.ANSWER_ASKED:
        return Finding.UNHEARD
    if patient.outcome is None:
        return Finding.DIFFERENT if medic.outcome == numbers.ANSWER_DONE else Finding.AGREED
    return Finding.AGREED if patient.outcome == medic.outcome else Finding.DIFFERENT


def outcome_text(outcome: int | None, names: RuleNames) -> Text:
    """Return what came of a treatment, in words. names: of the ruleset."""
    return told(numbers.ANSWER_FOLLOWS if outcome is None else outcome, names)


def describe_tap(payload: bytes, names: RuleNames) -> Text:
    """Return what a TAP record tells people. Raises ProtocolError."""
    (side, _role), other, _nonce, outcome, (event_id, args) = tap.parse(payload)
    event = names.event(event_id, args)
    if outcome == numbers.ANSWER_SELF:
        why = told(outcome, names)
        return Text(f"{event.en}: refused, {why.en}", f"{event.ru}: отказ, {why.ru}")
    if side == tap.PATIENT:
        return Text(f"by the medic of badge {other}:", f"медик, повязка {other}:")
    if outcome == numbers.ANSWER_ASKED:
        return Text(f"offers to badge {other}: {event.en}", f"для повязки {other}: {event.ru}")
    result = outcome_text(outcome, names)
    return Text(
        f"badge {other}, {event.en}: {result.en}", f"повязка {other}, {event.ru}: {result.ru}"
    )


def met(meetings: Mapping[int, Iterable]) -> int:
    """Return when a badge was last met, ms since 1970, 0 for never. `meetings`: of the store."""
    return max((one.at_ms for some in meetings.values() for one in some), default=0)
