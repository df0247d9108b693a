"""The demo's parts that need no badge: script, reading lamps, evidence, what is checked before."""

from __future__ import annotations

import ipaddress
import random
import socket
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from rich.console import Console
from tests.support.journals import PlayingBadge, records_of

from redband.demo import lights, preflight
from redband.demo.actions import Actions
from redband.demo.evidence import BadgeJournal, compare, read_journal
from redband.demo.preflight import prepare
from redband.demo.script import HIT_GAP_S, HOLD, PRESS, PULL, RESTORE, SHAKE, skirmish, strays
from redband.demo.settings import DemoSettings
from redband.demo.summary import BadgeFinding, LampFinding, summary_table, verdict
from redband.errors import RedbandUserError
from redband.overview.rows import BadgeRow, Text, led_views
from redband.rules.loader import load
from redband.tent.changes import row_data
from redband.virtual import runtime
from redband.virtual.field import Field
from redband.virtual.image import write_image
from redband_core import journal, led

HITS = load("hits")


# --- script ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [10.0, 60.0, 600.0])
def test_the_skirmish_is_the_same_for_the_same_seed(seconds: float) -> None:
    for badge_id in range(1, 7):
        actions = skirmish(badge_id, 6, seconds, seed=5)
        assert actions == skirmish(badge_id, 6, seconds, seed=5)
        assert [a.at_s for a in actions] == sorted(a.at_s for a in actions)
        assert all(HIT_GAP_S <= a.at_s < seconds for a in actions)
    assert skirmish(1, 6, seconds, seed=5) != skirmish(1, 6, seconds, seed=6)


def test_the_skirmish_uses_every_kind_of_hand() -> None:
    verbs = {a.verb for badge_id in range(1, 7) for a in skirmish(badge_id, 6, 60, 1)}
    assert verbs == {PRESS, SHAKE, HOLD, PULL, RESTORE}


def test_nobody_presses_a_badge_without_a_battery() -> None:
    for seed in range(50):
        is_out = False
        for action in skirmish(3, 6, 60, seed):
            assert not is_out or action.verb == RESTORE
            is_out = action.verb == PULL


def test_one_badge_alone_has_the_whole_story() -> None:
    verbs = [action.verb for action in skirmish(1, 1, 60, 1)]
    assert verbs.count(PULL) == verbs.count(RESTORE) == 1


def test_strays_go_on_and_on() -> None:
    actions = [action for _number, action in zip(range(50), strays(6, 60, 1), strict=False)]
    assert {action.verb for action in actions} == {PRESS, SHAKE, HOLD}, "nobody is helped"
    times = [action.at_s for action in actions]
    assert times == sorted(times)
    assert times[0] > 60


# --- lamps -------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", range(len(led.PATTERN_NAMES)))
def test_a_lamp_is_read_right_though_every_change_is_late(pattern: int) -> None:
    rng = random.Random(pattern)
    for _ in range(200):
        phase_ms = rng.randrange(4000)
        changes: list[tuple[float, int]] = []
        at_ms = 0
        while (step_ms := led.next_change_ms(pattern, phase_ms + at_ms)) > 0:
            at_ms += step_ms
            late_ms = max([at_ms + rng.uniform(0, 50), *(ms for ms, _level in changes)])
            if late_ms >= lights.WATCH_MS:
                break
            changes.append((late_ms, led.level(pattern, phase_ms + at_ms)))
        level = led.level(pattern, phase_ms)
        assert lights.recognise(level, changes, 0, lights.WATCH_MS) == pattern


# --- evidence ----------------------------------------------------------------------------------


def _played() -> PlayingBadge:
    badge = PlayingBadge(3, 9, HITS.ruleset)
    badge.start(boot_id=1)
    for _ in range(4):
        badge.happen(HITS.event("hit").id, 1, 0)
    return badge


def _image(folder: Path, badge: PlayingBadge, *segments: range) -> Path:
    files = {}
    for numbers in segments:
        base_ms = badge.records[numbers.start][0]
        data = journal.encode_header(badge.install_id, numbers.start, base_ms)
        data += b"".join(badge.records[seq][1] for seq in numbers)
        # A segment's file is one block of flash: after the records it is erased.
        files[f"/journal/{numbers.start:08x}.seg"] = data.ljust(4088, b"\xff") + b"itsblock"
    path = folder / "badge.img"
    write_image(path, files | {"/main.py": b"", "/journal/old.bad": b"?"})
    return path


def _on_badge(badge: PlayingBadge) -> BadgeJournal:
    return BadgeJournal({(9, r.seq): (r.kind, r.game_ms, r.payload) for r in records_of(badge)})


def test_the_journal_is_read_from_its_segments(tmp_path: Path) -> None:
    badge = _played()
    image = _image(tmp_path, badge, range(3), range(3, 7))
    found = read_journal(image)
    assert found == _on_badge(badge)
    assert found.events == 4


def test_journal_and_store_that_are_equal_agree() -> None:
    badge = _played()
    assert compare(_on_badge(badge), records_of(badge)).is_equal


def test_an_event_that_the_host_has_not_is_missing() -> None:
    badge = _played()
    found = compare(_on_badge(badge), records_of(badge)[:-1])
    assert (found.journal_events, found.store_events, found.missing) == (4, 3, 1)
    assert not found.is_equal


def test_a_checkpoint_behind_the_last_sync_is_no_difference() -> None:
    badge = _played()
    stored = records_of(badge)
    badge.pass_time(30_000)
    assert compare(_on_badge(badge), stored).is_equal
    # One in the middle is.
    assert compare(_on_badge(badge), [r for r in stored if r.kind != journal.NOTE]).missing == 1


def test_a_record_with_other_bytes_is_a_difference() -> None:
    badge = _played()
    stored = records_of(badge)
    stored[4] = replace(stored[4], payload=b"\x01\x09")
    assert compare(_on_badge(badge), stored).differing == 1


def test_a_record_that_no_badge_wrote_is_a_difference() -> None:
    badge = _played()
    extra = replace(records_of(badge)[-1], seq=99)
    assert compare(_on_badge(badge), [*records_of(badge), extra]).unknown == 1


def test_records_the_badge_has_let_go_are_counted_from_the_store() -> None:
    badge = _played()
    kept = {key: value for key, value in _on_badge(badge).records.items() if key[1] >= 5}
    found = compare(BadgeJournal(kept), records_of(badge))
    assert (found.journal_events, found.store_events, found.released) == (4, 4, 5)
    assert found.is_equal


def test_the_summary_says_which_badge_does_not_agree() -> None:
    badge = _played()
    equal = compare(_on_badge(badge), records_of(badge))
    lamps = LampFinding((led.OFF, led.STEADY), (led.OFF, led.STEADY), "healthy")
    good = BadgeFinding(3, "Fox", equal, lamps, mismatched=0)
    dark = replace(lamps, seen=(led.OFF, led.OFF))
    worse = [
        replace(good, badge_id=4, lamps=dark),
        replace(good, badge_id=5, lamps=None),
        replace(good, badge_id=6, mismatched=1),
        replace(good, badge_id=7, journal=replace(equal, missing=1), problem="badge went away"),
    ]
    assert verdict([good])[0].startswith("All 1 badges agree: 4 events")
    assert verdict([good, *worse]) == [
        "Badges that do not agree: 4, 5, 6, 7.",
        "Badge 4: the pins show dark.",
        "Badge 5: the LEDs did not keep still.",
        "Badge 6: 1 times the host's fold came to another state.",
        "Badge 7: 1 journal records are not in the store (badge went away).",
    ]
    console = Console(width=200, record=True)
    console.print(summary_table([good, *worse]))
    shown = console.export_text()
    assert "green steady" in shown
    assert shown.count("NO") == 4


# --- hands and the page ------------------------------------------------------------------------


class FakeBadge:
    """Stands in for a virtual badge: notes what is done to it."""

    def __init__(self, *, is_powered: bool) -> None:
        self.is_powered = is_powered
        self.deeds: list[str] = []

    def __getattr__(self, name: str):
        async def deed() -> None:
            self.deeds.append(name)

        return deed


class FakeField:
    """Stands in for a field with two badges, one of them without power."""

    def __init__(self) -> None:
        self.badges = {1: FakeBadge(is_powered=True), 2: FakeBadge(is_powered=False)}


@pytest.mark.parametrize(
    ("verb", "done"),
    [
        (PRESS, [["press"], []]),
        ("hit", [["press"], []]),
        (SHAKE, [["shake"], []]),
        (HOLD, [["hold"], []]),
        (PULL, [["power_cut"], []]),
        (RESTORE, [[], ["power_on"]]),
    ],
)
async def test_hands_do_what_a_badge_in_this_state_can_feel(
    verb: str, done: list[list[str]]
) -> None:
    field = FakeField()
    actions = Actions(cast(Field, field))
    for badge_id in (1, 2):
        await actions.do(verb, badge_id)
    assert [field.badges[1].deeds, field.badges[2].deeds] == done


async def test_what_nobody_can_do_is_one_sentence() -> None:
    actions = Actions(cast(Field, FakeField()))
    with pytest.raises(RedbandUserError, match="Nobody can eat a badge; there is press, shake"):
        await actions.do("eat", 1)
    with pytest.raises(RedbandUserError, match="There is no badge 9 in this field"):
        await actions.do(PRESS, 9)


def test_the_page_gets_the_row() -> None:
    lamps = led_views((led.FAST_BLINK, led.OFF, led.STEADY))
    row = BadgeRow(7, "Fox", state=Text("dying", "при смерти"), leds=lamps, hits=0, hits_max=3)
    data = row_data(replace(row, timer_left_s=900, flags=8, is_powered=True))
    assert data["lamps"] == ["led-fast_blink", "led-off", "led-steady"]
    assert (data["state"], data["hits"], data["max_hits"]) == (["dying", "при смерти"], 0, 3)
    assert (data["timer_s"], data["flags"], data["problem"]) == (900, [8], "")
    # Before anything is known there is nothing to show, and that is no error either.
    assert row_data(BadgeRow(7, ""))["hits"] is None


# --- before the start --------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path: Path) -> DemoSettings:
    return DemoSettings(data=tmp_path / "d", port=0)


def test_what_was_taken_is_given_back(settings: DemoSettings) -> None:
    for _ in range(2):
        with ExitStack() as undo:
            ground = prepare(settings, undo)
            assert ground.directory == settings.data
            assert ground.page_socket is not None


def test_only_this_machine_reaches_the_page(settings: DemoSettings) -> None:
    with ExitStack() as undo:
        ground = prepare(settings, undo)
        assert ground.page_socket is not None
        address = ipaddress.ip_address(ground.page_socket.getsockname()[0])
        assert address.is_loopback


def test_an_occupied_port_is_one_sentence(settings: DemoSettings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, ExitStack() as undo:
        port = other.getsockname()[1]
        with pytest.raises(RedbandUserError, match=f"Port {port} of this machine is in use"):
            prepare(replace(settings, port=port), undo)


def test_without_a_page_no_port_is_needed(settings: DemoSettings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, ExitStack() as undo:
        without = replace(settings, port=other.getsockname()[1], has_page=False)
        assert prepare(without, undo).page_address is None


def test_a_second_demo_is_told_where_the_first_is(settings: DemoSettings) -> None:
    with ExitStack() as first, ExitStack() as second:
        address = prepare(settings, first).page_address
        with pytest.raises(RedbandUserError, match="A demo is running in") as caught:
            prepare(settings, second)
        assert address is not None
        assert address in str(caught.value)
        assert "--data DIR" in str(caught.value)


def test_runs_of_one_base_get_folders_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preflight, "DEMO_DATA", tmp_path / "demo-data")
    with ExitStack() as undo:
        ground = prepare(DemoSettings(has_page=False), undo)
    assert ground.directory.parent == tmp_path / "demo-data"


def test_a_missing_runtime_is_one_sentence(
    settings: DemoSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "RUNTIME_MODULES", ("bumble", "no_such_runtime"))
    with ExitStack() as undo, pytest.raises(RedbandUserError, match=r"\(no_such_runtime\)"):
        prepare(settings, undo)


def test_too_little_room_is_said_before_anything_starts(
    settings: DemoSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preflight, "SPARE_BYTES", 1 << 60)
    with ExitStack() as undo, pytest.raises(RedbandUserError, match="MB free and a demo with 6"):
        prepare(settings, undo)


def test_a_file_in_the_place_of_the_folder_is_one_sentence(settings: DemoSettings) -> None:
    assert settings.data is not None
    settings.data.write_text("here first")
    with ExitStack() as undo, pytest.raises(RedbandUserError, match="cannot be written"):
        prepare(settings, undo)


def test_an_image_that_is_no_file_system_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "badge.img"
    path.write_bytes(bytes(4096 * 512))
    with pytest.raises(RedbandUserError, match="cannot be read"):
        read_journal(path)
