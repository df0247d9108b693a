"""The attacker of tests/host on a whole virtual badge: nothing gets through over the air."""

from __future__ import annotations

import asyncio
import time

import pytest
from bleak import BleakClient
from bleak.exc import BleakError
from tests.support import attacker
from tests.support.attacker import HIT, MASTER, MEDIC, STOP, Hijack, Loot
from tests.support.badge_journal import cut_and_read, notes_of
from tests.support.host_radio import Observer
from tests.support.taps import hit
from tests.support.waiting import WAIT_S, until

from redband.keys import GameKeys
from redband.keys.derive import badge_key
from redband.radio import AdvertReader
from redband.virtual.bleak_backend import VirtualRadio, backend
from redband.virtual.field import BadgeSpec, Field
from redband.wire import frames as wire_frames
from redband_core import frames, journal

BADGE = BadgeSpec(1, "Anna")
AUTH_REFUSED = 70
NO_ACCESS = frames.encode_refused(frames.REFUSED_ACCESS)
OTHER_GAME = GameKeys(bytes(32))


@pytest.fixture
async def field(field: Field) -> Field:
    await field.add_badge(BADGE)
    return field


class Connection:
    """One connection of the attacker: what it wrote, what came back."""

    def __init__(self, radio: VirtualRadio) -> None:
        self.gone = asyncio.Event()
        self.news = asyncio.Event()
        self.answers: list[bytes] = []
        self.log: list[bytes] = []
        self._joiner = frames.Joiner()
        self.client = BleakClient(
            BADGE.address, lambda _client: self._end(), timeout=WAIT_S, backend=radio.client
        )

    def _end(self) -> None:
        self.gone.set()
        self.news.set()

    def _control(self, _characteristic, data: bytearray) -> None:
        message = self._joiner.add(bytes(data))
        if message is not None:
            self.answers.append(message[1])
            self.news.set()

    async def open(self) -> None:
        await self.client.connect()
        await self.client.start_notify(frames.CONTROL_UUID, self._control)
        await self.client.start_notify(
            frames.LOG_UUID, lambda _characteristic, data: self.log.append(bytes(data))
        )

    async def write(self, frame: bytes) -> bool:
        """Return whether the badge was still there to take it."""
        try:
            await self.client.write_gatt_char(frames.CONTROL_UUID, frame, response=True)
        except BleakError:
            return False
        return True

    async def answered(self, before: int) -> list[bytes]:
        """Return the answers after the first `before`, once there is one or none can come."""
        async with asyncio.timeout(WAIT_S):
            while len(self.answers) == before and not self.gone.is_set():
                self.news.clear()
                await self.news.wait()
        return self.answers[before:]

    async def run(self, attack: attacker.Attack) -> None:
        """Let an attack say all it has, and wait until the badge ends the link."""
        await self.open()
        answers: list[bytes] = []
        try:
            written = next(attack)
            while True:
                before = len(self.answers)
                for frame in written:
                    if not await self.write(frame):
                        break
                answers = await self.answered(before)
                written = attack.send(answers)
        except StopIteration:
            pass
        async with asyncio.timeout(WAIT_S):
            await self.gone.wait()


async def recorded_session(field: Field, observer: Observer, monkeypatch) -> list[bytes]:
    """Listen to a good sync; return what the host wrote."""
    loot: list[bytes] = []
    real = observer.radio.client.write_gatt_char

    async def listened(self, characteristic, data, response):
        loot.append(bytes(data))
        await real(self, characteristic, data, response)

    with monkeypatch.context() as patch:
        patch.setattr(observer.radio.client, "write_gatt_char", listened)
        await observer.fetch(await observer.next(), field.keys)
    observer.records.clear()
    return loot


CHOSEN = (
    *("replayed session", "replayed proof", "chance", "empty key as 0", "empty key as 255"),
    *("other game as 3", "other badge's key as 3", "other badge's session as 3", "role 1 as 3"),
    *("proof without hello", "fetch before hello", "signed hit before proof"),
)
"""Of each kind one: a connection takes two seconds. All of them are tried in tests/host."""


async def test_G12_attacks_over_the_air_get_one_answer_and_the_game_goes_on(
    field: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    badge = field.badges[1]
    observer = Observer(field, AdvertReader(field.keys))
    session = await recorded_session(field, observer, monkeypatch)
    radio = backend(field.hci_path)
    attacks = dict(attacker.without_key(Loot(1, session, OTHER_GAME, field.keys)))
    attacks = {name: attacks[name] for name in CHOSEN}
    master, medic = (badge_key(field.keys, 1, role) or b"" for role in (MASTER, MEDIC))
    for name, orders in attacker.in_the_middle(STOP).items():
        if name in ("stripped signature", "changed number"):
            attacks[name] = Hijack(MASTER, master, 1, orders)
    attacks["medic who proves again as master"] = Hijack(
        MEDIC, medic, 1, lambda key: [wire_frames.encode_prove(bytes(16))]
    )
    started_s = time.monotonic()
    hits = 0
    for name, attack in attacks.items():
        connection = Connection(radio)
        running = asyncio.create_task(connection.run(attack()))
        if hits < 2:  # a third one ends the character, and then nothing blinks
            await hit(badge)
            hits += 1
        await running
        assert connection.log == [], name
        known = (frames.WELCOME, frames.PROVED)
        assert [one for one in connection.answers if one[0] not in known] == [NO_ACCESS], name
    downgraded = Connection(radio)
    await downgraded.run(attacker.downgrade(1))
    assert downgraded.answers == [frames.encode_refused(frames.REFUSED_VERSION)]
    minutes = (time.monotonic() - started_s) / 60
    # The right key comes in after all of them, and finds only what the wearer did.
    await observer.fetch(await observer.next(), field.keys)
    await observer.close()
    await radio.close()
    notes = [value for code, value in notes_of(observer.records) if code == AUTH_REFUSED]
    assert 1 <= len(notes) <= minutes + 1
    assert sum(notes) <= len(attacks)
    kinds = [kind for _seq, kind, _ms, _payload in observer.records]
    assert (kinds.count(journal.EVENT), kinds.count(journal.PAUSE)) == (hits, 0)


async def test_G12_order_said_again_over_the_air_hits_once(field: Field) -> None:
    radio = backend(field.hci_path)
    connection = Connection(radio)
    key = badge_key(field.keys, 1, MASTER) or b""
    ways = [*attacker.reordered(HIT).values()]
    running = asyncio.create_task(
        connection.run(
            Hijack(MASTER, key, 1, lambda session: [m for way in ways for m in way(session)])()
        )
    )
    await until(lambda: len(connection.answers) >= 3)
    running.cancel()
    await asyncio.wait({running})
    await connection.client.disconnect()
    await radio.close()
    records = await cut_and_read(field.badges[1])
    assert sum(kind == journal.EVENT for _seq, kind, _ms, _payload in records) == 1


async def test_G12_flood_of_guesses_leaves_the_button_alive(field: Field) -> None:
    """Ten thousand proofs, as fast as the link carries them."""
    field.ether.conn_interval_ms = 7.5  # the shortest there is
    badge, guesses, hits, links = field.badges[1], 10_000, 0, 0
    radio = backend(field.hci_path)
    while guesses:
        connection = Connection(radio)
        await connection.open()
        links += 1
        await connection.write(attacker.hello(MASTER))
        await connection.answered(0)
        pressing = asyncio.create_task(hit(badge)) if hits < 2 else None
        while guesses and not connection.gone.is_set():
            proof = wire_frames.encode_prove((guesses * 0x9E3779B97F4A7C15).to_bytes(16, "little"))
            try:
                await connection.client.write_gatt_char(
                    frames.CONTROL_UUID, attacker.one(guesses % 255 + 1, proof), response=False
                )
            except BleakError:
                break
            guesses -= 1
            await asyncio.sleep(0.0075 / 4)  # what the link carries
        if pressing is not None:
            await pressing
            hits += 1
        assert set(connection.answers[1:]) <= {NO_ACCESS}
        assert connection.log == []
        await connection.client.disconnect()
    observer = Observer(field, AdvertReader(field.keys))
    await observer.fetch(await observer.next(), field.keys)
    await observer.close()
    await radio.close()
    kinds = [kind for _seq, kind, _ms, _payload in observer.records]
    assert kinds.count(journal.EVENT) == hits == 2
    assert len([note for note in notes_of(observer.records) if note[0] == AUTH_REFUSED]) == 1
    assert links < 200
