"""Sync over bleak: what arrives, what it costs, and that it ends whatever the peer does."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from bleak.exc import BleakDeviceNotFoundError, BleakError
from tests.core.data.link import INSTALL_ID, HostKeys, Info, Log
from tests.support.fake_radio import DEVICE, KEYS, FakeAir, FakeClient
from tests.support.leap_loop import leaping

from redband.errors import RedbandUserError
from redband.keys import GameKeys
from redband.radio import SyncError, SyncFailure, link, sync_badge
from redband.store.records import Page, decode_page
from redband_core import frames
from redband_core.keys import Access
from redband_core.session import BadgeSession

LONGEST_S = 30
"""No failed sync takes longer: a connect, some silences, a disconnect."""


@dataclass
class Disk:
    """A store that can fail at a page. held: records by number."""

    next_seq: int = 0
    fail_at_page: int = -1
    pages: list[Page] = field(default_factory=list)
    held: dict[int, bytes] = field(default_factory=dict)

    def next_seq_for(self, install_id: int) -> int:
        assert install_id == INSTALL_ID
        return self.next_seq

    async def commit(self, page: Page) -> int:
        await asyncio.sleep(0)
        if len(self.pages) == self.fail_at_page:
            raise OSError(28, "No space left on device")
        self.pages.append(page)
        for seq, _kind, _game_ms, payload in decode_page(page):
            assert seq == self.next_seq, "a record came twice, or out of order"
            self.held[seq] = payload
            self.next_seq = seq + 1
        return self.next_seq


async def run(air: FakeAir, disk: Disk, **options):
    """Sync, and see to it that the link is closed and that it took no longer than allowed."""
    keys = options.pop("keys", KEYS)
    try:
        async with asyncio.timeout(LONGEST_S):
            return await sync_badge(DEVICE, disk.next_seq_for, disk.commit, keys, air, **options)
    finally:
        assert air.open_links == 0, "the link was left open"


@pytest.mark.parametrize("mtu", [23, 24, 27, 64, 185, 247, 515, 517])
@leaping
async def test_everything_arrives_at_every_mtu(mtu: int):
    air, disk = FakeAir(Log(300), mtu), Disk()
    result = await run(air, disk)
    assert disk.next_seq == result.next_seq == result.records == 300
    assert result.missing_records == result.asked_again == 0
    assert max(air.write_sizes) <= mtu - 3
    assert air.log.released[-1] == 300
    assert (result.welcome.badge_id, result.welcome.install_id) == (42, INSTALL_ID)


@leaping
async def test_100_events_at_mtu_247_take_six_round_trips():
    air, disk = FakeAir(Log(100), 247), Disk()
    result = await run(air, disk)
    assert result.round_trips == 6
    assert (result.sent_frames, result.received_frames) == (4, air.notifications)
    assert result.received_bytes > sum(map(len, air.log.records))


@leaping
async def test_nothing_new_takes_five_round_trips():
    result = await run(FakeAir(Log(7)), Disk(next_seq=7))
    assert (result.round_trips, result.records, result.next_seq) == (5, 0, 7)


@leaping
async def test_second_sync_brings_exactly_the_rest():
    air, disk = FakeAir(Log(50)), Disk()
    await run(air, disk)
    for _ in range(5):
        air.log.append(b"\x01\x02\x00")
    result = await run(air, disk)
    assert (result.records, disk.next_seq) == (5, 55)


@leaping
async def test_frames_lost_by_the_system_are_asked_for_again():
    whole = FakeAir(Log(60), 23)
    await run(whole, Disk())
    for lost in range(whole.notifications):
        air, disk = FakeAir(Log(60), 23), Disk()
        air.drop = {lost}
        await run(air, disk)
        assert disk.next_seq == 60


@pytest.mark.parametrize("how", ["silent_after", "gone_after"])
@leaping
async def test_G2_peer_that_goes_after_the_kth_frame_and_the_next_sync_brings_the_rest(how):
    whole = FakeAir(Log(120), 64)
    await run(whole, Disk())
    for k in range(whole.frames):
        air, disk = FakeAir(Log(120), 64), Disk()
        setattr(air, how, k)
        with pytest.raises(SyncError) as caught:
            await run(air, disk)
        silent = how == "silent_after"
        assert caught.value.reason is (SyncFailure.SILENT if silent else SyncFailure.DISCONNECTED)
        assert max(air.log.released, default=0) <= disk.next_seq
        setattr(air, how, 1 << 30)
        await run(air, disk)
        assert disk.next_seq == 120


@leaping
async def test_write_that_never_returns_ends_with_the_disconnect():
    air = FakeAir(Log(20))
    air.hang = {"write"}

    def lose_soon(_index: int) -> None:
        assert air.linked is not None
        asyncio.get_running_loop().call_soon(air.linked.lose)

    air.on_write = lose_soon
    with pytest.raises(SyncError) as caught:
        await run(air, Disk())
    assert caught.value.reason is SyncFailure.DISCONNECTED


@leaping
async def test_badge_that_leaves_while_it_connects_is_gone_and_not_asked_for_its_services():
    class Leaving(FakeClient):
        async def connect(self, pair: bool, **options: Any) -> None:
            await super().connect(pair, **options)
            self.lose()
            await asyncio.sleep(0)  # the disconnect is reported before the connect returns

    air = FakeAir(Log(20))
    air.old_services = 1
    air.client = type("Client", (Leaving,), {"air": air})
    with pytest.raises(SyncError) as caught:
        await link.Link(DEVICE, air, 9.0).connect()
    assert caught.value.reason is SyncFailure.DISCONNECTED
    assert air.connects == 1


@leaping
async def test_whole_records_that_came_before_the_link_broke_are_kept():
    air, disk = FakeAir(Log(400), 64), Disk()
    air.gone_after = 12
    with pytest.raises(SyncError):
        await run(air, disk)
    # Hello, welcome, proof, its answer and fetch take six; then frames of 59 bytes of journal.
    assert disk.next_seq >= 5 * 59 // 12 - 2
    assert air.log.released == []


@leaping
async def test_commit_that_fails_on_page_2_leaves_the_cursor_behind_page_1():
    air, disk = FakeAir(Log(600), 64), Disk(fail_at_page=1)
    with pytest.raises(OSError, match="No space left"):
        await run(air, disk)
    assert len(disk.pages) == 1
    assert disk.next_seq == 0 + len(decode_page(disk.pages[0]))
    assert max(air.log.released, default=0) <= disk.next_seq
    disk.fail_at_page = -1
    await run(air, disk)
    assert disk.next_seq == 600


@leaping
async def test_G2_nothing_is_released_before_it_is_committed():
    air, disk = FakeAir(Log(900), 64), Disk()
    released: list[tuple[int, int]] = []
    air.log.release = lambda before: released.append((before, disk.next_seq))
    await run(air, disk)
    assert len(released) > 1
    assert all(before <= committed for before, committed in released)


class OtherVersion:
    """A badge of protocol version 9: refuses by name, as every version must."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._offered: list[tuple[int, bytes]] = []

    def set_mtu(self, mtu: int) -> None:
        assert mtu >= 23

    def control_written(self, data: bytes, now_ms: int) -> None:
        sealed = frames.seal(self._answer)
        frame = frames.message_part(data[0], sealed, 0, 0, 100)
        self._offered.append((frames.CHANNEL_CONTROL, frame))

    def next_notification(self) -> tuple[int, bytes] | None:
        return self._offered[0] if self._offered else None

    def sent(self) -> None:
        self._offered.pop(0)


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (b"\xff\x01\x09", "version 9.*version 2: update this program"),
        (b"\xff\x01\x01", "version 1.*version 2: update the badge's firmware"),
        (b"\x81\x09anything", "version 9.*version 2: update this program"),
    ],
)
@leaping
async def test_version_mismatch_is_named_with_what_to_update(answer: bytes, advice: str):
    air = FakeAir()
    air.make_session = lambda: OtherVersion(answer)
    with pytest.raises(SyncError, match=advice) as caught:
        await run(air, Disk())
    assert caught.value.reason is SyncFailure.VERSION


@leaping
async def test_refusal_of_the_journal_is_an_error_of_its_own():
    air = FakeAir()
    air.make_session = lambda: OtherVersion(b"\xff\x04\x01")
    with pytest.raises(SyncError) as caught:
        await run(air, Disk())
    assert caught.value.reason is SyncFailure.REFUSED


@leaping
async def test_key_of_another_game_is_said_and_nothing_is_released():
    air = FakeAir(Log(5))
    with pytest.raises(SyncError, match="install it with this game's key") as caught:
        await run(air, Disk(), keys=GameKeys.new())
    assert caught.value.reason is SyncFailure.ACCESS
    assert air.log.released == []


@leaping
async def test_medic_gets_no_journal_and_marshal_does():
    with pytest.raises(SyncError, match="marshal, game master and technician only") as caught:
        await run(FakeAir(Log(5)), Disk(), keys=HostKeys((1,)))
    assert caught.value.reason is SyncFailure.ROLE
    assert (await run(FakeAir(Log(5)), Disk(), keys=HostKeys((2,)))).records == 5


@leaping
async def test_role_whose_key_is_not_there_is_said_before_anything_is_sent():
    air = FakeAir(Log(5))
    with pytest.raises(RedbandUserError, match="The key is not the technician's"):
        await run(air, Disk(), keys=HostKeys((2,)), role=4)
    assert air.writes == 0


@leaping
async def test_forged_badge_is_named_and_gets_no_records_released():
    class Forger(BadgeSession):
        """Takes any proof, and proves itself by nothing."""

        def _deny(self, number: int, now_ms: int) -> None:
            proved = frames.encode_proved(self._log, 0, 0, bytes(frames.PROOF_BYTES))
            self._put(number, proved)

    air, disk = FakeAir(Log(5)), Disk()
    air.make_session = lambda: Forger(Info, air.log, Access(), bytes(16))
    with pytest.raises(SyncError, match="its proof is wrong") as caught:
        await run(air, disk)
    assert caught.value.reason is SyncFailure.FORGED
    assert disk.pages == []


@leaping
async def test_another_badge_at_this_address_is_not_taken_for_ours():
    disk = Disk()
    with pytest.raises(SyncError, match="Badge 42 answered in place of badge 7") as caught:
        await run(FakeAir(), disk, badge_id=7)
    assert caught.value.reason is SyncFailure.WRONG_BADGE
    assert disk.pages == []


@leaping
async def test_store_ahead_of_the_journal_is_said_and_nothing_released():
    air = FakeAir(Log(5))
    with pytest.raises(SyncError, match="install the badge anew") as caught:
        await run(air, Disk(next_seq=9))
    assert caught.value.reason is SyncFailure.CURSOR_AHEAD
    assert air.log.released == []


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ("connect", SyncFailure.CONNECT),
        ("subscribe", SyncFailure.SILENT),
        ("write", SyncFailure.SILENT),
    ],
)
@leaping
async def test_operation_that_never_returns_is_given_up_and_the_next_sync_works(
    operation: str, reason: SyncFailure
):
    air, disk = FakeAir(Log(20)), Disk()
    air.hang = {operation}
    with pytest.raises(SyncError) as caught:
        await run(air, disk)
    assert caught.value.reason is reason
    air.hang = set()
    assert (await run(air, disk)).records == 20


@leaping
async def test_disconnect_that_never_returns_does_not_lose_the_result():
    air, disk = FakeAir(Log(20)), Disk()
    air.hang = {"disconnect"}
    assert (await run(air, disk)).records == 20


@pytest.mark.parametrize("operation", ["connect", "subscribe", "write"])
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BleakError("In Progress"), SyncFailure.RADIO),
        (OSError(107, "Transport endpoint is not connected"), SyncFailure.RADIO),
        (EOFError(), SyncFailure.RADIO),
        (BleakDeviceNotFoundError("C0"), SyncFailure.CONNECT),
    ],
)
@leaping
async def test_errors_of_bluetooth_have_a_reason(
    operation: str, error: Exception, reason: SyncFailure
):
    air = FakeAir()
    air.fail[operation] = error
    with pytest.raises(SyncError) as caught:
        await run(air, Disk())
    assert caught.value.reason is reason
    assert "\n" not in str(caught.value)


@leaping
async def test_deadline_ends_a_sync_and_keeps_what_came():
    air, disk = FakeAir(Log(900), 64), Disk()
    commit = disk.commit

    async def slow(page: Page) -> int:
        await asyncio.sleep(6)
        return await commit(page)

    disk.commit = slow
    with pytest.raises(SyncError) as caught:
        await run(air, disk, deadline_s=10)
    assert caught.value.reason is SyncFailure.DEADLINE
    assert 0 < disk.next_seq < 900
    disk.commit = commit
    await run(air, disk)
    assert disk.next_seq == 900


@leaping
async def test_cancelled_sync_closes_the_link():
    air = FakeAir(Log(20))
    reached = asyncio.Event()
    air.hang = {"write"}
    air.on_write = lambda index: reached.set()
    task = asyncio.create_task(run(air, Disk()))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (air.open_links, air.disconnects) == (0, 1)


@leaping
async def test_services_of_an_older_firmware_are_asked_for_afresh_once():
    air, disk = FakeAir(Log(20)), Disk()
    air.old_services = 1
    assert (await run(air, disk)).records == 20
    fresh = [options["winrt"].get("use_cached_services") for options in air.client_options]
    assert fresh == [None, False]


@leaping
async def test_services_that_stay_wrong_name_the_step_that_helps():
    air = FakeAir()
    air.old_services = 9
    with pytest.raises(SyncError, match="bluetoothctl remove C0:DE:00:00:00:2A") as caught:
        await run(air, Disk())
    assert caught.value.reason is SyncFailure.STALE_SERVICES
    assert air.connects == 2


@leaping
async def test_late_disconnect_of_the_first_connect_does_not_end_the_second():
    air, disk = FakeAir(Log(20)), Disk()
    air.old_services = 1
    result = await run(air, disk)
    assert result.records == 20


@leaping
async def test_badge_that_says_nothing_is_asked_again_then_given_up():
    air = FakeAir()
    air.drop = set(range(1000))
    with pytest.raises(SyncError) as caught:
        await run(air, Disk())
    assert caught.value.reason is SyncFailure.SILENT
    assert air.writes > 2


@leaping
async def test_flood_of_frames_is_bounded():
    this = link.Link(DEVICE, FakeAir(Log(20)), 1.0)
    await this.connect()
    take = this._taker(frames.CHANNEL_LOG)
    for _ in range(link.INBOX_FRAMES + 5):
        take(None, bytearray(b"\0"))
    await this.close()
    assert this.dropped_frames == 5
    assert sum(1 for _ in iter(this.received, None)) == link.INBOX_FRAMES
