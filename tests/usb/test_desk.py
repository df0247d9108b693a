"""A technician's desk: `redband badge` on a whole badge's USB port, with the real mpremote."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import termios

import pytest
from tests.support.self_tests import hits, try_out

from redband.cli.app import run
from redband.desk import prompt, self_test
from redband.desk import status as live
from redband.virtual.image import read_image, write_image
from redband_core import journal, numbers

TRANSPORT = "/transport"


@pytest.fixture
def desk(capsys):
    """Return run(bench, *words): `redband badge` with the badge's port -> (exit code, output)."""

    async def call(bench, *words: str) -> tuple[int, str]:
        command = ["badge", words[0], "--port", str(bench.badge.usb_path), *words[1:]]
        code = await asyncio.to_thread(run, command)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return call


def starts(bench) -> int:
    return [record[1] for record in bench.records()].count(journal.BOOT)


async def plays_again(bench, count: int) -> None:
    """Wait until the badge has started once more and may be touched."""
    async with asyncio.timeout(30):
        while starts(bench) <= count:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    await bench.quiet()


def settings_of(bench) -> dict:
    return json.loads(bench.files()["/settings.json"])


# Status: the game goes on.


async def test_status_of_a_badge_that_plays_stops_nothing(make_bench, desk):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.press())
    code, said = await desk(bench, "status")
    assert code == 0, said
    assert "7 Anna, player" in said
    assert "passed" not in said
    assert "never done" in said
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    assert bench.badge.boots == 1
    assert hits(bench) == 2


async def test_status_speaks_russian_and_json(make_bench, desk):
    bench = await make_bench()
    code, said = await desk(bench, "status", "--lang", "ru")
    assert (code, "Аварийный режим  нет" in said) == (0, True), said
    code, said = await desk(bench, "status", "--json")
    facts = json.loads(said)
    assert facts["settings"]["badge_id"] == 7
    assert facts["safe_mode"] == 0
    assert facts["journal"][1] >= 1


async def test_T2_status_changes_no_line_of_the_port(make_bench, desk, monkeypatch):
    bench = await make_bench()
    descriptor = os.open(bench.badge.usb_path, os.O_RDWR | os.O_NOCTTY)
    attributes = termios.tcgetattr(descriptor)
    attributes[2] |= termios.HUPCL  # as a port is at first
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
    os.close(descriptor)
    changes = []
    whole_ioctl = fcntl.ioctl

    def recording_ioctl(descriptor, request, *rest):
        if request in (termios.TIOCMBIC, termios.TIOCMSET):
            changes.append(request)
        return whole_ioctl(descriptor, request, *rest)

    monkeypatch.setattr(fcntl, "ioctl", recording_ioctl)
    opened = []
    whole_open = live._open

    def kept_open(port):
        line = whole_open(port)
        opened.append(termios.tcgetattr(line.fileno())[2] & termios.HUPCL)
        return line

    monkeypatch.setattr(live, "_open", kept_open)
    code, said = await desk(bench, "status")
    assert code == 0, said
    assert changes == [], "a line that falls resets some boards"
    assert opened == [0], "and at closing none may fall"


async def test_status_of_a_badge_in_safe_mode_says_why(make_bench, desk):
    bench = await make_bench(replace={"/settings.json": b'{"badge_id": 7'})
    code, said = await desk(bench, "status")
    assert code == 0
    assert "Safe mode      settings" in said
    assert "Settings       no JSON" in said


async def test_status_that_nobody_answers_names_the_way_that_stops_the_game(
    make_bench, desk, monkeypatch
):
    monkeypatch.setattr(live, "ANSWER_TIMEOUT_S", 1.0)
    monkeypatch.setattr(live.ask, "__defaults__", (1.0,))
    bench = await make_bench(replace={"/main.py": b"while True:\n    pass\n"}, with_power=False)
    await bench.badge.power_on()
    code, said = await desk(bench, "status")
    assert code == 6
    assert "--stop" in said
    code, said = await desk(bench, "status", "--stop")
    assert code == 0, said
    assert "7 Anna, player" in said


async def test_status_stopped_starts_the_badge_again_and_the_state_is_kept(make_bench, desk):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.press())
    count = starts(bench)
    code, said = await desk(bench, "status", "--stop")
    assert code == 0, said
    await plays_again(bench, count)
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    assert hits(bench) == 2


async def test_question_mark_in_a_flood_of_bytes_ends_no_game(make_bench):
    bench = await make_bench()
    with bench.badge.usb_path.open("r+b", buffering=0) as port:
        port.write(b"\xa6\xb0?" * 60)
        await bench.badge.console.wait_output(b"STATUS {")
    await bench.acknowledged(bench.badge.press())
    assert b"Traceback" not in bench.badge.console.log
    assert bench.badge.boots == 1


async def test_T5_port_that_is_not_there_is_one_sentence(make_bench, desk, tmp_path, capsys):
    for command in ("status", "settings", "selftest", "transport"):
        words = ["badge", command, "--port", str(tmp_path / "nothing")]
        assert await asyncio.to_thread(run, words) == 3
        assert "There is no port" in capsys.readouterr().err


# Settings.


async def test_settings_are_shown_and_changed_and_the_game_goes_on(make_bench, desk):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.press())
    code, said = await desk(bench, "settings")
    assert (code, "brightness_pct=100" in said) == (0, True), said
    words = ("settings", "--set", "brightness_pct=40", "--set", "player=Лис", "--set", "radio=off")
    count = starts(bench)
    code, said = await desk(bench, *words)
    assert (code, "brightness_pct=40" in said) == (0, True), said
    await plays_again(bench, count)
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    changed = settings_of(bench)
    assert (changed["brightness_pct"], changed["player"]) == (40, "Лис")
    assert changed["radio"] is False
    assert hits(bench) == 2, "the journal went on"


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("brightness_pct=400", "brightness_pct is a whole number from 1 to 100, not 400."),
        ("brightness_pct=", "brightness_pct is a whole number from 1 to 100, not ."),
        ("impact=foot", "impact is one of switch, off, accelerometer, not foot."),
        ("radio=maybe", "radio is one of on, off, not maybe."),
        ("role=king", "role is one of player, medic, marshal, game_master, technician, not king."),
        ("volume=3", "There is no setting volume; there are player, role, radio"),
        ("badge_id=9", "badge_id is given with redband badge install --badge-id."),
        ("radio", "A setting is name=value, not radio."),
        ("player=" + "x" * 41, "player is a name of up to 40 characters, not xxx"),
    ],
)
async def test_bad_setting_is_one_sentence_with_what_is_allowed(
    tmp_path, capsys, setting, sentence
):
    port = str(tmp_path / "port")  # never opened
    for words in (["settings", "--set", setting], ["install", "--setting", setting]):
        assert await asyncio.to_thread(run, ["badge", *words, "--port", port]) == 2
        assert sentence in capsys.readouterr().err


async def test_R5_damaged_settings_are_kept_aside_when_they_are_replaced(make_bench, desk):
    bench = await make_bench()
    await bench.badge.power_cut()
    bad = b'{"badge_id": 7, "pla'
    write_image(bench.badge.image_path, bench.files() | {"/settings.json": bad})
    await bench.badge.power_on()
    await bench.until_lit()
    count = starts(bench)
    code, said = await desk(bench, "settings", "--set", "brightness_pct=70")
    assert code == 0, said
    await plays_again(bench, count)
    code, said = await desk(bench, "status")
    assert "Safe mode      no" in said
    assert bench.files()["/settings.bad"] == bad
    assert settings_of(bench)["player"] == "Anna"


async def test_badge_without_settings_is_told_to_be_installed(make_bench, desk):
    bench = await make_bench(replace={"/settings.json": b"", "/settings.good": b""})
    code, said = await desk(bench, "settings", "--set", "brightness_pct=70")
    assert code == 2
    assert "has no settings yet" in said


async def test_R5_power_cut_at_every_flash_operation_of_a_change_of_settings(
    make_bench, desk, monkeypatch
):
    # The virtual port stays when the battery goes: mpremote waits for an answer.
    monkeypatch.setattr(prompt, "RUN_TIMEOUT_S", 4.0)
    bench = await make_bench()
    await bench.badge.power_cut()
    before = bench.badge.image_path.read_bytes()
    found = set()
    for operations in range(100):
        bench.badge.image_path.write_bytes(before)
        bench.badge.chip.flash_cut_after = None
        await bench.badge.power_on()
        await bench.until_lit()
        bench.badge.chip.flash_cut_after = operations  # of the start for the program
        change = asyncio.create_task(desk(bench, "settings", "--set", "brightness_pct=40"))
        cut = asyncio.create_task(bench.badge.chip.wait_flash_cut())
        await asyncio.wait([change, cut], timeout=30, return_when=asyncio.FIRST_COMPLETED)
        is_cut = cut.done()
        bench.badge.chip.flash_cut_after = None
        await bench.badge.power_cut()
        cut.cancel()
        await change
        settings = json.loads(read_image(bench.badge.image_path)["/settings.json"])
        found.add(settings.get("brightness_pct"))
        if not is_cut:
            break
        await bench.badge.power_on()
        await bench.until_lit()
        await bench.badge.power_cut()
        assert numbers.NOTE_SAFE_MODE not in [code for code, _value in bench.notes()]
    assert found == {None, 40}
    assert operations > 3, "the cuts must hit the work"


# Self-test.


async def test_selftest_of_a_good_badge_passes_and_is_journalled(make_bench, desk):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.press())
    count = starts(bench)
    helper = asyncio.create_task(try_out(bench))
    code, said = await desk(bench, "selftest")
    await helper
    assert code == 0, said
    assert "Press the button while the green light blinks" in said
    assert "FAILED" not in said
    await plays_again(bench, count)
    code, said = await desk(bench, "status")
    assert "Self-test      passed" in said
    await bench.badge.power_cut()
    results = [value for code, value in bench.notes() if code == numbers.NOTE_SELF_TEST]
    assert [value & 0xFFFF for value in results] == [0]
    assert hits(bench) == 1, "what was pressed in the test is no hit"
    assert "/selftest" not in bench.files()


async def test_selftest_without_a_hand_at_the_sensor_fails_in_both_tongues(make_bench, desk):
    bench = await make_bench()
    count = starts(bench)
    helper = asyncio.create_task(try_out(bench, is_impact=False))
    code, said = await desk(bench, "selftest", "--lang", "ru")
    await helper
    assert code == 1, said
    assert "Стукните по датчику" in said
    assert "Датчик удара, красный свет  НЕТ" in said
    await plays_again(bench, count)
    code, said = await desk(bench, "status", "--lang", "ru")
    assert "не пройдена: датчик удара и красный свет" in said
    code, said = await desk(bench, "status", "--json")
    facts = json.loads(said)
    assert facts["faults"] == 16


# Transport.


async def test_transport_puts_the_badge_to_sleep_until_its_button_is_held(make_bench, desk):
    bench = await make_bench()
    code, said = await desk(bench, "transport")
    assert code == 0, said
    async with asyncio.timeout(30):
        await bench.badge.chip.wait_asleep()
    assert TRANSPORT in bench.files()
    await bench.badge.hold(4000)
    await bench.until_lit()
    await until_gone(bench, TRANSPORT)


async def until_gone(bench, name: str) -> None:
    async with asyncio.timeout(20):
        while name in bench.files():  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def test_ctrl_c_in_the_self_test_leaves_no_badge_at_its_prompt(make_bench):
    bench = await make_bench()
    count = starts(bench)

    def walk_away(_prompt: str) -> None:
        raise KeyboardInterrupt

    def test() -> bool:
        try:
            self_test.self_test(str(bench.badge.usb_path), False, walk_away)
        except KeyboardInterrupt:
            return True
        return False

    assert await asyncio.to_thread(test)
    await plays_again(bench, count)
    await bench.acknowledged(bench.badge.press())
