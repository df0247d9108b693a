"""The game that the rules benches play: random but sensible events of the hits ruleset.

Problem: uniformly random events kill or exclude nearly every character at once, and refusing the
dead is quick. Guarantee: lives of LIFE_EVENTS events each, about three in four applied; the same
for the same seed. The shares are a lively field's: hits most, then medics, then staff.
"""

import random

from tools.bench.hits_by_hand import Hits

LIFE_EVENTS = 40
REFUSED_SHARE = 0.15  # of the events that would be refused, how many are sent all the same
GAPS_MS = (0, 300, 2_000, 9_000, 60_000, 240_000, 460_000)
SHARES = {
    "hit": 34,
    "stun": 6,
    "knock_out": 5,
    "treat": 18,
    "bandage": 12,
    "operation_start": 6,
    "operation": 5,
    "operation_break_off": 2,
    "trauma": 3,
    "diagnose": 4,
    "treat_trauma": 4,
    "sudden": 4,
    "sudden_end": 4,
    "place": 3,
    "foul": 3,
    "exclude": 0.2,
    "void": 6,
}

Life = list[tuple[int, int, tuple[int, ...]]]


def lives(count: int, events, without: tuple[str, ...] = (), seed: int = 1) -> list[Life]:
    """Return lives of (game time in ms, event number, arguments). events: the ruleset's."""
    dice = random.Random(seed)
    by_name = {event.name: event for event in events if event.name not in without}
    return [_life(dice, by_name) for _ in range(count)]


def _life(dice: random.Random, by_name) -> Life:
    names = list(by_name)
    shares = [SHARES[name] for name in names]
    player = Hits()
    now_ms = 0
    life = []
    while len(life) < LIFE_EVENTS:
        event = by_name[dice.choices(names, shares)[0]]
        args = [dice.randint(arg.low, min(arg.high, 30)) for arg in event.args]
        if event.name in ("hit", "void"):
            args[0] = dice.choice((1, 1, 1, 2))
        is_refused = player.step(now_ms, event.id, tuple(args)) != 0
        if is_refused and dice.random() > REFUSED_SHARE:
            continue
        life.append((now_ms, event.id, tuple(args)))
        now_ms += dice.choice(GAPS_MS)
    return life
