"""Hits by oneself, one's team and strangers (G7), and hits that do not count (G8).

No shipped ruleset says who dealt a hit: the badge feels a blow, it does not know the hand. A game
whose sensor does know writes it as arguments of the event; TEAMS is such a game, and its answers
are what docs/time.md promises for one.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.support.journals import PlayingBadge, records_of
from tests.support.named_player import MIN, Player, S

from redband import rules
from redband.rules import CompiledRuleset
from redband.store.projection import fold
from redband.wire import journal as wire_journal
from redband_core import journal

TEAMS = """
[ruleset]
id = "teams"
title = "Teams"
include = ["hits"]

[param.own_id]
title = "own number"
default = 7
max = 65535

[param.own_team]
title = "own team"
default = 2
max = 254

[counter.enemy_hits]
title = "hits by enemies"
max = 999
[counter.friend_hits]
title = "hits by the own team"
max = 999
[counter.unknown_hits]
title = "hits by nobody knows whom"
max = 999

[refusal.own_hit]
title = "hit by oneself"

[event.hit]
[[event.hit.arg]]
name = "n"
title = "hits lost"
min = 1
max = 9
[[event.hit.arg]]
name = "source"
title = "noticed by"
choices = [
  { name = "button", title = "button" },
  { name = "sensor", title = "sensor" },
  { name = "staff", title = "staff" },
]
[[event.hit.arg]]
name = "from_id"
title = "number of the other"
max = 65535
[[event.hit.arg]]
name = "from_team"
title = "team of the other, 255 unknown"
max = 255

[[rule]]
on = "hit"
if = "from_id == own_id and from_team == own_team"
refuse = "own_hit"
[[rule]]
on = "hit"
if = "from_team == own_team"
do = ["friend_hits += 1"]
[[rule]]
on = "hit"
if = "from_team == 255"
do = ["unknown_hits += 1"]
[[rule]]
on = "hit"
if = "from_team != own_team and from_team != 255"
do = ["enemy_hits += 1"]

[gesture]
press = "hit(1, button, 0, 255)"
impact = "hit(1, sensor, 0, 255)"
"""
OWN, FRIEND, ENEMY, STRANGER = (7, 2), (9, 2), (7, 3), (0, 255)
COUNTERS = {FRIEND: "friend_hits", ENEMY: "enemy_hits", STRANGER: "unknown_hits"}


@pytest.fixture
def teams(tmp_path: Path) -> CompiledRuleset:
    path = tmp_path / "teams.toml"
    path.write_text(TEAMS)
    return rules.load(path)


@pytest.mark.parametrize(
    ("who", "answer", "hits"),
    [(OWN, "own_hit", 3), (FRIEND, "applied", 2), (ENEMY, "applied", 2), (STRANGER, "applied", 2)],
)
def test_G7_each_hand_has_a_stated_result(
    teams: CompiledRuleset, who: tuple[int, int], answer: str, hits: int
) -> None:
    player = Player(teams)
    assert player.do("hit", 1, "sensor", *who) == answer
    assert player.count("hits") == hits
    for other, counter in COUNTERS.items():
        assert player.count(counter) == (other == who)


def test_G7_a_hit_with_the_own_number_but_another_team_is_an_enemys(
    teams: CompiledRuleset,
) -> None:
    """Numbers are given by team in some games: both have to be one's own."""
    player = Player(teams)
    assert player.do("hit", 1, "sensor", *ENEMY) == "applied"
    assert player.count("enemy_hits") == 1


@pytest.mark.parametrize("seed", range(5))
def test_G7_every_counter_has_its_events_behind_it(teams: CompiledRuleset, seed: int) -> None:
    rng = random.Random(seed)
    badge = PlayingBadge(7, 1, teams.ruleset, tuple(teams.param_values({"max_hits": 20})))
    badge.start(boot_id=1)
    hit = teams.event("hit").id
    for number in range(60):
        badge.happen(hit, 1, 1, *rng.choice((OWN, FRIEND, ENEMY, STRANGER)))
        if number % 20 == 19:
            badge.begin_segment(1)
    state = fold(7, records_of(badge), lambda _identity: teams.ruleset)
    assert state.mismatched == 0
    logged = [
        args[2:]
        for record in records_of(badge)
        if record.kind == journal.EVENT
        for event, args in (journal.parse_event(record.payload),)
        if event == hit
    ]
    names = [counter.name for counter in teams.counters]
    for who, counter in COUNTERS.items():
        assert state.counters[names.index(counter)] == logged.count(who) > 0
    assert OWN not in logged


def test_G7_no_shipped_ruleset_asks_who_dealt_the_hit() -> None:
    """When one does, it belongs into the tests above."""
    for name in (*rules.shipped(), *rules.presets()):
        for event in rules.load(name).events:
            if event.name in ("hit", "damage"):
                words = {info.name for info in event.args}
                assert words <= {"n", "source", "cause", "kind", "falls", "drops"}, name


# G8: (ruleset, what makes invulnerable, the hit, its answer, when that is over, a hit then)
SHIELDS = [
    ("hits_spare", [("hit", 1, "button")], ("hit", 1, "sensor"), "wounded", 0),
    ("hits", [("hit", 9, "button"), ("treat",)], ("hit", 1, "sensor"), "no_hits_left", 25 * MIN),
    ("hits", [("place", "safe")], ("hit", 1, "sensor"), "not_in_combat", 0),
    ("spare_wounded", [("hit", "shot", "button")], ("hit", "shot", "sensor"), "wounded", 0),
    ("wounds", [("place", "safe")], ("hit", "shot", "sensor"), "not_in_combat", 0),
    (
        "wounds",
        [("hit", "pyrotechnics", "button")],
        ("hit", "shot", "sensor"),
        "already_heavy",
        5 * MIN,
    ),
    (
        "wounds_hospital",
        [("hit", "shot", "button"), ("kit", "self"), ("admit",)],
        ("hit", "shot", "sensor"),
        "inside",
        0,
    ),
]


@pytest.mark.parametrize(("name", "before", "hit", "answer", "lasts_ms"), SHIELDS)
def test_G8_hits_that_do_not_count_are_refused_and_never_replayed(
    name: str, before: list, hit: tuple, answer: str, lasts_ms: int
) -> None:
    hit_player, spared = Player(name), Player(name)
    for deed in before:
        assert hit_player.do(*deed) == spared.do(*deed) == "applied"
    for _ in range(10):  # one contact, ten shots (G8)
        hit_player.wait(300)
        spared.wait(300)
        assert hit_player.do(*hit) == answer
    assert hit_player.view() == spared.view()
    for wait_ms in (lasts_ms, 1, 10 * S):
        hit_player.wait(wait_ms)
        spared.wait(wait_ms)
        assert hit_player.view() == spared.view()


@pytest.mark.parametrize(("name", "before", "hit", "answer", "lasts_ms"), SHIELDS)
def test_G8_each_of_them_is_written_with_its_reason(
    name: str, before: list, hit: tuple, answer: str, lasts_ms: int
) -> None:
    compiled = rules.load(name)
    badge = PlayingBadge(7, 1, compiled.ruleset, tuple(compiled.param_values()))
    badge.start(boot_id=1)
    player = Player(name)

    def numbers(deed: tuple) -> tuple[int, list[int]]:
        event = compiled.event(deed[0])
        args = []
        for info, value in zip(event.args, deed[1:], strict=True):
            known = [choice for choice, _title in info.choices]
            args.append(known.index(value) if isinstance(value, str) else value)
        return event.id, args

    for deed in before:
        event, args = numbers(deed)
        assert badge.happen(event, *args) == 0
    event, args = numbers(hit)
    for _ in range(10):
        refusal = badge.happen(event, *args, after_ms=300)
        assert player.rules.refusal(refusal).name == answer
    state = fold(7, records_of(badge), lambda _identity: compiled.ruleset)
    assert (state.refused, state.mismatched, state.events) == (10, 0, len(before))
    reasons = {
        wire_journal.parse_refused(record.payload)[0]
        for record in records_of(badge)
        if record.kind == journal.REFUSED
    }
    assert [compiled.refusal(reason).name for reason in reasons] == [answer]
