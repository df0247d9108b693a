"""Rulesets by identity, and the names in them: what turns a number of a badge into words.

Problem: badges of one field can carry different rulesets, and an old store holds events of
rulesets that this version does not ship. Guarantee: a ruleset is found by its identity alone; one
that is known only as bytes still folds, and its names are numbers. Not here: loading from TOML
(`redband.rules`).
"""

from __future__ import annotations

from collections.abc import Sequence

from redband.overview.rows import Text
from redband.rules import library, loader
from redband.rules.loader import CompiledRuleset
from redband.rules.model import EventInfo
from redband.store.store import Store
from redband_core.errors import RulesError
from redband_core.ruleset import Ruleset
from redband_core.ruleset_codes import VOID

DARK = (0, 0, 0)
"""Patterns of the three outputs when nothing is known: all off."""


class RuleNames:
    """Titles of one ruleset. `compiled` None: numbers stand for names."""

    def __init__(self, ruleset: Ruleset | None, compiled: CompiledRuleset | None) -> None:
        self._ruleset = ruleset
        self._compiled = compiled
        shown = ruleset.shown_counters if ruleset is not None else ()
        self._shown = shown[0] if shown else None

    def shown_value(self, counters: Sequence[int]) -> int | None:
        """Return the first shown counter out of all `counters`, None when there is none."""
        if self._shown is None or self._shown >= len(counters):
            return None
        return counters[self._shown]

    def shown_high(self, ranges: Sequence[tuple[int, int]]) -> int | None:
        """Return the greatest value of the first shown counter out of all (low, high)."""
        if self._shown is None or self._shown >= len(ranges):
            return None
        return ranges[self._shown][1]

    def patterns(self, signal: int | None) -> tuple[int, int, int]:
        """Return the (red, green, vibration) patterns of `signal`."""
        if self._ruleset is None or signal is None or signal >= len(self._ruleset.signals):
            return DARK
        red, green, vibration = self._ruleset.signals[signal]
        return red, green, vibration

    def signal(self, signal: int | None) -> Text:
        """Return the title of the state that `signal` shows."""
        if signal is None:
            return Text("not known yet", "пока неизвестно")
        if self._compiled is None or signal >= len(self._compiled.signals):
            return Text(f"signal {signal}", f"сигнал {signal}")
        return self._compiled.signals[signal].title

    def timer(self, signal: int | None) -> Text | None:
        """Return what the timer that belongs to `signal` counts, None when that is not known."""
        if self._compiled is None or signal is None or signal >= len(self._compiled.signals):
            return None
        return self._compiled.signals[signal].timer_title

    def event(self, event_id: int, args: Sequence[int]) -> Text:
        """Return the title of an event, with its arguments where it has any."""
        if self._compiled is None or event_id >= len(self._compiled.events):
            numbers = f" ({', '.join(map(str, args))})" if args else ""
            return Text(f"event {event_id}{numbers}", f"событие {event_id}{numbers}")
        event = self._compiled.events[event_id]
        return Text(_told(event, args, "en"), _told(event, args, "ru"))

    def note(self, number: int) -> str:
        """Return the name under which the rules noted something."""
        names = self._compiled.model.note_names if self._compiled is not None else ()
        return names[number] if number < len(names) else str(number)

    def refusal(self, reason: int) -> Text:
        """Return why an event was refused."""
        if self._compiled is None or reason >= len(self._compiled.refusals):
            return Text(f"reason {reason}", f"причина {reason}")
        return self._compiled.refusals[reason].title


def _told(event: EventInfo, args: Sequence[int], language: str) -> str:
    """Return an event as people say it: its title, and its arguments by their names."""
    words = []
    if event.id == VOID:
        args = [abs(value) for value in args]  # minus: refused ones among them
    for info, value in zip(event.args, args, strict=False):
        is_choice = 0 <= value < len(info.choices)
        words.append(info.choices[value][1].get(language) if is_choice else str(value))
    title = event.title.get(language)
    return f"{title} ({', '.join(words)})" if words else title


class Rulesets:
    """All rulesets at hand. `compiled`: those with names; the first one is the game's own.

    `shelf`: ids of others, compiled when a badge is met that runs none of the first.
    """

    def __init__(self, compiled: Sequence[CompiledRuleset], shelf: Sequence[str] = ()) -> None:
        self._rulesets: dict[bytes, Ruleset] = {}
        self._names: dict[bytes, RuleNames] = {}
        self._compiled: list[CompiledRuleset] = []
        self._store: Store | None = None
        self._shelf = tuple(shelf)
        for one in compiled:
            self._add(one)
        self._default = next(iter(self._names.values()), RuleNames(None, None))

    def _add(self, one: CompiledRuleset) -> None:
        self._compiled.append(one)
        self._rulesets[one.identity] = one.ruleset
        self._names[one.identity] = RuleNames(one.ruleset, one)
        if self._store is not None:
            self._store.keep_ruleset(one.identity, one.id, one.data)

    def _look_up(self, identity: bytes) -> None:
        if identity not in self._names:
            shelf, self._shelf = self._shelf, ()
            for name in shelf:
                self._add(loader.load(name))

    def ruleset(self, identity: bytes) -> Ruleset | None:
        """Return the ruleset of `identity` (8 bytes), None when it is not at hand."""
        self._look_up(identity)
        return self._rulesets.get(identity)

    def compiled(self, identity: bytes) -> CompiledRuleset | None:
        """Return the ruleset of `identity` with its names, None when only its bytes are known."""
        self._look_up(identity)
        return next((one for one in self._compiled if one.identity == identity), None)

    def names(self, identity: bytes | None) -> RuleNames:
        """Return the names to use for a badge; before its journal is known, the game's own."""
        if identity is None:
            return self._default
        self._look_up(identity)
        return self._names.get(identity) or RuleNames(self._rulesets.get(identity), None)

    def exchange(self, store: Store) -> None:
        """Keep our rulesets in `store`, and learn those that it holds."""
        self._store = store
        for one in self._compiled:
            store.keep_ruleset(one.identity, one.id, one.data)
        for identity, (_name, data) in store.rulesets().items():
            if identity in self._rulesets:
                continue
            try:
                self._rulesets[identity] = Ruleset.from_bytes(data)
            except RulesError:
                continue  # of an engine that this version no longer is; its badges say so


def open_rulesets(store: Store, first: str = "hits") -> Rulesets:
    """Return what ships, `first` being the game's own, and of the store's rulesets."""
    shelf = [name for name in (*library.shipped(), *library.presets()) if name != first]
    rulesets = Rulesets([loader.load(first)], shelf)
    rulesets.exchange(store)
    return rulesets
