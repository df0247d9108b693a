"""The hits rules as one table of transitions, from which each compared library is built.

Problem: `transitions`, `python-statemachine` and `sismic` know states, guards and actions, but no
bounded counters, no clock that is an argument, no named refusals and no taking back. Guarantee:
those rest in `Player`, plain Python, the same for all three; states, guards and transitions are
the library's. Each track is a machine of its own where that is quicker, and a refusal is a
transition to nowhere. `void` is left out: none of them can take back.
"""

from __future__ import annotations

from typing import NamedTuple

EVENTS = (
    *("void", "hit", "stun", "knock_out", "treat", "bandage", "operation_start", "operation"),
    *("trauma", "diagnose", "treat_trauma", "operation_break_off", "sudden", "sudden_end"),
    *("place", "foul", "exclude"),
)
STATES = {
    "health": (
        *("healthy", "wounded", "dying", "operation", "radical", "resting", "bandage_due"),
        *("bandage_overdue", "rested", "recovering", "dead"),
    ),
    "overlay": ("awake", "knockdown", "unconscious"),
    "mind": ("calm", "sudden"),
    "place": ("combat", "safe"),
    "conduct": ("playing", "excluded"),
}
COUNTERS = (
    *("hits", "traumas_new", "traumas_physical", "traumas_mental"),
    *("lasting_physical", "lasting_mental", "death_left_ms", "sudden_kind", "fouls"),
)
STANDING = ("healthy", "wounded", "resting", "bandage_due", "bandage_overdue", "rested")
DOWN = ("dying", "operation", "radical")
NOT_DOWN = (*STANDING, "recovering")
ALIVE = (*NOT_DOWN, *DOWN)


class Row(NamedTuple):
    """One transition. target: None stays. guard, action: methods of `Player`, "" for none."""

    track: str
    event: str
    sources: tuple[str, ...]
    target: str | None
    guard: str = ""
    action: str = ""


def _rows() -> list[Row]:
    rows = [*_hit(), *_treatment(), *_operation(), *_traumas(), *_overlay(), *_others()]
    dead = [Row("health", name, ("dead",), None, "", "refuse_dead") for name in HEALTH_EVENTS]
    return [*dead, *rows]


HEALTH_EVENTS = (
    *("hit", "treat", "bandage", "operation_start", "operation"),
    *("trauma", "diagnose", "treat_trauma", "operation_break_off"),
)


def _hit() -> list[Row]:
    return [
        Row("health", "hit", ALIVE, None, "is_safe", "refuse_not_in_combat"),
        Row("health", "hit", DOWN, None, "", "refuse_no_hits_left"),
        Row("health", "hit", ("recovering",), None, "", "refuse_no_hits_left"),
        Row("health", "hit", STANDING, "wounded", "has_more_hits", "lose_hits"),
        Row("health", "hit", STANDING, "dying", "", "lose_all_hits"),
        Row("health", "time_up_health", ("dying",), "dead", "", "die"),
    ]


def _treatment() -> list[Row]:
    resting = ("resting", "rested", "recovering")
    return [
        Row("health", "treat", ("wounded",), "resting", "", "start_rest"),
        Row("health", "treat", resting, None, "", "refuse_resting"),
        Row("health", "treat", ("bandage_due",), "rested"),
        Row("health", "treat", ("bandage_overdue",), "healthy", "", "heal"),
        Row("health", "treat", ("dying", "operation"), "recovering", "", "start_recovery"),
        Row("health", "treat", ("radical",), "recovering", "", "recover_with_trauma"),
        Row("health", "treat", ("healthy",), None, "", "refuse_nothing_to_treat"),
        Row("health", "bandage", ("resting",), None, "", "refuse_bandage_not_due"),
        Row("health", "bandage", ("bandage_due",), "rested"),
        Row("health", "bandage", ("bandage_overdue",), "healthy", "", "heal"),
        Row(
            "health",
            "bandage",
            ("healthy", "wounded", "rested", "recovering", *DOWN),
            None,
            "",
            "refuse_no_bandage",
        ),
        Row("health", "time_up_health", ("resting",), "bandage_due", "", "start_second_half"),
        Row("health", "time_up_health", ("bandage_due",), "bandage_overdue", "", "stop_health"),
        Row("health", "time_up_health", ("rested", "recovering"), "healthy", "", "heal"),
    ]


def _operation() -> list[Row]:
    start, end = "operation_start", "operation"
    cut, no_cut = ("operation", "radical"), (*NOT_DOWN, "dying")
    not_dying = (*NOT_DOWN, *cut)
    return [
        Row("health", start, ("dying",), "radical", "is_radical", "start_operation"),
        Row("health", start, ("dying",), "operation", "", "start_operation"),
        Row("health", start, not_dying, None, "", "refuse_not_dying"),
        Row("health", "operation_break_off", cut, "dying", "", "go_on_dying"),
        Row("health", "operation_break_off", no_cut, None, "", "refuse_no_operation"),
        Row("health", "time_up_health", cut, "dying", "", "go_on_dying"),
        Row("health", end, NOT_DOWN, None, "", "refuse_not_dying"),
        Row("health", end, ("operation",), None, "is_radical", "refuse_other_operation"),
        Row("health", end, ("radical",), None, "is_ordinary", "refuse_other_operation"),
        Row(
            "health", end, ("dying", "radical"), "recovering", "is_radical", "recover_with_trauma"
        ),
        Row("health", end, ("dying", "operation"), "dead", "is_fatal", "die"),
        Row("health", end, ("dying", "operation"), "recovering", "", "start_recovery"),
    ]


def _traumas() -> list[Row]:
    return [
        Row("health", "trauma", ALIVE, None, "can_bear_trauma", "add_trauma"),
        Row("health", "trauma", ALIVE, "dead", "", "die"),
        Row("health", "diagnose", ALIVE, None, "has_new_trauma", "diagnose_trauma"),
        Row("health", "diagnose", ALIVE, None, "", "refuse_nothing_to_diagnose"),
        Row("health", "treat_trauma", ALIVE, None, "can_heal_trauma", "heal_trauma"),
        Row("health", "treat_trauma", ALIVE, None, "has_trauma", "refuse_cannot_be_healed"),
        Row("health", "treat_trauma", ALIVE, None, "", "refuse_no_such_trauma"),
    ]


def _overlay() -> list[Row]:
    every = STATES["overlay"]
    return [
        Row("overlay", "stun", every, None, "is_dead", "refuse_dead"),
        Row("overlay", "stun", every, None, "is_safe", "refuse_not_in_combat"),
        Row("overlay", "stun", ("unconscious",), None, "", "refuse_already_there"),
        Row("overlay", "stun", ("awake", "knockdown"), "knockdown", "", "start_knockdown"),
        Row("overlay", "knock_out", every, None, "is_dead", "refuse_dead"),
        Row("overlay", "knock_out", every, None, "is_safe", "refuse_not_in_combat"),
        Row("overlay", "knock_out", every, "unconscious", "", "start_unconscious"),
        Row("overlay", "time_up_overlay", every, "awake", "", "stop_overlay"),
    ]


def _others() -> list[Row]:
    minds, places = STATES["mind"], STATES["place"]
    return [
        Row("mind", "sudden", minds, None, "is_dead", "refuse_dead"),
        Row("mind", "sudden", minds, "sudden", "", "start_sudden"),
        Row("mind", "sudden_end", minds, None, "is_dead", "refuse_dead"),
        Row("mind", "sudden_end", ("sudden",), "calm", "", "stop_sudden"),
        Row("mind", "sudden_end", ("calm",), None, "", "refuse_no_sudden_state"),
        Row("mind", "time_up_mind", minds, "calm", "", "stop_sudden"),
        Row("place", "place", places, None, "is_dead", "refuse_dead"),
        Row("place", "place", ("combat",), "safe", "is_radical"),  # the first choice is combat
        Row("place", "place", ("safe",), "combat", "is_ordinary"),
        Row("place", "place", places, None, "", "refuse_already_there"),
        Row("conduct", "foul", ("playing",), None, "", "add_foul"),
        Row("conduct", "foul", ("excluded",), None, "", "refuse_dead"),
        Row("conduct", "exclude", ("playing",), "excluded", "", "exclude_player"),
        Row("conduct", "exclude", ("excluded",), None, "", "refuse_dead"),
        Row("health", "leave", STATES["health"], "dead", "", "die"),
    ]


ROWS = _rows()
