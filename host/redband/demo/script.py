"""The skirmish as a list of actions: press, shake, hold, pull a battery, put it back.

Guarantee: a pure function of badges, length and seed. Nothing here knows the rules or the state
of a badge; what the game makes of it is the firmware's business.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

PRESS = "press"
SHAKE = "shake"
HOLD = "hold"
PULL = "pull"
RESTORE = "restore"

HIT_GAP_S = 1.2
"""Least time between two hits on one badge: nobody is faster, sensors rest in between."""

QUIET_PART = 0.15
"""Last part of the script in which nothing happens, so that its end is a steady picture."""


@dataclass(frozen=True, slots=True)
class Action:
    """What is done to badge `badge_id` at `at_s` game seconds after its start of the game."""

    at_s: float
    badge_id: int
    verb: str


def skirmish(badge_id: int, badges: int, seconds: float, seed: int) -> list[Action]:
    """Return all actions on badge `badge_id` (1..badges), in order of time.

    seconds: game seconds the skirmish lasts. Each badge has a story of its own: the second falls,
    the third's battery is pulled and put back, the fourth is treated. Nothing happens in the
    first HIT_GAP_S, in which the first badge that is up gets the opening hit.
    """
    rng = random.Random(f"{seed}/{badge_id}")
    end_s = seconds * (1 - QUIET_PART)
    falls = badge_id % badges == 2 % badges
    wanted = 9 if falls else rng.randint(2, 4)
    fitting = max(1, int(end_s / (HIT_GAP_S * 2)))
    times = _spread(rng, min(wanted, fitting), end_s)
    actions = [Action(at_s, badge_id, rng.choice((PRESS, PRESS, SHAKE))) for at_s in times]
    if badge_id % badges == 4 % badges:
        actions = [action for action in actions if action.at_s < end_s * 0.5]
        actions.append(Action(end_s * 0.7, badge_id, HOLD))
    if badge_id % badges == 3 % badges:
        out_s, in_s = end_s * 0.4, end_s * 0.6
        actions = [action for action in actions if not out_s - 1 <= action.at_s < in_s + 2]
        actions += [Action(out_s, badge_id, PULL), Action(in_s, badge_id, RESTORE)]
    return sorted(actions, key=lambda action: action.at_s)


def _spread(rng: random.Random, count: int, end_s: float) -> list[float]:
    """Return `count` times in HIT_GAP_S..end_s, at least HIT_GAP_S apart where they fit."""
    slot_s = (end_s - HIT_GAP_S) / count
    room_s = max(0.0, slot_s - HIT_GAP_S)
    return [HIT_GAP_S + index * slot_s + rng.random() * room_s for index in range(count)]


def strays(badges: int, after_s: float, seed: int) -> Iterator[Action]:
    """Yield a hit on some badge every 10 to 25 game seconds from `after_s` on, for ever.

    Every third is first aid instead, so that not all lie dying after some minutes.
    """
    rng = random.Random(f"{seed}/strays")
    at_s = after_s
    while True:
        at_s += rng.uniform(10, 25)
        yield Action(at_s, rng.randint(1, badges), rng.choice((PRESS, SHAKE, HOLD)))
