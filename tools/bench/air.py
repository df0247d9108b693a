"""The air: cost of a sync, many badges by one host, adverts per second, news in time."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bleak.backends.device import BLEDevice
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import redband_core
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.gateway import Gateway
from redband.gateway.port import LINKS_MAX
from redband.keys import GameKeys
from redband.overview.names import open_rulesets
from redband.radio import AdvertReader, Heard, SyncResult, Verdict, scan, sync_badge
from redband.rules.replay import find_micropython
from redband.store.records import Page, decode_page
from redband.store.store import STORE_FILE, Store
from redband.virtual.bleak_backend import VirtualRadio, backend
from redband.virtual.clock import run
from redband.virtual.radio import Ether
from redband.virtual.radio.hci_server import open_hci
from redband.wire.advert import Advert
from redband_core import advert, limits, sealing
from tools.bench.air_badge import AirBadge
from tools.bench.play import running
from tools.bench.table import Table

GAME = GameKeys(bytes(range(32)))
EVENTS = (1, 100, 2000)
MTUS = (23, 185, 247)
BADGES = 20
EVENTS_EACH = 100
SEALED = 50_000
GOAL_PER_S = 20_000
CROWD = 100
CROWD_S = 30
CHANGE_EVERY_S = 6.0
LOSSES = (0.0, 0.4, 0.7)
"""0.4: what pure ALOHA loses of 100 badges at ten adverts a second, each 0.38 ms long: collisions,
which the virtual radio does not model. 0.7: as much again for bodies and a scanner's pauses."""


@asynccontextmanager
async def an_air() -> AsyncIterator[tuple[Ether, VirtualRadio, Path]]:
    """Give an ether with a host's radio, and a folder."""
    with tempfile.TemporaryDirectory(prefix="redband-bench-") as name:
        ether = Ether()
        await open_hci(ether, f"{name}/hci")
        radio = backend(f"{name}/hci")
        try:
            yield ether, radio, Path(name)
        finally:
            await radio.close()
            await ether.close()


# --- one sync --------------------------------------------------------------------------------


async def one_sync(events: int, mtu: int) -> SyncResult:
    """Return what a first sync of so many events came to."""

    async def commit(page: Page) -> int:
        return page.first_seq + len(decode_page(page))

    async with an_air() as (ether, radio, _folder):
        badge = AirBadge(ether, 1, GAME, events)
        await badge.start(mtu)
        await badge.advertise()
        device = BLEDevice(badge.address, None, None)
        result = await sync_badge(device, lambda _install: 0, commit, GAME, radio)
        badge.close()
        return result


def carried(result: SyncResult, mtu: int) -> float:
    """Return the share of what the link could have carried to the host meanwhile."""
    ether = Ether()
    events = (result.duration_s - result.connect_s) * 1000 / ether.conn_interval_ms
    frame = min(mtu - 3, limits.FRAME_MAX_BYTES)
    return result.received_bytes / (events * ether.packets_per_event * frame)


async def _syncs(table: Table) -> None:
    for events in EVENTS:
        for mtu in MTUS:
            result = await one_sync(events, mtu)
            took_s = result.duration_s - result.connect_s
            table.add(
                f"new events: {events:,}, MTU {mtu}",
                f"{result.round_trips} round trips, {carried(result, mtu):.0%} of the link",
                f"{result.received_bytes:,} bytes to the host in {result.received_frames} frames,"
                f" {result.sent_bytes} from it in {result.sent_frames}; {took_s:.2f} s",
            )


# --- many badges -----------------------------------------------------------------------------


async def all_synced(links: int) -> float:
    """Return the seconds in which a gateway fetched all journals."""
    async with an_air() as (ether, radio, folder):
        badges = [AirBadge(ether, n, GAME, EVENTS_EACH) for n in range(1, BADGES + 1)]
        for badge in badges:
            await badge.start()
            await badge.advertise()
        store = Store(folder / STORE_FILE)
        gateway = Gateway(BleakRadio(radio, GAME), store, open_rulesets(store), links=links)
        started_s = time.monotonic()
        async with running(gateway):
            await gateway.drained({badge.badge_id for badge in badges})
            took_s = time.monotonic() - started_s
        store.close()
        for badge in badges:
            badge.close()
        return took_s


async def _many(table: Table) -> None:
    single_s = await all_synced(1)
    several_s = await all_synced(LINKS_MAX)
    what = f"{BADGES} badges, {EVENTS_EACH} new events each"
    table.add(f"{what}, one after the other", f"{single_s:.1f} s", "one gateway, advert to commit")
    table.add(
        f"{what}, {LINKS_MAX} connections at a time",
        f"{several_s:.1f} s",
        f"{several_s / single_s:.0%} of the time; connects one after the other",
    )


# --- adverts per second ----------------------------------------------------------------------


def _state(badge_id: int, count: int) -> bytes:
    return advert.encode_state(Advert(badge_id, count, 3, 2, 1, 300, 1234, 87, 0, 0, False, False))


def adverts_per_s() -> float:
    """Return how many adverts one core verifies, decrypts, decodes and judges in a second."""
    encrypt = Cipher(algorithms.AES(GAME.advert_encrypt), modes.ECB()).encryptor().update
    payloads = [
        sealing.seal(advert.KIND_STATE, _state(n % CROWD, 1 << 18 | n), GAME.advert_proof, encrypt)
        for n in range(SEALED)
    ]
    best = 0.0
    for _ in range(3):
        reader = AdvertReader(GAME)
        started_s = time.process_time()
        verdicts = [reader.read(payload, 0.0)[0] for payload in payloads]
        best = max(best, SEALED / (time.process_time() - started_s))
        if set(verdicts) != {Verdict.GOOD}:
            raise RuntimeError("a sound advert was not believed")
    return best


# --- MicroPython -----------------------------------------------------------------------------

PROGRAM = """
import sys, time, cryptolib
sys.path[:] = [".frozen", {core!r}]
from redband_core import advert, keys, proofs, sealing
key = bytes(range(16))
block = {block!r}
message = bytes(range(20))
cipher = cryptolib.aes(key, 1)

def least_us(function, count=500):
    best = 1 << 30
    for _ in range(20):
        started = time.ticks_us()
        for _ in range(count):
            function()
        best = min(best, time.ticks_diff(time.ticks_us(), started))
    return best / count

print([
    least_us(lambda: keys.hmac_sha256(key, message)),
    least_us(lambda: sealing.seal(0, block, key, cipher.encrypt)),
    least_us(lambda: proofs.number_of(key, b"h", message)),
])
"""


def on_micropython() -> list[float]:
    """Return the time in us of an HMAC, of sealing an advert, of checking a signature."""
    program = PROGRAM.format(
        core=str(Path(redband_core.__path__[0]).parent), block=_state(42, 1 << 18)
    )
    done = subprocess.run(
        [find_micropython(), "-X", "heapsize=192K", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-300:])
    return json.loads(done.stdout)


# --- a hundred badges ------------------------------------------------------------------------


async def delays(loss: float) -> list[float | None]:
    """Return for each change of a hundred badges in how many s a gateway knew it, None: never.

    A later advert tells it as well: it has the newest state and the newest record's number.
    """
    unknown: dict[int, dict[int, float]] = {n: {} for n in range(1, CROWD + 1)}
    known: list[float | None] = []

    def take(sighting: Heard) -> None:
        changes = unknown[sighting.advert.badge_id]
        for count in [count for count in changes if count <= sighting.advert.count]:
            known.append(time.monotonic() - changes.pop(count))

    async def play(badge: AirBadge, chance: random.Random) -> None:
        while True:
            await asyncio.sleep(chance.expovariate(1 / CHANGE_EVERY_S))
            unknown[badge.badge_id][badge.count + 1] = time.monotonic()
            await badge.advertise(interval_ms=100)

    async with an_air() as (ether, radio, _folder):
        ether.adv_loss = loss
        badges = [AirBadge(ether, n, GAME) for n in range(1, CROWD + 1)]
        for badge in badges:
            await badge.start()
            await badge.advertise(interval_ms=200)
        listening = asyncio.create_task(scan(take, AdvertReader(GAME), radio))
        await asyncio.sleep(1)
        playing = [
            asyncio.create_task(play(badge, random.Random(badge.badge_id))) for badge in badges
        ]
        await asyncio.sleep(CROWD_S)
        for task in playing:
            task.cancel()
        await asyncio.sleep(5)
        listening.cancel()
        await asyncio.wait({listening, *playing})
        for badge in badges:
            badge.close()
    return known + [None for changes in unknown.values() for _count in changes]


async def _crowd(table: Table) -> None:
    for loss in LOSSES:
        found = await delays(loss)
        shares = [
            sum(delay is not None and delay <= limit for delay in found) / len(found)
            for limit in (1, 2, 5)
        ]
        table.add(
            f"{CROWD} badges, {loss:.0%} of adverts lost",
            ", ".join(f"{share:.1%}" for share in shares),
            f"of {len(found)} changes known within 1, 2 and 5 s",
        )


async def _measure() -> Table:
    table = Table(
        "The air",
        "The badge's session and advert code behind the virtual radio (30 ms x 4 packets, no loss"
        " unless said), journals in memory: the radio's time, not a badge's. Share of the link:"
        " bytes to the host by what four full frames each 30 ms would have carried from the end of"
        f" connecting on. Goals: 6 round trips for 100 events at MTU 247, {GOAL_PER_S:,} adverts"
        " a second. The virtual radio models no collisions; the losses stand for them: of a"
        " hundred badges at ten adverts a second about 40 % collide.",
    )
    await _syncs(table)
    await _many(table)
    table.add(
        "adverts verified and decoded",
        f"{adverts_per_s():,.0f} per s",
        f"one core, {CROWD} badges, each advert new; best of 3",
    )
    hmac_us, seal_us, signature_us = on_micropython()
    for what, value in (
        ("HMAC-SHA-256 of 20 bytes", hmac_us),
        ("sealing an advert", seal_us),
        ("checking a signature", signature_us),
    ):
        table.add(f"{what}, on MicroPython", f"{value:.1f} us", "unix port, best of 20 x 500")
    await _crowd(table)
    return table


def measure() -> Table:
    """Run the bench and return its table."""
    return run(_measure(), is_real=True)
