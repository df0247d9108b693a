"""The presets: what each changes, alone and on top of the weekend game."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.named_player import MIN, Player, S

from redband.cli.app import run
from redband.rules import CompiledRuleset, load, parse, presets


def light(ruleset: str | CompiledRuleset, **params: int | str) -> Player:
    """Return a player with a light wound."""
    player = Player(ruleset, **params)
    assert player.do("hit", "shot", "button") == "applied"
    return player


def test_every_preset_is_listed_and_has_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "list", "--lang", "ru"]) == 0
    shown = capsys.readouterr().out
    tests = Path(__file__).read_text(encoding="utf-8")
    for name in presets():
        assert f" {name} " in shown
        assert f'"{name}"' in tests


@pytest.mark.parametrize(("name", "minutes"), [("wait_5", 5), ("wait_10", 10)])
def test_the_wounded_wait_so_many_minutes(name: str, minutes: int) -> None:
    player = light(name)
    player.wait(minutes * MIN)
    assert player.state() == "heavy"
    player.wait(minutes * MIN - 1)
    assert player.state() == "heavy"
    player.wait(1)
    assert player.state() == "armband"


def test_one_heal_per_life() -> None:
    player = light("one_heal")
    assert player.do("kit", "self") == "applied"
    assert player.do("treat") == "applied"  # the same heal, finished by a medic
    assert (player.state(), player.count("heals_left")) == ("none", 0)
    player.do("hit", "shot", "button")
    assert player.do("kit", "self") == "no_heals_left"
    assert player.do("treat") == "no_heals_left"
    assert player.state() == "light"


def test_a_new_life_begins_with_the_discharge() -> None:
    player = light("one_heal")
    player.do("kit", "other")
    player.do("hit", "blow", "button")
    player.do("escort")
    player.do("admit")
    assert player.count("heals_left") == 0
    player.do("discharge")
    assert player.count("heals_left") == 1


def test_the_number_of_heals_is_a_param() -> None:
    for limit in (0, 2, 5):
        player = Player("heal_limit", max_heals=limit)
        for _ in range(limit):
            player.do("hit", "shot", "button")
            assert player.do("treat") == "applied"
        player.do("hit", "shot", "button")
        assert player.do("treat") == "no_heals_left"


def test_the_heals_left_are_shown_from_afar() -> None:
    rules = load("heal_limit")
    shown = [rules.counters[number].name for number in rules.ruleset.shown_counters]
    assert shown == ["wounds", "heals_left"]


def test_nobody_treats_themself() -> None:
    player = light("no_self_heal")
    assert player.do("kit", "self") == "no_self_heal"
    assert player.do("kit", "other") == "applied"
    rules = player.rules
    assert rules.event("treat").roles == ("medic", "marshal", "game_master")
    own = [gesture for gesture in rules.gestures if not gesture.name.startswith("medic_")]
    sent = {rules.events[gesture.event].name for gesture in own}
    assert sent == {"hit", "kit", "void"}


def test_help_counts_after_the_time_of_contact() -> None:
    player = light("contact_time")
    assert player.do("treat") == "contact_too_short"
    assert player.do("contact") == "applied"
    player.wait(30 * S - 1)
    assert player.do("kit", "other") == "contact_too_short"
    player.wait(1)
    assert player.do("treat") == "applied"
    assert (player.state(), player.state("contact")) == ("none", "none")


def test_contact_that_is_lost_begins_anew() -> None:
    player = light("contact_time", contact_ms="1 min")
    player.do("contact")
    player.wait(50 * S)
    assert player.do("contact_lost") == "applied"
    player.wait(10 * S)
    assert player.do("treat") == "contact_too_short"
    player.do("contact")
    player.wait(MIN)
    assert player.do("kit", "other") == "applied"
    assert player.do("treat") == "contact_too_short"  # the next help needs its own contact
    assert player.do("contact") == "applied"


def test_a_hit_ends_the_contact() -> None:
    player = light("contact_time")
    player.do("contact")
    player.do("hit", "shot", "button")
    assert (player.state(), player.state("contact")) == ("heavy", "none")
    assert player.do("contact") == "nothing_to_treat"
    player = light("contact_time", patched_hit_is_heavy=0)
    player.do("contact")
    player.wait(30 * S)
    player.do("kit", "other")
    player.do("contact")
    player.do("hit", "shot", "button")  # a light wound again, not a worse one
    assert (player.state(), player.state("contact")) == ("light", "none")


def test_a_medic_needs_the_skill() -> None:
    player = light("medic_skill")
    assert player.do("treat", 0) == "no_skill"
    assert player.do("treat", 1) == "applied"
    player = light("medic_skill", skill_needed=5)
    assert player.do("treat", 4) == "no_skill"
    assert player.do("treat", 9) == "applied"


def test_a_medic_has_a_stock_that_treating_by_badge_takes_from() -> None:
    player = Player("medic_stock", max_stock=2)
    bound = {gesture.name: gesture for gesture in player.rules.gestures}
    for name in ("given_4", "given_8"):
        assert player.rules.events[bound[name].event].name == "spend"
    assert [player.do("spend") for _ in range(3)] == ["applied", "applied", "no_stock"]
    assert player.do("refill") == "applied"
    assert player.count("stock") == 2
    assert light("medic_stock").do("treat") == "applied"  # the patient's stock is not asked


def test_a_hit_on_a_wounded_player_does_not_count() -> None:
    player = light("spare_wounded")
    for cause in ("shot", "blow", "mutant", "pyrotechnics"):
        assert player.do("hit", cause, "sensor") == "wounded"
    assert (player.state(), player.count("wounds")) == ("light", 1)
    player.wait(10 * MIN)
    assert player.state() == "heavy"  # W4 stays
    player = light("spare_wounded")
    player.do("kit", "self")
    assert player.do("hit", "shot", "sensor") == "applied"  # back in the fight: counts (W5)
    assert player.state() == "heavy"


def test_one_heal_per_life_in_the_hits_system() -> None:
    player = Player("hits_one_heal", max_hits=2)
    player.do("hit", 1, "button")
    assert player.do("treat") == "applied"
    player.do("hit", 1, "button")
    assert player.state("health") == "dying"
    assert player.do("operation_start", "ordinary") == "no_heals_left"
    assert player.do("operation", "radical", "success") == "no_heals_left"
    assert player.do("treat") == "no_heals_left"
    player = Player("hits_one_heal", max_hits=1)
    player.do("hit", 1, "button")
    assert player.do("operation_start", "radical") == "applied"
    assert player.do("operation", "radical", "success") == "applied"
    assert (player.state("health"), player.count("heals_left")) == ("recovering", 0)


def test_the_bandage_change_belongs_to_the_same_heal() -> None:
    player = Player("hits_one_heal")
    player.do("hit", 1, "button")
    player.do("treat")
    player.wait(8 * MIN)
    assert player.do("treat") == "applied"
    player.wait(7 * MIN)
    assert player.state("health") == "healthy"


def test_a_hit_on_the_wounded_does_not_count_in_the_hits_system() -> None:
    player = Player("hits_spare", max_hits=3)
    assert player.do("hit", 1, "button") == "applied"
    assert player.do("hit", 2, "sensor") == "wounded"
    player.do("treat")
    assert player.do("hit", 1, "sensor") == "wounded"
    assert (player.state("health"), player.count("hits")) == ("resting", 2)


WEEKEND = """\
[ruleset]
id = "weekend"
title = "weekend"
include = ["wounds_hospital", "one_heal", "no_self_heal", "spare_wounded", "wait_10"]
"""


def test_presets_go_on_top_of_the_weekend_game_together() -> None:
    weekend = parse(WEEKEND, Path("weekend.toml"))
    assert len(weekend.data) <= 2048
    player = light(weekend)
    assert player.do("hit", "shot", "sensor") == "wounded"
    assert player.do("kit", "self") == "no_self_heal"
    assert player.do("kit", "other") == "applied"
    player.do("hit", "shot", "button")
    player.wait(10 * MIN - 1)
    assert player.do("admit") == "must_stay"
    player.wait(1)
    assert player.do("admit") == "applied"
    player.do("prescribe", "resuscitation", 0)
    player.wait(60 * MIN)
    player.do("pay", "work")
    assert (player.count("heals_left"), player.do("discharge")) == (0, "applied")
    assert (player.count("heals_left"), player.state()) == (1, "none")


def test_a_new_character_from_the_mortuary_has_all_heals() -> None:
    player = light(parse(WEEKEND, Path("weekend.toml")))
    player.do("kit", "other")
    player.do("game_death", "other")
    player.do("admit")
    player.do("prescribe", "resuscitation", 0)
    player.do("pay", "money")
    assert player.do("discharge") == "applied"
    assert (player.count("heals_left"), player.state()) == (1, "none")
