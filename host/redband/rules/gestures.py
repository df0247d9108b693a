"""The gestures of a ruleset file: what button and sensor send, and what medics' badges offer.

Guarantee: each gesture has one meaning on each badge; what a medic's badge is to offer fits into
an offer (docs/protocol.md); a mistake is a RulesFileError at its line.
"""

from __future__ import annotations

import ast

from redband.rules.declarations import Declarations
from redband.rules.formula import nearest
from redband.rules.gesture_kinds import GESTURES
from redband.rules.model import EventInfo, GestureInfo, void_source
from redband.rules.section import Section
from redband_core import gestures as core_gestures
from redband_core import tap

OTHER_GESTURE = "bind another gesture"
OFFER_MAX = 255
"""What an offer says of an event is u8: its number and each argument."""
OFFER_ARGS_MAX = 2
SKILL_MAX = 9


def read_gestures(root: Section, names: Declarations) -> tuple[GestureInfo, ...]:
    """Return the gestures: which event each sends, with which arguments."""
    part = root.section("gesture")
    found = []
    for name in part.pairs():
        if name not in GESTURES:
            part.fail(name, f'unknown gesture "{name}"', nearest(name, GESTURES))
        code = GESTURES[name]
        is_tap = code >= core_gestures.MEDIC  # picked by as many presses and a hold
        picked = core_gestures.TAPS_HOLD + (code & 0x0F) if is_tap else code
        if picked == core_gestures.EMERGENCY:
            what = "is kept for real emergencies"
            if is_tap:
                what = "would be picked by five presses and a hold, which are a real emergency"
            part.fail(name, f'"{name}" {what}', "take another number" if is_tap else OTHER_GESTURE)
        event, args = _call(part, name, names)
        found.append(GestureInfo(name, code, event.id, args))
    _check_taps(part, found, names)
    return tuple(found)


def _check_taps(part: Section, found: list[GestureInfo], names: Declarations) -> None:
    """Check what a medic's badge can offer: it fits an offer, and is picked by one gesture."""
    bound = {gesture.code: gesture for gesture in found}
    for gesture in found:
        number = gesture.code & 0x0F
        if gesture.code >= core_gestures.GIVEN:
            if core_gestures.MEDIC + number not in bound:
                what = f'"{gesture.name}" is what "medic_{number}" costs, and there is none'
                part.fail(gesture.name, what, f"bind medic_{number}, or remove it")
            continue
        if gesture.code < core_gestures.MEDIC:
            continue
        if gesture.event > OFFER_MAX or len(gesture.args) > OFFER_ARGS_MAX:
            what = f'"{names.events[gesture.event].name}" does not fit into a medic\'s offer'
            hint = f"it has {OFFER_ARGS_MAX} arguments at most, and stands among the first events"
            part.fail(gesture.name, what, hint)
        if any(arg > OFFER_MAX or arg < tap.SKILL for arg in gesture.args):
            what = f"an argument of {gesture.name} does not fit into a medic's offer"
            part.fail(gesture.name, what, f"take 0 to {OFFER_MAX}, or skill")
        own = bound.get(core_gestures.TAPS_HOLD + number)
        if number == 1 and own is None:
            own = bound.get(core_gestures.HOLD)  # which one press and a hold stand for then
        action = (gesture.event, gesture.args)
        if own is not None and not tap.is_medics((own.event, own.args), [action]):
            what = f'"{gesture.name}" and "{own.name}" are the same presses on a medic\'s badge'
            part.fail(gesture.name, what, "take another number, or bind both to the same event")


def _call(part: Section, key: str, names: Declarations) -> tuple[EventInfo, tuple[int, ...]]:
    """Parse `hit(1, button)`; an argument is a number or the name of a choice.

    In a medic's action `skill` is the medic's own, whatever it is.
    """
    text = part.text(key)
    known = {event.name: event for event in names.events}
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        node = ast.Constant(None)
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    if not isinstance(call.func, ast.Name):
        part.fail(key, f'"{text}" is not an event', 'write for example "hit(1, button)"')
    event = known.get(call.func.id)
    if event is None:
        part.fail(key, f'unknown event "{call.func.id}"', nearest(call.func.id, known))
    infos = list(event.args)
    if event.id == 0 and len(call.args) == 2:
        infos.extend(void_source(names.events))
    if len(infos) != len(call.args):
        what = f'"{event.name}" takes {len(infos)} arguments, not {len(call.args)}'
        wanted = ", ".join(info.name for info in infos)
        part.fail(
            key, what, f'write "{event.name}({wanted})"' if infos else f'write "{event.name}"'
        )
    values = []
    for info, argument in zip(infos, call.args, strict=True):
        choices = {name: number for number, (name, _title) in enumerate(info.choices)}
        value = choices.get(argument.id) if isinstance(argument, ast.Name) else None
        if isinstance(argument, ast.Constant) and isinstance(argument.value, int):
            value = argument.value
        is_skill = isinstance(argument, ast.Name) and argument.id == "skill" and not choices
        if is_skill and key.startswith("medic_"):
            if info.low > 0 or info.high < SKILL_MAX:
                what = f'"{info.name}" of "{event.name}" cannot be a medic\'s skill'
                part.fail(key, what, f"let it be 0 to {SKILL_MAX}")
            values.append(tap.SKILL)
            continue
        if value is None or not info.low <= value <= info.high:
            wanted = ", ".join(choices) or f"{info.low} to {info.high}"
            part.fail(key, f'"{ast.unparse(argument)}" is no {info.name}', f"known are: {wanted}")
        values.append(value)
    return event, tuple(values)
