"""The explorer finds each planted fault, and nothing in what is right."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from tests.support import proof

from redband.cli.app import run
from redband.rules import CompiledRuleset, load, parse, presets, shipped
from redband.rules.explore.explorer import Report, explore
from redband.rules.explore.paths import play
from redband.rules.explore.system import COARSEST, EXACT, RUNNING, STOPPED, System
from redband.rules.explore.text import report_lines
from redband.rules.explore.walk import START, Walk
from redband_core.engine import Engine

ALL = [*shipped(), *presets()]
QUICK = [name for name in ALL if not name.startswith("hits_")]
"""Less two presets that differ from `hits` by a param, and have its many states."""

CLEAN = """\
[ruleset]
id = "planted"
title = { en = "Planted", ru = "Проба" }

[param.max_lives]
title = "lives"
default = 2
min = 1
max = 5

[counter.lives]
title = "lives"
max = "max_lives"
start = "max_lives"

[counter.score]
title = "score"
max = 1000000

[track.body]
title = { en = "body", ru = "тело" }
[track.body.state.well]
title = { en = "well", ru = "в порядке" }
[track.body.state.down]
title = { en = "down", ru = "лежит" }
timer = "90 s"
[track.body.state.out]
title = { en = "out", ru = "выбыл" }
final = true

[refusal.is_out]
title = "out"

[event.hit]
title = { en = "hit", ru = "попадание" }
roles = ["player", "marshal"]
voidable = true
[[event.hit.arg]]
name = "n"
title = { en = "lives lost", ru = "снято жизней" }
min = 1
max = 3

[event.point]
title = { en = "point", ru = "очко" }
roles = ["marshal"]

[event.exclude]
title = { en = "exclude", ru = "исключить" }
roles = ["marshal"]

[[rule]]
on = ["hit", "point", "exclude"]
in = { body = "out" }
refuse = "is_out"

[[rule]]
on = "point"
do = "score += 1"

[[rule]]
on = "exclude"
do = "body -> out"

[[rule]]
on = "hit"
if = "lives > n"
do = ["lives -= n", "body -> down"]

[[rule]]
on = "hit"
if = "lives <= n"
do = ["lives = 0", "body -> out"]

[[rule]]
after = "body.down"
do = "body -> well"

[[signal]]
name = "out"
title = { en = "out", ru = "выбыл" }
in = { body = "out" }
red = "steady"

[[signal]]
name = "down"
title = { en = "down", ru = "лежит" }
in = { body = "down" }
red = "fast_blink"
timer = "body"

[[signal]]
name = "well"
title = { en = "well", ru = "в порядке" }
green = "short_flash"
"""
STUNNED = """
[track.body.state.stunned]
title = { en = "stunned", ru = "оглушён" }
"""
STUN_EVENT = """
[event.stun]
title = { en = "stun", ru = "оглушить" }
roles = ["marshal"]
"""
STUN_RULE = """
[[rule]]
on = "stun"
in = { body = "well" }
do = "body -> stunned"
"""
NO_HITS_STUNNED = """
[[rule]]
on = "hit"
in = { body = "stunned" }
refuse = "is_out"
"""
BEAT = """
[track.heart]
title = "heart"
[track.heart.state.beat]
title = "beat"
timer = "10 s"
"""
BEAT_RULE = """
[[rule]]
after = "heart.beat"
do = ["heart -> beat"]
"""


def ruleset(text: str = "", replace: tuple[str, str] = ("", "")) -> CompiledRuleset:
    """Return the clean ruleset with a change: a text replaced, and more text added."""
    old, new = replace
    assert old in CLEAN
    return parse(CLEAN.replace(old, new, 1) + text, Path("planted.toml"))


def faults(found: CompiledRuleset) -> list[tuple[str, str]]:
    """Return kind and sentence of each fault."""
    return told(explore(found, seconds=20))


def told(report: Report) -> list[tuple[str, str]]:
    """Return kind and sentence of each fault of a report."""
    lines = report_lines(report, "en")
    sentences = [line.split(". ", 1)[1] for line in lines if line[:1].isdigit()]
    assert len(sentences) == len(report.faults)
    return [(f.kind, s) for f, s in zip(report.faults, sentences, strict=True)]


def test_a_clean_ruleset_has_no_faults_and_is_exhausted() -> None:
    report = explore(ruleset())
    assert report.faults == []
    assert report.is_exhausted
    assert report.undecided == []
    assert report_lines(report, "en")[-1] == "No faults found."


@pytest.mark.proof
@pytest.mark.parametrize("name", proof.of(ALL, QUICK))
def test_shipped_rulesets_have_no_faults_and_end_in_time(name: str) -> None:
    begun = time.process_time()
    report = explore(load(name))
    assert told(report) == []
    assert report.undecided == []
    assert report.unchecked_tracks == []
    assert time.process_time() - begun < 60
    assert all(walk.is_exhausted for walk in report.walks)


def test_an_unreachable_state() -> None:
    found = faults(ruleset(STUNNED))
    assert found == [("never_state", 'body.stunned "stunned" can\'t be reached.')]


def test_a_trap_that_only_exclusion_ends() -> None:
    found = faults(ruleset(STUNNED + STUN_EVENT + STUN_RULE + NO_HITS_STUNNED))
    assert [kind for kind, _sentence in found] == ["trap"]
    assert found[0][1].startswith('Once in body.stunned "stunned" in the way below')


def test_a_trap_in_some_situations_only() -> None:
    text = (
        STUNNED
        + STUN_EVENT
        + STUN_RULE
        + """
[event.help]
title = "help"
roles = ["medic"]

[[rule]]
on = "help"
in = { body = "stunned" }
if = "lives == max_lives"
do = "body -> well"

[[rule]]
on = "hit"
in = { body = "stunned" }
refuse = "is_out"
"""
    )
    report = explore(ruleset(text))
    assert [fault.kind for fault in report.faults] == ["trap"]
    lines = report_lines(report, "en")
    way = [line for line in lines if "0:00:01" in line]
    assert way == ['     0:00:01  hit "hit" (lives lost: 1)  => body -> down']


def test_a_trap_declared_final_is_none() -> None:
    text = STUNNED + "final = true\n" + STUN_EVENT + STUN_RULE + NO_HITS_STUNNED
    text += NO_HITS_STUNNED.replace('"hit"', '"exclude"')
    assert faults(ruleset(text)) == []


def test_a_final_state_that_can_be_left() -> None:
    text = STUN_EVENT + '\n[[rule]]\non = "stun"\nin = { body = "out" }\ndo = "body -> well"\n'
    found = faults(ruleset(text))
    assert found == [
        ("final_left", 'body.out "out" is declared final, but is left for body.well "well".')
    ]


def test_endless_always_rules() -> None:
    text = '\n[[rule]]\nalways = true\nif = "lives == 1"\ndo = "score = 1 - score"\n'
    found = faults(ruleset(text))
    assert [kind for kind, _sentence in found] == ["endless"]
    assert "planted.toml:" in found[0][1]


def test_endless_always_rules_at_the_very_start() -> None:
    text = '\n[[rule]]\nalways = true\ndo = "score = (score + 1) % 7"\n'
    assert "endless" in [kind for kind, _sentence in faults(ruleset(text))]


def test_a_timer_that_never_runs() -> None:
    found = faults(ruleset("", ('timer = "90 s"', "timer = 0")))
    kinds = [kind for kind, _sentence in found]
    assert "never_timer" in kinds
    assert "never_rule" not in kinds, "the rule after it is the same fault"


def test_a_timer_that_stands_still_for_ever() -> None:
    text = STUN_EVENT + '\n[[rule]]\non = "stun"\nin = { body = "down" }\ndo = "pause body"\n'
    text += '\n[[rule]]\non = "hit"\nin = { body = "down" }\nrefuse = "is_out"\n'
    assert [kind for kind, _sentence in faults(ruleset(text))] == ["paused"]


def test_a_timer_that_is_resumed_is_fine() -> None:
    text = STUN_EVENT + '\n[[rule]]\non = "stun"\nin = { body = "down" }\ndo = "pause body"\n'
    text += '\n[[rule]]\non = "point"\nin = { body = "down" }\ndo = "resume body"\n'
    assert faults(ruleset(text)) == []


def test_a_timer_that_another_starts_again_each_time() -> None:
    again = '\n[[rule]]\nafter = "heart.beat"\nin = { body = "down" }\ndo = "timer body = 90 s"\n'
    found = faults(ruleset(BEAT + BEAT_RULE + again))
    assert [kind for kind, _sentence in found] == ["restarted"]
    assert "body.down" in found[0][1]


def test_a_heartbeat_alone_is_fine() -> None:
    assert faults(ruleset(BEAT + BEAT_RULE)) == []


def test_timers_that_lead_round_for_ever() -> None:
    text = STUNNED + 'timer = "5 s"\n' + STUNNED.replace("stunned", "dazed") + 'timer = "5 s"\n'
    text += STUN_EVENT + STUN_RULE
    text += '\n[[rule]]\nafter = "body.stunned"\ndo = "body -> dazed"\n'
    text += '\n[[rule]]\nafter = "body.dazed"\ndo = "body -> stunned"\n'
    text += NO_HITS_STUNNED.replace('"stunned"', '["stunned", "dazed"]')
    found = faults(ruleset(text))
    assert [kind for kind, _sentence in found] == ["round"]


def test_a_rule_that_can_never_fire() -> None:
    text = '\n[[rule]]\non = "hit"\nif = "lives > max_lives"\ndo = "score = 0"\n'
    found = faults(ruleset(text))
    assert [kind for kind, _sentence in found] == ["never_rule"]
    assert "lives > max_lives" in found[0][1]


def test_a_rule_shadowed_by_a_refusal() -> None:
    text = '\n[[rule]]\non = "point"\nin = { body = "out" }\ndo = "score = 0"\n'
    assert [kind for kind, _sentence in faults(ruleset(text))] == ["never_rule"]


def test_a_rule_behind_a_switch_is_fine_and_told() -> None:
    switch = '\n[param.bonus]\ntitle = "bonus"\ndefault = 0\nmax = 1\n'
    switch += '\n[[rule]]\non = "hit"\nif = "bonus"\ndo = "score += 5"\n'
    report = explore(ruleset(switch))
    assert report.faults == []
    assert any("bonus = 1" in line for line in report_lines(report, "en"))


def test_an_event_that_no_state_accepts() -> None:
    found = faults(ruleset(STUN_EVENT))
    assert found == [("never_event", 'No state accepts event stun "stun".')]


def test_a_signal_that_is_never_shown() -> None:
    hidden = '[[signal]]\nname = "hidden"\ntitle = "hidden"\nin = { body = "out" }\n'
    hidden += 'red = "slow_blink"\n\n[[signal]]\nname = "well"'
    found = faults(ruleset("", ('[[signal]]\nname = "well"', hidden)))
    assert found == [("never_signal", 'Signal hidden "hidden" is never shown.')]


def test_lights_alike_without_colour_shown_one_after_the_other() -> None:
    change = ('green = "short_flash"', 'green = "fast_blink"\nvibration = "short_flash"')
    found = faults(ruleset("", change))
    assert [kind for kind, _sentence in found] == ["alike_next"]
    assert 'down "down" and well "well"' in found[0][1]


def test_lights_alike_by_same_as_are_a_note() -> None:
    change = ('green = "short_flash"', 'green = "fast_blink"\nsame_as = "down"')
    report = explore(ruleset("", change))
    assert report.faults == []
    assert any("look alike (same_as)" in line for line in report_lines(report, "en"))


def test_two_signals_alike_are_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "alike.toml"
    path.write_text(CLEAN.replace('green = "short_flash"', 'green = "fast_blink"'), "utf-8")
    assert run(["rules", "explore", str(path)]) == 2
    assert 'signal "well" looks like "down" to a colour-blind player' in capsys.readouterr().err


def test_a_bound_that_is_hit_is_admitted() -> None:
    report = explore(load("hits"), seconds=0.05)
    assert not report.is_exhausted
    assert report.undecided or report.unchecked_tracks
    text = "\n".join(report_lines(report, "en"))
    assert "Not exhausted" in text
    assert "Undecided within the bound" in text


def test_large_counters_are_looked_at_in_classes_and_this_is_said() -> None:
    text = '\n[[rule]]\non = "point"\nif = "score > 999998"\ndo = "lives = max_lives"\n'
    report = explore(ruleset(text))
    assert not report.is_exhausted
    assert report.faults == []
    assert any("counter score was looked at in" in line for line in report_lines(report, "en"))


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "planted.toml"
    path.write_text(CLEAN + STUN_EVENT, encoding="utf-8")
    assert run(["rules", "explore", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "1. No state accepts event stun" in shown
    assert "Faults found: 1." in shown
    assert run(["rules", "explore", str(path), "--lang", "ru"]) == 1
    assert 'Ни одно состояние не принимает событие stun "оглушить".' in capsys.readouterr().out
    assert run(["rules", "explore", "wounds"]) == 0
    assert run(["rules", "explore", "wounds", "--lang", "fr"]) == 2


@pytest.mark.parametrize("name", shipped())
def test_whatever_the_engine_does_the_explorer_has_seen(name: str) -> None:
    """The walk's own rules against the badge's engine: no random life leaves what was walked."""
    found = load(name)
    system = System(found, found.param_values(), COARSEST)
    walk = Walk(system, system.closure(range(system.track_count)))
    walk.run(300_000, time.process_time() + 90)
    assert walk.is_exhausted
    seen = set(walk.situations)
    dice = random.Random(5)
    for _life in range(40):
        engine = Engine(found.ruleset)
        for _ in range(80):
            event = dice.choice(found.events[1:])
            args = [dice.randint(arg.low, min(arg.high, arg.low + 9)) for arg in event.args]
            gap_ms = dice.choice((0, 1000, 10_000, 300_000, 900_000))
            engine.step(engine.now_ms + gap_ms, event.id, args)
            assert situation(walk, engine) in seen


def situation(walk: Walk, engine: Engine) -> tuple[int, ...]:
    """Return the walk's view of an engine."""
    system = walk.system
    values = []
    for variable in walk.stepper.variables:
        if variable < system.track_count:
            values.append(engine.track_state(variable))
        elif variable < system.first_timer:
            value = engine.counter(variable - system.track_count)
            values.append(walk.stepper.classes[variable].number(value))
        else:
            left_ms = engine.timer_left_ms(variable - system.first_timer)
            values.append(RUNNING if left_ms >= 0 else STOPPED)
    return tuple(values)


def test_a_timer_that_ends_without_a_rule_runs_no_always_rules() -> None:
    """As on the badge, where such a timer is over and nothing else is done."""
    text = '\n[[rule]]\nalways = true\nin = { body = "down" }\nif = "left(body) == 0"\n'
    text += 'do = "body -> well"\n'
    found = ruleset(text, ('after = "body.down"', 'after = "body.down"\nif = "lives > 1"'))
    system = System(found, found.param_values(), EXACT)
    walk = Walk(system, system.closure(range(system.track_count)))
    walk.run(1000, time.process_time() + 10)
    engine = Engine(found.ruleset)
    engine.step(1000, found.event("hit").id, (1,))
    engine.advance(91_000)
    assert engine.timer_left_ms(0) == -1
    assert situation(walk, engine) in walk.situations


def test_each_way_found_is_possible_on_the_engine() -> None:
    found = load("wounds")
    report = explore(found)
    for walk in report.walks:
        for number in range(0, len(walk.situations), 5):
            assert play(walk, (number, START)).is_sure
