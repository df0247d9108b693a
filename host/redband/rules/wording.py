"""Formulas, times, lights and gestures in words, in English and Russian.

Problem: a ruleset file speaks in names and formulas, a player reads titles and minutes.
Guarantee: only titles of the ruleset itself stand for its things; nothing here knows a ruleset.
Formulas are read from their compiled form, so what is shown is what a badge runs.
"""

from __future__ import annotations

from redband.rules import gesture_kinds
from redband.rules.formula import Code, Constant
from redband.rules.loader import CompiledRuleset
from redband.rules.model import ArgInfo, Condition, EventInfo, GestureInfo, Rule, Text
from redband.rules.start import Start
from redband_core import expression as core
from redband_core import led, tap
from redband_core.ruleset import VOID

UNITS = ((3_600_000, Text("h", "ч")), (60_000, Text("min", "мин")), (1000, Text("s", "с")))
MILLISECONDS = Text("ms", "мс")
PATTERN_TITLES = (
    Text("off", "нет"),
    Text("steady", "постоянно"),
    Text("slow blinking", "медленное мигание"),
    Text("fast blinking", "быстрое мигание"),
    Text("double flash", "двойная вспышка"),
    Text("short flash", "короткая вспышка"),
    Text("short and long", "короткая и длинная"),
    Text("triple flash", "тройная вспышка"),
)
"""What people call the patterns; the index is the code of `redband_core.led`."""
CHANNELS = (Text("red", "красный"), Text("green", "зелёный"), Text("vibration", "вибрация"))
BOOLEAN = (Text("no", "нет"), Text("yes", "да"))

# How tightly an operator binds, and how it is written.
_BINARY: dict[int, tuple[int, Text]] = {
    core.OR: (1, Text(" or ", " или ")),
    core.AND: (2, Text(" and ", " и ")),
    core.EQ: (4, Text(" = ", " = ")),
    core.NE: (4, Text(" ≠ ", " ≠ ")),
    core.LT: (4, Text(" < ", " < ")),
    core.LE: (4, Text(" ≤ ", " ≤ ")),
    core.GT: (4, Text(" > ", " > ")),
    core.GE: (4, Text(" ≥ ", " ≥ ")),
    core.ADD: (5, Text(" + ", " + ")),
    core.SUB: (5, Text(" − ", " − ")),
    core.MUL: (6, Text(" × ", " × ")),
    core.DIV: (6, Text(" ÷ ", " ÷ ")),
    core.MOD: (6, Text(" mod ", " mod ")),
}
_FUNCTIONS = {
    core.MIN: Text("the lower of", "меньшее из"),
    core.MAX: Text("the higher of", "большее из"),
}
_NOT, _ATOM = 3, 9


class Wording:
    """Words for the things of one ruleset in one language ("en" or "ru")."""

    def __init__(self, ruleset: CompiledRuleset, language: str) -> None:
        self.ruleset = ruleset
        self.language = language

    def pick(self, en: str, ru: str) -> str:
        """Return the one of two texts that is in the language."""
        return ru if self.language == "ru" else en

    def get(self, text: Text) -> str:
        """Return the text in the language."""
        return text.get(self.language)

    def duration(self, time_ms: int) -> str:
        """Return ms as people write times: "15 min", "7 min 30 s", "500 ms"."""
        parts = []
        if not time_ms:
            return f"0 {self.get(UNITS[-1][1])}"
        for unit_ms, unit in UNITS:
            count, time_ms = divmod(time_ms, unit_ms)
            if count:
                parts.append(f"{count} {self.get(unit)}")
        if time_ms:
            parts.append(f"{time_ms} {self.get(MILLISECONDS)}")
        return " ".join(parts)

    def param(self, number: int, value: int) -> str:
        """Return the value of a param as people write it."""
        param = self.ruleset.params[number]
        if param.is_time:
            return self.duration(value)
        if (param.low, param.high) == (0, 1):
            return self.get(BOOLEAN[value])
        return str(value).replace("-", "−")

    def state_time(self, start: Start, track: int, state: int, until: str = "") -> str:
        """Return how long the state lasts and what else sets its time; "" for no timer.

        until: what the time leads to, such as "until death".
        """
        times = []
        setters = []
        time_ms = start.fixed_time_ms(track, state)
        if time_ms is None:
            timer = self.ruleset.tracks[track].states[state].timer or ()
            times.append(self.formula(timer, ()))
        elif time_ms:
            times.append(self.duration(time_ms))
        for rule, code in start.time_rules(track, state):
            if code[-1] == core.LEFT and len(code) == 2:
                times.append(self.pick("the remaining time", "оставшееся время"))
            elif start.is_fixed(code):
                times.append(self.duration(max(0, start.value(code))))
            else:
                setters += self._triggers(rule)
        lasts = self.pick(" or ", " или ").join(dict.fromkeys(times))
        found = [f"{lasts} {until}".strip()] if times else []
        if setters:
            names = [self.pick(f"“{name}”", f"«{name}»") for name in dict.fromkeys(setters)]
            many = len(names) > 1
            by = self.pick("set by the event", f"зада{'ют события' if many else 'ёт событие'}")
            by += self.pick("s " if many else " ", " ") + ", ".join(names)
            found.append(self.pick("another time is ", "другое время ") * bool(times) + by)
        return "; ".join(found)

    def _triggers(self, rule: Rule) -> list[str]:
        """Return the names of what makes the rule happen."""
        if rule.after is not None:
            return [self.get(self.ruleset.tracks[rule.after[0]].states[rule.after[1]].title)]
        return [self.get(self.ruleset.event(number).title) for number in rule.events]

    def condition(self, condition: Condition, events: tuple[int, ...], track: int) -> str:
        """Return what must hold besides the state of `track`, or ""."""
        parts = []
        for number, allowed in condition.where:
            if number != track:
                place = self.ruleset.tracks[number]
                states = [self.get(place.states[s].title) for s in allowed]
                joint = self.pick(" or ", " или ")
                parts.append(f"{self.get(place.title)}: {joint.join(states)}")
        if condition.guard is not None:
            parts.append(self.formula(condition.guard, events))
        return "; ".join(parts)

    def gesture(self, gesture: GestureInfo) -> str:
        """Return what the player does with the button."""
        return self.pick(*gesture_kinds.told(gesture.code))

    def call(self, gesture: GestureInfo) -> tuple[str, str]:
        """Return the event that a gesture sends, and its arguments or ""."""
        event = self.ruleset.event(gesture.event)
        infos = list(event.args)
        if event.id == VOID:  # its second argument is the source that other events declare
            sources = [
                e.args[e.source_arg] for e in self.ruleset.events if e.source_arg is not None
            ]
            infos += sources[:1]
        values = [
            self._argument(info, value) for info, value in zip(infos, gesture.args, strict=False)
        ]
        return self.get(event.title), "; ".join(values)

    def _argument(self, info: ArgInfo, value: int) -> str:
        title = self.get(info.title)
        if value == tap.SKILL and not info.choices and info.low >= 0:
            return f"{title}: {self.pick('as the badge says', 'как записано в бейдже')}"
        return f"{title}: {self.get(info.choices[value][1]) if info.choices else value}"

    def formula(self, code: Code, events: tuple[int, ...]) -> str:
        """Return a compiled formula in words. events: those whose arguments it may read."""
        event = self.ruleset.event(events[0]) if events else None
        stack: list[_Term] = []
        for item in code:  # not in one go: a term takes others from the stack
            stack.append(self._term(item, stack, event))
        return stack[-1].text

    def _term(self, item: int | Constant, stack: list[_Term], event: EventInfo | None) -> _Term:
        if isinstance(item, Constant):
            return _Term(str(item.value).replace("-", "−"), _ATOM, number=item.value)
        if item < core.FIRST_OPERATOR:
            return self._slot(item, event)
        last = stack.pop()
        if item == core.NOT:
            return _Term(self.pick("not ", "не ") + self._quoted(last, _ATOM), _NOT)
        if item == core.NEG:
            return _Term("−" + last.inside(_ATOM), _ATOM)
        if item == core.ABS:
            return _Term(f"|{last.text}|", _ATOM)
        if item == core.LEFT:
            title = self.get(self.ruleset.tracks[last.number or 0].title)
            return _Term(self.pick("time left: ", "осталось: ") + title, _ATOM, is_time=True)
        if item == core.SELECT:
            value, condition = stack.pop(), stack.pop()
            middle = self.pick(", if ", ", если ") + condition.text
            text = value.text + middle + self.pick(", else ", ", иначе ") + last.text
            return _Term(text, 0, is_time=value.is_time)
        return self._binary(item, stack.pop(), last)

    def _binary(self, operator: int, left: _Term, right: _Term) -> _Term:
        if operator == core.EQ and left.choices and right.number is not None:
            # track.state or argument.choice
            return _Term(f"{left.text}: {left.choices[right.number]}", _ATOM, is_name=True)
        is_time = left.is_time or right.is_time
        if is_time != (operator == core.MUL):  # time + 60000, but 2 × time and count × 60000
            left, right = self._as_time(left), self._as_time(right)
            is_time = left.is_time or right.is_time
        if operator in _FUNCTIONS:
            text = f"{self.get(_FUNCTIONS[operator])} ({left.text}; {right.text})"
            return _Term(text, _ATOM, is_time=is_time)
        binding, sign = _BINARY[operator]
        if operator in (core.AND, core.OR):
            text = self._quoted(left, binding) + self.get(sign) + self._quoted(right, binding)
        else:
            text = left.inside(binding) + self.get(sign) + right.inside(binding + 1)
        return _Term(text, binding, is_time=is_time)

    def _quoted(self, term: _Term, binding: int) -> str:
        """Return the text for use beside "and", "or", "not": several words in quotes."""
        if term.is_name and " " in term.text:
            return self.pick(f"“{term.text}”", f"«{term.text}»")
        return term.inside(binding)

    def _as_time(self, term: _Term) -> _Term:
        if term.number is None or term.number % 1000:
            return term
        return _Term(self.duration(term.number), _ATOM, is_time=True)

    def _slot(self, slot: int, event: EventInfo | None) -> _Term:
        ruleset = self.ruleset
        if slot < len(ruleset.tracks):
            track = ruleset.tracks[slot]
            names = tuple(self.get(state.title) for state in track.states)
            return _Term(self.get(track.title), _ATOM, choices=names)
        slot -= len(ruleset.tracks)
        named = [*ruleset.counters, *ruleset.params]
        if slot < len(named):
            is_time = named[slot].name.endswith("_ms")
            return _Term(self.get(named[slot].title), _ATOM, is_time=is_time, is_name=True)
        arg = event.args[slot - len(named)] if event else None
        if arg is None:
            return _Term("?", _ATOM)
        return _Term(
            self.get(arg.title), _ATOM, choices=tuple(self.get(t) for _name, t in arg.choices)
        )


class _Term:
    """A part of a formula in words, and how tightly it binds."""

    def __init__(
        self,
        text: str,
        binding: int,
        *,
        number: int | None = None,
        choices: tuple[str, ...] = (),
        is_time: bool = False,
        is_name: bool = False,
    ) -> None:
        self.text = text
        self.binding = binding
        self.number = number
        self.choices = choices
        self.is_time = is_time
        self.is_name = is_name

    def inside(self, binding: int) -> str:
        """Return the text for use beside an operator that binds so tightly."""
        return self.text if self.binding >= binding else f"({self.text})"


def lit_stretches(pattern: int, window_ms: int) -> list[tuple[int, int]]:
    """Return when a pattern is lit in the first `window_ms`: pairs of begin and end in ms."""
    found: list[tuple[int, int]] = []
    at_ms = 0
    while at_ms < window_ms:
        step_ms = led.next_change_ms(pattern, at_ms)
        end_ms = window_ms if step_ms < 0 else min(window_ms, at_ms + step_ms)
        if led.level(pattern, at_ms):
            found.append((at_ms, end_ms))
        at_ms = end_ms
    return found
