"""`redband badge calibrate` on a virtual badge: real mpremote, the badge's own accelerometer."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys

import pytest

from redband.desk import calibrate as calibration
from redband.desk import calibrate_words as words
from redband.desk.calibrate import BLOWS, STEP_MG, calibrate, is_apart, threshold_mg
from redband.errors import RedbandUserError
from redband.virtual.image import read_image

SWING = [
    (step * 10_000, (abs((step + 12) % 50 - 25) - 12) * 240, 0, 1000) for step in range(100)
] + [(1_000_000, 0, 0, 1000)]
"""An arm that swings twice a second, up to 3 g."""


class Desk:
    """A technician in another thread: `hands(step)` is awaited in the badge's loop."""

    def __init__(self, hands, language: int = 0) -> None:
        self.language = language
        self.said: list[str] = []
        self._hands = hands
        self._loop = asyncio.get_running_loop()
        self._tasks: list[asyncio.Task] = []
        self.waited: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)
        if text == words.MEASURING[self.language]:
            self._do("still" if len(self.waited) == 1 else "swing")
        if text.startswith(words.STRIKE[self.language].split("{")[0]):
            self._do("blow")

    def wait(self, text: str) -> None:
        self.waited.append(text)

    def _do(self, deed: str) -> None:
        def start() -> None:
            self._tasks.append(asyncio.ensure_future(self._hands(deed)))

        self._loop.call_soon_threadsafe(start)

    async def run(self, port) -> calibration.Calibration:
        return await asyncio.to_thread(calibrate, str(port), self)


@pytest.fixture
def quick(monkeypatch):
    """Shorter steps: the tests measure what they do, not how long a technician takes."""
    monkeypatch.setattr(calibration, "STILL_S", 1)
    monkeypatch.setattr(calibration, "SWING_S", 2)
    monkeypatch.setattr(calibration, "BLOW_TIMEOUT_S", 4)


@pytest.fixture
def make_player(make_badge):
    """Return make(**options): a badge in its game, with an accelerometer."""

    async def make(**options):
        options = {"with_firmware": True, "player": "Raven", "has_accelerometer": True} | options
        badge = await make_badge(**options)
        await badge.wait_led(lambda leds: leds[1] == 1, timeout_s=20)
        return badge

    return make


def hands_on(badge, blows_mg):
    """Return the hands of a technician who swings the arm and strikes so hard, one by one."""
    left = list(blows_mg)

    async def hands(deed: str) -> None:
        if deed == "swing":
            await badge.move(SWING)
        elif deed == "blow" and left:
            await badge.blow(left.pop(0))

    return hands


def stored(badge) -> dict:
    return json.loads(read_image(badge.image_path)["/settings.json"])


async def until_playing(badge) -> None:
    await badge.wait_led(lambda leds: leds[1] == 1, timeout_s=20)


def test_the_threshold_is_midway_and_blows_must_be_apart():
    assert threshold_mg(1000, [5000, 4000, 9000]) == 2500
    assert threshold_mg(0, [210]) == 200
    assert threshold_mg(15_000, [24_000]) == 16_000
    assert is_apart(1000, 1000 + 4 * STEP_MG)
    assert not is_apart(1000, 999 + 4 * STEP_MG)
    assert is_apart(6000, 8000)
    assert not is_apart(6001, 8000)


def test_every_text_is_there_in_both_languages_with_the_same_figures():
    texts = [value for name, value in vars(words).items() if isinstance(value, tuple)]
    texts += words.FAULTS.values()
    assert len(texts) > 15
    for english, russian in texts:
        assert sorted(re.findall(r"{\w+}", english)) == sorted(re.findall(r"{\w+}", russian))
        assert russian == english or re.search("[а-я]", russian), russian


async def test_ten_blows_are_answered_and_the_threshold_is_stored(make_player, quick):
    badge = await make_player()
    before = stored(badge)
    blows_mg = [9000, 8000, 7000, 12_000, 6500, 7000, 8000, 9000, 10_000, 7500]
    desk = Desk(hands_on(badge, blows_mg))
    found = await desk.run(badge.usb_path)
    assert len(found.blows_mg) == BLOWS
    assert found.noise_mg < 200 < found.movement_mg < 2000
    for peak_mg, blow_mg in zip(found.blows_mg, blows_mg, strict=True):
        assert blow_mg * 0.6 < peak_mg <= blow_mg * 1.05
    assert found.movement_mg < found.threshold_mg < min(found.blows_mg)
    answers = [text for text in desk.said if text.strip().endswith(" mg") and text[0] == " "]
    assert answers == [f"  {peak} mg" for peak in found.blows_mg]
    assert [text[:7] for text in desk.waited] == ["1 of 3.", "2 of 3.", "3 of 3."]
    await until_playing(badge)
    await badge.power_cut()
    wanted = {"impact": "accelerometer", "impact_threshold_mg": found.threshold_mg}
    assert stored(badge) == before | wanted
    files = read_image(badge.image_path)
    assert json.loads(files["/settings.good"]) == before | wanted, "the game accepted them"


async def refused(badge, desk) -> str:
    """Return the sentence; the badge must be as it was, and play again."""
    before = read_image(badge.image_path)["/settings.json"]
    boots = badge.boots
    with pytest.raises(RedbandUserError) as error:
        await desk.run(badge.usb_path)
    assert badge.boots > boots
    await until_playing(badge)
    assert read_image(badge.image_path)["/settings.json"] == before
    text = str(error.value)
    assert text.endswith(".")
    assert "\n" not in text
    return text


async def test_blow_as_weak_as_the_swing_is_refused_by_its_number(make_player, quick):
    badge = await make_player()
    desk = Desk(hands_on(badge, [9000, 9000, 700]))
    assert "Blow 3 was not felt" in await refused(badge, desk)


async def test_weakest_blow_too_near_to_the_swing_is_refused(make_player, quick, monkeypatch):
    monkeypatch.setattr(calibration, "BLOWS", 3)
    monkeypatch.setattr(calibration, "GAP_PARTS", 1)  # the gap would have to be all of the blow
    badge = await make_player()
    desk = Desk(hands_on(badge, [9000, 9000, 9000]))
    assert "too near to the swinging arm" in await refused(badge, desk)


async def test_badge_that_is_moved_at_rest_is_refused(make_player, quick):
    badge = await make_player()

    async def hands(deed: str) -> None:
        await badge.move(SWING)

    assert "moved while it should lie still" in await refused(badge, Desk(hands))


async def test_without_an_accelerometer_one_sentence(make_player, quick):
    badge = await make_player(has_accelerometer=False)
    assert "has no accelerometer" in await refused(badge, Desk(hands_on(badge, [])))


async def test_accelerometer_that_dies_between_two_blows_is_one_sentence(make_player, quick):
    badge = await make_player()
    hands = hands_on(badge, [9000])

    async def breaking(deed: str) -> None:
        await hands(deed)
        if deed == "blow":
            await badge.pause(1000)
            badge.break_sensor("ETIMEDOUT")

    assert "stopped answering" in await refused(badge, Desk(breaking))


async def test_badge_without_settings_or_with_an_old_firmware_is_sent_to_install(
    make_badge, quick
):
    blank = await make_badge()
    await blank.console.wait_output(b">>> ")
    with pytest.raises(RedbandUserError, match="older firmware; run redband badge install"):
        await Desk(hands_on(blank, [])).run(blank.usb_path)


async def command(badge, *arguments: str, **streams):
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *["-m", "redband", "badge", "calibrate", "--port", str(badge.usb_path), *arguments],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        **streams,
    )


async def until_said(process, text: str) -> None:
    async with asyncio.timeout(40):
        while text not in (line := (await process.stdout.readline()).decode()):
            assert line, f"ended before it said {text!r}"


async def test_ctrl_c_in_the_middle_leaves_the_badge_as_it_was(make_player):
    badge = await make_player()
    before = read_image(badge.image_path)["/settings.json"]
    process = await command(badge, start_new_session=True)
    await until_said(process, "1 of 3.")
    process.stdin.write(b"\n")
    await until_said(process, "Measuring now")
    boots = badge.boots
    os.killpg(process.pid, 2)  # as a terminal does: to all of them
    async with asyncio.timeout(40):
        _out, error = await process.communicate()
    assert process.returncode == 130, error
    assert error.decode() == words.CANCELLED[0] + "\n"
    async with asyncio.timeout(20):
        while badge.boots <= boots:  # noqa: ASYNC110 (mpremote does not wait for its reset)
            await asyncio.sleep(0.05)
    await until_playing(badge)
    assert read_image(badge.image_path)["/settings.json"] == before


async def test_nobody_at_the_keyboard_is_one_russian_sentence(make_player):
    badge = await make_player()
    process = await command(badge, "--lang", "ru")
    process.stdin.close()
    async with asyncio.timeout(60):
        error = (await process.stderr.read()).decode()
        await process.stdout.read()
        code = await process.wait()
    assert (code, error) == (2, f"redband: {words.NO_INPUT[1]}\n")
    await until_playing(badge)
