"""What a browser is told: everything once, then only what it cannot know by itself."""

import dataclasses

from tests.support.example_field import event, row, seen, timer

from redband.overview.chronicle import Entry
from redband.overview.rows import LedView, Text
from redband.tent.changes import Changes, row_data

REST = ("of rest", "отдыха")


def lines(*texts: str) -> list[Entry]:
    return [Entry(1000.0, 1, Text(text, text), player="Marfa") for text in texts]


def told(rows, log=()) -> Changes:
    changes = Changes()
    changes.update(rows, log, 100.0)
    return changes


def test_a_new_browser_gets_everything_once():
    rows = [row(1, "Marfa", "healthy", 3), row(2, "Wolf", "dying", 0)]
    changes = Changes()
    first = changes.update(rows, lines("hit"), 100.0)
    assert first is not None
    assert [data["id"] for data in first["rows"]] == [1, 2]
    assert first["order"] == [1, 2]
    assert [line["text"] for line in first["log"]] == [["hit", "hit"]]
    assert changes.update(rows, lines("hit"), 100.2) is None


def test_a_game_without_badges_is_told_as_such():
    assert Changes().update([], [], 100.0) == {"order": [], "log": []}


def test_only_the_changed_badge_is_sent():
    rows = [row(number, "Marfa", "healthy", 3) for number in range(40)]
    changes = told(rows)
    rows[7] = row(7, "Marfa", "wounded", 2)
    assert changes.update(rows, [], 100.2) == {"rows": [row_data(rows[7])]}


def test_a_running_timer_is_not_sent_every_second():
    changes = told([row(4, "Yarina", "resting", 1, **timer(431, *REST))])
    for second in range(1, 400):
        rows = [row(4, "Yarina", "resting", 1, **timer(431 - second, *REST))]
        assert changes.update(rows, [], 100.0 + second) is None


def test_a_timer_that_was_extended_is_corrected():
    changes = told([row(4, "Yarina", "resting", 1, **timer(431, *REST))])
    sent = changes.update([row(4, "Yarina", "resting", 1, **timer(480, *REST))], [], 101.0)
    assert sent is not None
    assert sent["rows"][0]["timer_s"] == 480


def test_a_fast_game_keeps_its_timers_right():
    """A browser counts real seconds; at another time factor its count soon is seconds off."""
    changes = told([row(4, "Yarina", "resting", 1, **timer(400, *REST))])
    assert changes.update([row(4, "Yarina", "resting", 1, **timer(398, *REST))], [], 101.0) is None
    sent = changes.update([row(4, "Yarina", "resting", 1, **timer(396, *REST))], [], 102.0)
    assert sent is not None
    assert sent["rows"][0]["timer_s"] == 396


def test_a_timer_stands_still_while_the_battery_is_out():
    frozen = row(4, "Yarina", "resting", 1, **timer(431, *REST), is_powered=False)
    changes = told([frozen])
    assert not row_data(frozen)["is_running"]
    assert changes.update([frozen], [], 160.0) is None


def test_a_badge_that_is_heard_costs_no_traffic():
    changes = told([row(1, "Marfa", "healthy", 3, **seen(0.1))])
    for step in range(50):
        heard = row(1, "Marfa", "healthy", 3, **seen(0.1 * (step % 7)))
        assert changes.update([heard], [], 100.0 + step / 5) is None


def test_a_silent_badge_gets_an_age_that_the_browser_counts_on():
    changes = told([row(1, "Marfa", "healthy", 3, **seen(15.9))])
    sent = changes.update([row(1, "Marfa", "healthy", 3, **seen(16.1))], [], 100.2)
    assert sent is not None
    assert (sent["rows"][0]["is_fresh"], sent["rows"][0]["age_s"]) == (False, 16)
    later = row(1, "Marfa", "healthy", 3, **seen(46.1))
    assert changes.update([later], [], 130.2) is None


def test_a_badge_without_power_has_no_light_whatever_was_heard_last():
    assert row_data(row(3, "Wolf", "dying", 0, is_powered=False))["lamps"] == ["", "", ""]


def test_a_pattern_of_a_newer_badge_is_no_wrong_lamp():
    newer = row(3, "Wolf", "dying", 0, leds=(LedView("red", 99, "new"),) * 3)
    assert row_data(newer)["lamps"][0] == ""


def test_new_events_go_on_top_of_the_log():
    changes = told([], lines("c", "b", "a"))
    sent = changes.update([], lines("e", "d", "c", "b", "a"), 100.2)
    assert sent is not None
    assert [line["text"][0] for line in sent["lines"]] == ["e", "d"]
    assert "log" not in sent


def test_two_equal_hits_in_one_second_are_two_lines():
    changes = told([], lines("hit"))
    sent = changes.update([], lines("hit", "hit"), 100.2)
    assert sent is not None
    assert len(sent["lines"]) == 1


def test_a_full_log_that_moves_on_sends_only_the_new_line():
    changes = told([], lines("c", "b", "a"))
    sent = changes.update([], lines("d", "c", "b"), 100.2)
    assert sent is not None
    assert [line["text"][0] for line in sent["lines"]] == ["d"]


def test_a_hit_that_was_voided_later_replaces_the_log():
    changes = told([], lines("c", "b", "a"))
    sent = changes.update([], lines("c", "b (voided)", "a"), 100.2)
    assert sent is not None
    assert [line["text"][0] for line in sent["log"]] == ["c", "b (voided)", "a"]
    assert changes.update([], lines("a"), 100.4) == {
        "log": [{"time_s": 1000.0, "id": 1, "player": "Marfa", "text": ["a", "a"]}]
    }


def test_a_badge_that_leaves_and_returns_is_sent_again():
    marfa, wolf = row(1, "Marfa", "healthy", 3), row(2, "Wolf", "dying", 0, **event(("x", "y")))
    changes = told([marfa, wolf])
    assert changes.update([marfa], [], 100.2) == {"order": [1]}
    assert changes.update([wolf, marfa], [], 100.4) == {"order": [2, 1], "rows": [row_data(wolf)]}


def test_an_emergency_is_told_at_once():
    quiet = row(1, "Marfa", "healthy", 3)
    changes = told([quiet])
    out = changes.update([dataclasses.replace(quiet, is_emergency=True)], [], 100.1)
    assert out is not None
    assert out["rows"][0]["is_emergency"] is True
