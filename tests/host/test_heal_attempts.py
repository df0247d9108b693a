"""Who may heal whom, when, for how long, how often, from what stock: for each ruleset (G11).

A row: ruleset and params; what came before (events, and waits in ms); who tries what; the answer;
the states after it. "role" is the answer to a sender whose role may not send the event at all.
"""

from __future__ import annotations

import pytest
from tests.support.named_player import MIN, Player, S

from redband import rules

PLAYER, MEDIC, MARSHAL, MASTER, TECHNICIAN = range(5)
Deed = tuple[str | int, ...]
Row = tuple[str, dict[str, int | str], list[Deed | int], int, Deed, str, dict[str, str | int]]

SHOT: Deed = ("hit", "shot", "button")
BANG: Deed = ("hit", "pyrotechnics", "button")
CUT: Deed = ("hit", 1, "button")
KIT: Deed = ("kit", "self")
HELP: Deed = ("kit", "other")
TREAT: Deed = ("treat",)
SPEND: Deed = ("spend",)
BANDAGE: Deed = ("bandage",)
CONTACT: Deed = ("contact",)
LOST: Deed = ("contact_lost",)
SUCCESS: Deed = ("operation", "ordinary", "success")
RADICAL: Deed = ("operation", "radical", "success")
DYING: list[Deed | int] = [CUT, CUT, CUT]
HURT: Deed = ("damage", 25, "lethal", "yes", "yes")

WOUNDS: list[Row] = [
    # the wounded themself, in time and too late (W4, W5)
    ("wounds", {}, [SHOT], PLAYER, KIT, "applied", {"wound": "patched"}),
    ("wounds", {}, [SHOT, 10 * MIN - 1], PLAYER, KIT, "applied", {"wound": "patched"}),
    ("wounds", {}, [SHOT, 10 * MIN], PLAYER, KIT, "no_light_wound", {"wound": "heavy"}),
    ("wounds", {}, [], PLAYER, KIT, "no_light_wound", {"wound": "none"}),
    ("wounds", {}, [SHOT, KIT], PLAYER, KIT, "no_light_wound", {"wound": "patched"}),
    ("wounds", {}, [SHOT, SHOT], PLAYER, KIT, "no_light_wound", {"wound": "heavy"}),
    # another player, a medic, staff
    ("wounds", {}, [SHOT], PLAYER, HELP, "applied", {"wound": "patched"}),
    ("wounds", {}, [SHOT], MEDIC, TREAT, "applied", {"wound": "none"}),
    ("wounds", {}, [SHOT, KIT], MEDIC, TREAT, "applied", {"wound": "none"}),
    ("wounds", {}, [SHOT], MARSHAL, TREAT, "applied", {"wound": "none"}),
    ("wounds", {}, [SHOT], PLAYER, TREAT, "applied", {"wound": "none"}),  # by gesture
    ("wounds", {}, [SHOT], TECHNICIAN, TREAT, "role", {"wound": "light"}),
    ("wounds", {}, [], MEDIC, TREAT, "nothing_to_treat", {"wound": "none"}),
    # a heavy wound is for the Hospital (W8)
    ("wounds", {}, [BANG], MEDIC, TREAT, "needs_hospital", {"wound": "heavy"}),
    ("wounds", {}, [BANG, 5 * MIN], MEDIC, TREAT, "needs_hospital", {"wound": "armband"}),
    ("wounds", {}, [BANG], MASTER, ("discharge",), "not_in_hospital", {"wound": "heavy"}),
    # how often: no limit by itself
    ("wounds", {}, [SHOT, TREAT] * 9 + [SHOT], MEDIC, TREAT, "applied", {"wound": "none"}),
    ("wait_5", {}, [SHOT, 5 * MIN - 1], PLAYER, KIT, "applied", {"wound": "patched"}),
    ("wait_5", {}, [SHOT, 5 * MIN], PLAYER, KIT, "no_light_wound", {"wound": "heavy"}),
    ("wait_10", {}, [SHOT, 10 * MIN - 1], PLAYER, KIT, "applied", {"wound": "patched"}),
    ("wait_10", {}, [BANG, 10 * MIN - 1], MEDIC, TREAT, "needs_hospital", {"wound": "heavy"}),
    ("spare_wounded", {}, [SHOT, SHOT], PLAYER, KIT, "applied", {"wound": "patched"}),
]
LIMITED: list[Row] = [
    # once, three times, as often as the stock says; a new life with the discharge
    ("one_heal", {}, [SHOT], PLAYER, KIT, "applied", {"heals_left": 0}),
    ("one_heal", {}, [SHOT, TREAT, SHOT], MEDIC, TREAT, "no_heals_left", {"wound": "light"}),
    ("one_heal", {}, [SHOT, KIT], MEDIC, TREAT, "applied", {"wound": "none", "heals_left": 0}),
    ("heal_limit", {}, [SHOT, TREAT] * 2 + [SHOT], MEDIC, TREAT, "applied", {"heals_left": 0}),
    (
        "heal_limit",
        {},
        [SHOT, TREAT] * 3 + [SHOT],
        PLAYER,
        KIT,
        "no_heals_left",
        {"heals_left": 0},
    ),
    ("heal_limit", {"max_heals": 0}, [SHOT], PLAYER, KIT, "no_heals_left", {"wound": "light"}),
    ("heal_limit", {}, [], MEDIC, TREAT, "nothing_to_treat", {"heals_left": 3}),
    ("hits_one_heal", {}, [CUT], MEDIC, TREAT, "applied", {"health": "resting", "heals_left": 0}),
    ("hits_one_heal", {}, [CUT, TREAT, CUT], MEDIC, TREAT, "no_heals_left", {"health": "wounded"}),
    (
        "hits_one_heal",
        {},
        [CUT, TREAT, *DYING],
        MEDIC,
        RADICAL,
        "no_heals_left",
        {"health": "dying"},
    ),
    # nobody heals themself
    ("no_self_heal", {}, [SHOT], PLAYER, KIT, "no_self_heal", {"wound": "light"}),
    ("no_self_heal", {}, [SHOT], PLAYER, HELP, "applied", {"wound": "patched"}),
    ("no_self_heal", {}, [SHOT], PLAYER, TREAT, "role", {"wound": "light"}),
    ("no_self_heal", {}, [SHOT], MEDIC, TREAT, "applied", {"wound": "none"}),
    ("no_self_heal", {}, [BANG], PLAYER, ("escort",), "role", {"wound": "heavy"}),
    # contact: begun, long enough, broken, ended by a hit, used up
    ("contact_time", {}, [SHOT], PLAYER, KIT, "contact_too_short", {"wound": "light"}),
    ("contact_time", {}, [SHOT, CONTACT, 30 * S - 1], MEDIC, TREAT, "contact_too_short", {}),
    ("contact_time", {}, [SHOT, CONTACT, 30 * S], MEDIC, TREAT, "applied", {"wound": "none"}),
    (
        "contact_time",
        {},
        [SHOT, CONTACT, 20 * S, LOST, CONTACT, 20 * S],
        MEDIC,
        TREAT,
        "contact_too_short",
        {"contact": "begun"},
    ),
    ("contact_time", {}, [SHOT, CONTACT, 30 * S, LOST], MEDIC, TREAT, "contact_too_short", {}),
    ("contact_time", {}, [SHOT, CONTACT, 9 * S, SHOT], MEDIC, TREAT, "needs_hospital", {}),
    ("contact_time", {}, [SHOT, CONTACT, 30 * S, KIT], MEDIC, TREAT, "contact_too_short", {}),
    ("contact_time", {"contact_ms": "2 s"}, [SHOT, CONTACT, 2 * S], PLAYER, KIT, "applied", {}),
    ("contact_time", {}, [], MEDIC, CONTACT, "nothing_to_treat", {"contact": "none"}),
    # skill
    ("medic_skill", {}, [SHOT], MEDIC, ("treat", 0), "no_skill", {"wound": "light"}),
    ("medic_skill", {}, [SHOT], MEDIC, ("treat", 1), "applied", {"wound": "none"}),
    ("medic_skill", {"skill_needed": 3}, [SHOT], MEDIC, ("treat", 2), "no_skill", {}),
    ("medic_skill", {"skill_needed": 3}, [SHOT], MARSHAL, ("treat", 3), "applied", {}),
    ("medic_skill", {}, [SHOT], PLAYER, ("treat", 9), "role", {"wound": "light"}),
    ("medic_skill", {}, [SHOT], PLAYER, KIT, "applied", {"wound": "patched"}),
    # the medic's stock: taken from on the medic's own badge, filled by staff
    ("medic_stock", {}, [SHOT], MEDIC, TREAT, "applied", {"wound": "none", "stock": 5}),
    ("medic_stock", {"max_stock": 1}, [], MEDIC, SPEND, "applied", {"stock": 0}),
    ("medic_stock", {"max_stock": 1}, [SPEND], MEDIC, SPEND, "no_stock", {"stock": 0}),
    ("medic_stock", {"max_stock": 1}, [SPEND], MEDIC, ("refill",), "role", {"stock": 0}),
    ("medic_stock", {"max_stock": 1}, [SPEND], MARSHAL, ("refill",), "applied", {"stock": 1}),
]
HITS: list[Row] = [
    ("hits", {}, [], MEDIC, TREAT, "nothing_to_treat", {"health": "healthy", "hits": 3}),
    ("hits", {}, [CUT], MEDIC, TREAT, "applied", {"health": "resting", "hits": 2}),
    ("hits", {}, [CUT], PLAYER, TREAT, "applied", {"health": "resting"}),  # by gesture
    ("hits", {}, [CUT], TECHNICIAN, TREAT, "role", {"health": "wounded"}),
    ("hits", {}, [CUT, TREAT], MEDIC, TREAT, "resting", {"health": "resting"}),
    ("hits", {}, [CUT, TREAT, 7 * MIN], MEDIC, BANDAGE, "bandage_not_due", {"hits": 2}),
    (
        "hits",
        {},
        [CUT, TREAT, 8 * MIN],
        MEDIC,
        BANDAGE,
        "applied",
        {"health": "rested"},
    ),
    ("hits", {}, [CUT, TREAT, 8 * MIN], PLAYER, BANDAGE, "role", {"health": "bandage_due"}),
    (
        "hits",
        {},
        [CUT, TREAT, 60 * MIN],
        MEDIC,
        BANDAGE,
        "applied",
        {"health": "healthy", "hits": 3},
    ),
    ("hits", {}, [CUT, TREAT, CUT], MEDIC, TREAT, "applied", {"health": "resting", "hits": 1}),
    ("hits", {}, [CUT], MEDIC, SUCCESS, "not_dying", {"health": "wounded"}),
    ("hits", {}, DYING, MEDIC, SUCCESS, "applied", {"health": "recovering", "hits": 0}),
    ("hits", {}, DYING, MEDIC, RADICAL, "applied", {"health": "recovering", "traumas_new": 1}),
    ("hits", {}, [*DYING, TREAT], MEDIC, TREAT, "resting", {"health": "recovering"}),
    ("hits", {}, [*DYING, 15 * MIN - 1], MEDIC, TREAT, "applied", {"health": "recovering"}),
    ("hits", {}, [*DYING, 15 * MIN], MEDIC, TREAT, "dead", {"health": "dead"}),
    ("hits_spare", {}, [CUT, CUT, CUT], MEDIC, TREAT, "applied", {"hits": 2}),
]
OTHERS: list[Row] = [
    ("hospital", {}, [], MASTER, ("discharge",), "not_in_hospital", {"stay": "outside"}),
    ("hospital", {}, [("admit",)], MEDIC, ("discharge",), "role", {"stay": "admitted"}),
    ("hospital", {}, [("admit",)], MASTER, ("use_resource",), "no_infection", {}),
    (
        "wounds_hospital",
        {},
        [SHOT, KIT, ("admit",)],
        MEDIC,
        TREAT,
        "inside",
        {"wound": "hospital"},
    ),
    ("wounds_hospital", {}, [SHOT], MASTER, ("admit",), "must_stay", {"wound": "light"}),
    ("wounds_hospital", {}, [SHOT], MEDIC, TREAT, "applied", {"wound": "none"}),
    ("unconscious", {}, [], MEDIC, ("heal", 5, "healing"), "applied", {"hp": 20}),
    ("unconscious", {}, [HURT], MEDIC, ("heal", 5, "healing"), "applied", {"awareness": "waking"}),
    (
        "unconscious",
        {},
        [HURT],
        MEDIC,
        ("heal", 5, "rest"),
        "dying",
        {"hp": 0},
    ),
    ("unconscious", {}, [HURT], PLAYER, ("interact",), "dying", {"awareness": "dying"}),
    ("unconscious", {}, [HURT], MEDIC, ("stabilise",), "applied", {"awareness": "stable"}),
    ("unconscious", {}, [], MEDIC, ("stabilise",), "not_dying", {"awareness": "awake"}),
    ("unconscious", {}, [HURT], PLAYER, ("stabilise",), "role", {"awareness": "dying"}),
]
ROWS = WOUNDS + LIMITED + HITS + OTHERS


def name_of(row: Row) -> str:
    ruleset, params, before, role, attempt, answer, _after = row
    what = ",".join(str(word) for word in attempt)
    past = "+".join(str(one if isinstance(one, int) else one[0]) for one in before[-4:])
    given = ",".join(f"{name}={value}" for name, value in params.items())
    return f"{ruleset}({given}) {past}: {role} {what} -> {answer}"


def played(row: Row) -> Player:
    """Return the player after what came before the attempt, all of it applied."""
    ruleset, params, before, _role, _attempt, _answer, _after = row
    player = Player(ruleset, **params)
    for one in before:
        if isinstance(one, int):
            player.wait(one)
        else:
            assert isinstance(one[0], str)
            player.do(one[0], *one[1:])
    return player


def tried(player: Player, role: int, attempt: Deed) -> str:
    name = str(attempt[0])
    event = player.rules.event(name)
    if not player.rules.ruleset.event_roles[event.id] >> role & 1:
        return "role"
    return player.do(name, *attempt[1:])


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_G11_heal_attempt(row: Row) -> None:
    _ruleset, _params, _before, role, attempt, answer, after = row
    player = played(row)
    before = player.view()
    assert tried(player, role, attempt) == answer
    if answer != "applied":
        assert player.view() == before  # a refused attempt costs and changes nothing
    counters = {info.name for info in player.rules.counters}
    for name, value in after.items():
        assert (player.count(name) if name in counters else player.state(name)) == value


def test_G11_every_ruleset_and_preset_has_attempts_that_work_and_that_do_not() -> None:
    for name in (*rules.shipped(), *rules.presets()):
        answers = [row[5] for row in ROWS if row[0] == name]
        assert answers, name
        if name != "hospital":  # there the stay heals, not an event
            assert "applied" in answers, name
        if name not in ("spare_wounded", "hits_spare"):
            assert set(answers) != {"applied"}, name
