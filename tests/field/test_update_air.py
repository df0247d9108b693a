"""Updates over the air on whole badges: firmware that is good, firmware that is not, settings."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.badge_journal import events, notes
from tests.support.updates import UpdateHost
from tests.support.waiting import WAIT_S

from redband.build import packages
from redband.build.firmware import firmware_directory, firmware_files
from redband.gateway import air_update
from redband.radio.update import send_update
from redband.rules import load
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field
from redband.virtual.image import read_image, write_image
from redband_core import upload

BEGUN, APPLIED, CONFIRMED, ROLLED_BACK = 76, 77, 78, 79


def update_notes(badge: VirtualBadge) -> list[tuple[int, int]]:
    return [note for note in notes(badge) if BEGUN <= note[0] <= ROLLED_BACK]


@pytest.fixture
async def host(field: Field) -> AsyncIterator[UpdateHost]:
    await field.add_badge(BadgeSpec(1, "Anna"))
    radio = backend(field.hci_path)
    yield UpdateHost(field, radio)
    await radio.close()


def leftovers(badge: VirtualBadge) -> list[str]:
    """Return what an update that is over has left on the flash."""
    files = read_image(badge.image_path)
    return [name for name in files if name == "/slot" or name.startswith(("/stage", "/lib."))]


def changed_firmware(tmp_path: Path, changes: dict[str, str]) -> dict[str, bytes]:
    """Return the firmware built with something after some of its sources, or new ones."""
    directory = tmp_path / "changed"
    if not directory.exists():
        shutil.copytree(firmware_directory(), directory)
    for name, text in changes.items():
        with (directory / "lib" / name).open("a", encoding="utf-8") as file:
            file.write(text)
    return firmware_files(directory)


ADDED = "redband_badge/added.py"
GOOD = {ADDED: "SIGN = 1\n"}
BROKEN_IMPORT = "\nimport no_such_module\n"
BROKEN_NAME = "\nno_such_name\n"
TASK = """

def add_power(badge, supervisor):
    async def run(beat):
        %s

    supervisor.add(5, run)
"""
BROKEN = {
    "raises at import": {"redband_badge/power_parts.py": BROKEN_IMPORT},
    "raises at import what nobody expects": {"redband_badge/power_parts.py": BROKEN_NAME},
    "raises at start": {
        "redband_badge/power_parts.py": "\n\ndef add_power(badge, supervisor):\n    raise KeyError"
    },
    "raises after 2 s": {
        "redband_badge/power_parts.py": TASK % "await asyncio.sleep_ms(2000); raise KeyError"
        + "\n    for _ in range(4):\n        supervisor.add(5, run)\n"
    },
    "hangs until the watchdog": {
        "redband_badge/power_parts.py": TASK
        % "await asyncio.sleep_ms(500)\n        __import__('time').sleep(3600)"
    },
    "a task never reports": {
        "redband_badge/power_parts.py": TASK % "await asyncio.sleep_ms(1000000)"
    },
    "radio does not start": {
        "redband_hal/radio.py": "\n\ndef _dead(self, name, version):\n    raise OSError(5)\n"
        "\n\nRadio.start = _dead\n"
    },
    "radio does not advertise": {
        "redband_hal/radio.py": "\n\ndef _dumb(self, interval, data, response):\n"
        "    raise OSError(5)\n\n\nRadio.advertise = _dumb\n"
    },
    "radio is not there": {
        "redband_badge/radio_parts.py": "\n\ndef add_radio(badge, supervisor, radio=None):\n"
        "    return radio or make_radio()\n"
    },
}


async def test_settings_are_changed_and_the_game_goes_on(host: UpdateHost) -> None:
    await host.hit()
    outcome = await host.update(packages.settings_package({"brightness_pct": 40}))
    assert outcome.is_good, outcome
    await host.hit()
    await host.badge.power_cut()
    files = read_image(host.badge.image_path)
    assert json.loads(files["/settings.json"])["brightness_pct"] == 40
    assert len(events(host.badge)) == 2
    assert update_notes(host.badge) == [(BEGUN, upload.SETTINGS), (APPLIED, upload.SETTINGS)]
    assert not leftovers(host.badge)


async def test_other_ruleset_begins_a_new_game_only_when_told_to(host: UpdateHost) -> None:
    await host.hit()
    package = packages.ruleset_package(load("wounds_hospital"))
    refused = await host.update(package)
    assert not refused.is_good
    assert "would begin a new game" in refused.sentence
    assert (BEGUN, upload.RULESET | upload.NEW_GAME << 8) in update_notes(host.badge)
    outcome = await host.update(package, force=True)
    assert outcome.is_good, outcome
    await host.badge.power_cut()
    files = read_image(host.badge.image_path)
    assert files["/ruleset.bin"] == load("wounds_hospital").data
    assert len(events(host.badge)) == 0
    assert [name for name in files if name.startswith("/journal.old/")]
    assert not leftovers(host.badge)


async def test_new_firmware_stays_and_the_journal_too(host: UpdateHost, tmp_path: Path) -> None:
    await host.hit()
    pressed = []

    def press(text: str) -> None:
        if text.startswith("50 %"):
            pressed.append(asyncio.ensure_future(host.badge.press()))

    host.on_said = press
    package = packages.firmware_package(changed_firmware(tmp_path, GOOD))
    outcome = await host.update(package)
    assert outcome.is_good, outcome
    assert len(pressed) == 1
    await host.hit()
    await host.until_note(CONFIRMED)
    async with asyncio.timeout(WAIT_S):
        while leftovers(host.badge):  # noqa: ASYNC110 (a flash tells nobody)
            await asyncio.sleep(0.2)
    await host.badge.power_cut()
    assert "/lib/redband_badge/added.mpy" in read_image(host.badge.image_path)
    assert len(events(host.badge)) == 3, "the press during the upload counted"
    assert update_notes(host.badge) == [
        (BEGUN, upload.FIRMWARE),
        (APPLIED, upload.FIRMWARE),
        (CONFIRMED, 1),
    ]


async def test_firmware_that_does_not_import_goes_back_and_the_host_is_told(
    host: UpdateHost, tmp_path: Path
) -> None:
    await host.hit()
    before = read_image(host.badge.image_path)
    broken = changed_firmware(tmp_path, BROKEN["raises at import"])
    outcome = await host.update(packages.firmware_package(broken))
    assert not outcome.is_good
    assert "went back to 0.1.0 by itself" in outcome.sentence
    await host.hit()
    await host.until_note(ROLLED_BACK)
    await host.badge.power_cut()
    after = read_image(host.badge.image_path)
    assert {n: d for n, d in after.items() if n.startswith("/lib/")} == {
        n: d for n, d in before.items() if n.startswith("/lib/")
    }
    assert len(events(host.badge)) == 2
    assert update_notes(host.badge)[-1] == (ROLLED_BACK, 1)


async def test_upload_goes_on_where_a_pulled_battery_and_a_killed_host_left_it(
    host: UpdateHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(air_update, "firmware_version", lambda: "0.0.9")
    package = packages.firmware_package(changed_firmware(tmp_path, GOOD))
    begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def pull(text: str) -> None:
        if text.startswith("50 %") and not begun.done():
            begun.set_result(None)

    host.on_said = pull
    task = asyncio.create_task(host.update(package))
    await begun
    await host.badge.power_cut()
    await host.badge.power_on()
    await asyncio.sleep(0.5)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    host.said.clear()
    outcome = await host.update(package)
    assert outcome.is_good, outcome
    first = next(text for text in host.said if "% of" in text)
    assert int(first.split()[0]) >= 30, "it does not begin anew"
    assert "goes back from 0.1.0 to 0.0.9, an older one" in host.said


def prepared(badge: VirtualBadge, new: dict[str, bytes]) -> dict[str, bytes]:
    """Put new firmware on a badge's flash as an upload does; return its files of before."""
    files = read_image(badge.image_path)
    staged = {"/lib.new" + n[4:]: d for n, d in new.items() if n.startswith("/lib/")}
    slot = {"/slot": bytes((1, upload.FIRMWARE, 0, 0, 0, 0))}
    write_image(badge.image_path, files | staged | slot)
    return files


async def test_battery_pulled_on_trial_is_no_verdict(host: UpdateHost, tmp_path: Path) -> None:
    badge = await host.field.add_badge(BadgeSpec(2, "Boris"), with_power=False)
    prepared(badge, changed_firmware(tmp_path, GOOD))
    keys = host.field.keys
    for start in (1, 2):
        await badge.power_on()
        devices = await air_update.listen(keys, host.radio, frozenset((2,)), WAIT_S)
        result = await send_update(devices[2], 2, keys, host.radio)
        assert result.welcome.firmware_version == "0.1.0 trial"
        assert (result.answer.state, result.answer.starts) == (2, start)
        await badge.power_cut()
    await badge.power_on()
    async with asyncio.timeout(WAIT_S):
        while (CONFIRMED, 3) not in notes(badge):  # noqa: ASYNC110 (a flash tells nobody)
            await asyncio.sleep(0.3)
    assert (await send_update(devices[2], 2, keys, host.radio)).welcome.firmware_version == "0.1.0"


@pytest.mark.parametrize("how", BROKEN)
async def test_broken_firmware_goes_back_by_itself(tmp_path: Path, how: str) -> None:
    field = Field(tmp_path / "field")
    await field.start()
    try:
        badge = await field.add_badge(BadgeSpec(1, "Anna"), with_power=False)
        new = changed_firmware(tmp_path, BROKEN[how])
        files = prepared(badge, new)
        old = {name: data for name, data in files.items() if name.startswith("/lib/")}
        assert {n: d for n, d in new.items() if n.startswith("/lib/")} != old
        await badge.power_on()
        async with asyncio.timeout(80):
            while (ROLLED_BACK, 1) not in notes(badge):  # noqa: ASYNC110
                await asyncio.sleep(0.3)
        await badge.power_cut()
        files = read_image(badge.image_path)
        assert {name: data for name, data in files.items() if name.startswith("/lib/")} == old
    finally:
        await field.stop()
