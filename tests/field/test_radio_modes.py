"""Sync, orders, broadcasts, the medic's tap and updates, in both modes of the radio.

In windowed mode each badge is at rest before it is talked to: its radio is off most of the time,
and it sleeps lightly meanwhile.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.host_radio import Observer, SyncHost
from tests.support.taps import Air, hit, lit, taps, treat
from tests.support.updates import UpdateHost
from tests.support.waiting import WAIT_S, until

from redband.build import packages
from redband.build.firmware import firmware_directory
from redband.gateway.broadcasts import COMMANDS, make_broadcast
from redband.radio import AdvertReader, command_badge
from redband.store.store import STORE_FILE, Store
from redband.virtual.badge import VirtualBadge
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field
from redband.virtual.image import read_image
from redband.wire import command_frames as wire_command_frames
from redband_core import frames, numbers

SLEPT = b"slept lightly"
MODES = ["continuous", "windowed"]


CHANGES = (
    ("AFTER_CHANGE_MS = 60_000", "AFTER_CHANGE_MS = 2000"),
    (
        "        self._was_on = is_on\n",
        "        self._was_on = is_on\n"
        "        if not self._state.sleep_refusal:\n"
        "            print('slept lightly')\n",
    ),
)


def restless_windows() -> tuple[str, bytes]:
    """Return radio_windows with 2 s in place of a minute, that tells of sleep.

    A .py goes before its .mpy.
    """
    path = "/lib/redband_badge/radio_windows.py"
    text = (firmware_directory() / path.lstrip("/")).read_text(encoding="utf-8")
    for old, new in CHANGES:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return (path, text.encode())


class Party:
    """A field whose badges all have one mode."""

    def __init__(self, field: Field, mode: str) -> None:
        self.field = field
        self.mode = mode

    async def join(self, spec: BadgeSpec) -> VirtualBadge:
        """Let a badge join; return when it plays."""
        options = (*spec.options, ("radio_mode", self.mode), ("impact", "off"))
        spec = replace(spec, options=options, files=(restless_windows(),))
        badge = await self.field.add_badge(spec)
        await lit(badge)
        return badge

    def is_on(self, badge: VirtualBadge) -> bool:
        return badge.spec.address in [one.name for one in self.field.ether.controllers]

    @staticmethod
    def count_dead_radios(badge: VirtualBadge) -> list[bool]:
        """Return a list that grows with each light sleep while the radio is on."""
        found: list[bool] = []
        sleep = badge.chip._light_sleep

        def counted() -> None:
            found.append(True)
            sleep()

        badge.chip._light_sleep = counted  # pyright: ignore[reportAttributeAccessIssue]
        return found

    async def rest(self, *badges: VirtualBadge) -> None:
        """Return when each radio has just gone off; in continuous mode at once."""
        if self.mode == "continuous":
            return
        for badge in badges:
            for wanted in (True, False, True, False):
                await until(lambda b=badge, w=wanted: self.is_on(b) == w)


@pytest.fixture(params=MODES)
def party(field: Field, request: pytest.FixtureRequest) -> Party:
    return Party(field, request.param)


async def test_sync_brings_every_record(party: Party):
    badge = await party.join(BadgeSpec(1, "Anna"))
    dead = party.count_dead_radios(badge)
    await party.rest(badge)
    if party.mode == "windowed":  # a badge that was hit has its light on, and is awake
        await until(lambda: SLEPT in badge.console.log)
    await hit(badge)
    await party.rest(badge)
    radio = backend(party.field.hci_path)
    host = SyncHost(radio, party.field.keys)
    result = await host.sync()
    assert result.records == len(host.records) == result.next_seq >= 2
    assert (result.asked_again, result.missing_records) == (0, 0)
    await party.rest(badge)
    await badge.press()  # while the radio is off
    again = await host.sync(result.next_seq)
    assert again.records >= 1
    # B10: it sleeps between windows, and never with the radio on.
    assert not dead
    assert (SLEPT in badge.console.log) == (party.mode == "windowed")
    await radio.close()


async def test_order_is_done_and_a_word_is_passed_on(party: Party):
    field = party.field
    first = await party.join(BadgeSpec(1, "Anna"))
    second = await party.join(BadgeSpec(2, "Boris"))
    await party.rest(first, second)
    observer = Observer(field, AdvertReader(field.keys))
    field.ether.set_rssi(second.spec.address, "F0:DE:00:00:00:01", None)  # the host: by 1 only
    store = Store(field.directory / STORE_FILE)
    word = make_broadcast(store, field.keys, COMMANDS["stop"])
    orders = [
        wire_command_frames.encode_command(1, numbers.COMMAND_IDENTIFY),
        wire_command_frames.encode_broadcast(word.payload),
    ]
    heard = await observer.next()
    assert heard.advert.badge_id == 1
    done = await command_badge(heard.device, lambda _w: orders, field.keys, observer.radio, WAIT_S)
    assert wire_command_frames.decode_result(done.answers[1], frames.BROADCAST) == (word.number, 0)
    field.ether.set_rssi(second.spec.address, "F0:DE:00:00:00:01", -60)
    await until(
        lambda: {h.advert.badge_id for h in observer.heard if h.advert.is_paused} == {1, 2}
    )
    store.close()
    await observer.close()


async def test_medics_tap_is_applied(party: Party):
    air = Air(party.field)
    options = (("treatment", "badge"),)
    patient = await party.join(BadgeSpec(1, "Anna", "wounds", options=options))
    medic = await party.join(BadgeSpec(2, "Boris", "wounds", role="medic", options=options))
    await hit(patient)
    await party.rest(patient, medic)
    assert await treat(air, patient, medic) == numbers.ANSWER_DONE
    assert [one[3] for one in taps(medic)] == [numbers.ANSWER_ASKED, numbers.ANSWER_DONE]


async def test_update_of_settings_is_applied(party: Party):
    badge = await party.join(BadgeSpec(1, "Anna"))
    await party.rest(badge)
    radio = backend(party.field.hci_path)
    host = UpdateHost(party.field, radio)
    outcome = await host.update(packages.settings_package({"player": "Berta"}))
    assert outcome.is_good, outcome
    assert b'"Berta"' in read_image(badge.image_path)["/settings.json"]
    await radio.close()
