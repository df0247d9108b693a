"""Every parser of bytes from the air, and the sessions behind them, as targets of fuzzing.

A target takes any bytes. What it may raise is in its `errors`; it asserts itself that nothing
changed which must not. Those that badges carry come from tests/core/data/fuzzing.py, which runs
on MicroPython as well.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData

from redband.keys import GameKeys
from redband.radio import AdvertReader, ScanCounts, Verdict, scanner
from redband.store.records import Page, decode_page
from redband.wire import advert as wire_advert
from redband.wire import command_frames as wire_command_frames
from redband.wire import frames as wire_frames
from redband.wire import log_frames as wire_log_frames
from redband.wire import log_stream as wire_log_stream
from redband.wire import session as wire_session
from redband.wire import upload as wire_upload
from redband_core import (
    advert,
    command_frames,
    frames,
    journal,
    log_frames,
    proofs,
    sealing,
    upload,
)
from redband_core.errors import JournalCorrupt, ProtocolError

_DATA = Path(__file__).resolve().parents[2] / "tests" / "core" / "data"
sys.path.append(str(_DATA))
fuzzing: Any = importlib.import_module("fuzzing")
link: Any = importlib.import_module("link")

GAME = GameKeys(bytes(range(32)))


@dataclass(frozen=True)
class Target:
    """function: takes any bytes. seeds: sound inputs. errors: what it may raise."""

    function: Callable[[bytes], object]
    seeds: Sequence[bytes]
    errors: tuple[type[Exception], ...] = (ProtocolError,)

    def feed(self, count: int, seed: int) -> int:
        """Give it `count` changed seeds; return how many it took. Other errors pass through."""
        return fuzzing.feed(self.function, self.seeds, count, seed, self.errors)


# --- plain parsers of the host ---------------------------------------------------------------

_KEY = bytes(16)
_WELCOME = frames.encode_welcome(link.Info, link.BADGE_NONCE)
_PROVED = frames.encode_proved(link.Log(9), link.ADVERT_COUNT, 70_000, bytes(16))
_REFUSED = frames.encode_refused(frames.REFUSED_ACCESS)
_RESULT = command_frames.encode_result(frames.EVENT, 0xAABBCCDD, -3)
_STATUS = upload.encode_answer(upload.STATUS, upload.DONE, 700, bytes(12))
_RUN = bytes(log_frames.run_head(3, 0, 100, 70_000)) + link.Log(9).records[0]
_END = log_frames.end_frame(log_frames.end_head(3, 2, 109), bytes(8))
_LOG = (_RUN, b"\x03\x01" + link.Log(9).records[1], _END)
_RECORDS = b"".join(link.Log(3).records)


def _page(data: bytes) -> None:
    page = Page(42, link.INSTALL_ID, 0, 0, data)
    assert len(decode_page(page)) <= len(data) // 6


# --- adverts -------------------------------------------------------------------------------------


def _states() -> list[bytes]:
    block = fuzzing.BLOCKS[0]
    encrypt = importlib.import_module("aes").encryptor(GAME.advert_encrypt)
    return [
        sealing.seal(
            advert.KIND_STATE, block[:2] + bytes((n,)) + block[3:], GAME.advert_proof, encrypt
        )
        for n in range(4)
    ]


STATES = _states()


class _Reader:
    """An AdvertReader that must believe nothing but what was sealed."""

    def __init__(self) -> None:
        self._sound = set(STATES)
        self._reader = AdvertReader(GAME)
        for index, payload in enumerate(STATES):
            self._reader.read(payload, index)
        self._reader.take_changed()

    def read(self, payload: bytes) -> None:
        verdict, found = self._reader.read(payload, 10.0)
        if payload in self._sound:
            return
        assert found is None, payload.hex()
        assert verdict not in (Verdict.GOOD, Verdict.OLD, Verdict.REPLAYED)
        assert not self._reader._changed


class _Scanner:
    """A scan's callback: everything that is heard, in bleak's own clothes."""

    def __init__(self) -> None:
        self._reader = AdvertReader(GAME)
        self._counts = ScanCounts()
        self._inbox = asyncio.run(self._make())
        self._number = 0

    async def _make(self) -> Any:
        return scanner._Inbox(self._reader, self._counts)

    def detected(self, payload: bytes) -> None:
        self._number += 1
        company = advert.COMPANY_ID if self._number % 8 else self._number & 0xFFFF
        data = AdvertisementData(None, {company: payload}, {}, [], None, -60, ())
        address = f"C0:DE:00:{self._number >> 16 & 255:02X}:{self._number >> 8 & 255:02X}:00"
        self._inbox.detected(BLEDevice(address, None, None), data)
        assert len(self._inbox.queue) <= scanner.QUEUE_MAX
        assert len(self._counts.foreign) <= scanner.DEVICES_MAX
        assert all(heard.advert.badge_id == 42 for heard in self._inbox.queue)
        self._inbox.queue.clear()


# --- sessions ------------------------------------------------------------------------------------


class _HostSync:
    """A host's session in mid-sync with a real badge's; between their frames come changed ones."""

    RECORDS = 60

    def __init__(self) -> None:
        self._journal = link.Log(self.RECORDS)
        self._begin()

    def _begin(self) -> None:
        self._log = link.Log(0)
        self._log.records = self._journal.records
        self._store = link.Store()
        self._badge = link.badge_session(self._log)
        self._host = link.host_session_for(self._store.next_seq_for)
        self._badge.set_mtu(64)
        self._host.set_write_limit(61)
        self._quiet = 0

    def notify(self, data: bytes) -> None:
        """Let the host hear `data`, then one sound frame each way."""
        host, badge = self._host, self._badge
        if len(data) % 2:
            host.log_notified(data)
        else:
            host.control_notified(data)
        frame = host.next_write()
        if frame is not None:
            badge.control_written(frame, 0)
        offered = badge.next_notification()
        if offered is not None:
            badge.sent()
            take = host.control_notified if offered[0] == 1 else host.log_notified
            take(offered[1])
        self._quiet = 0 if frame or offered else self._quiet + 1
        if self._quiet > 3:
            self._quiet = 0
            host.stalled()
        self._handle()

    def _handle(self) -> None:
        store = self._store
        for event in self._host.events():
            if event[0] == wire_log_stream.PAGE:
                first = len(store.records)
                self._host.committed(store.take(event))  # raises for one that comes twice
                found = store.records[first:]
                assert found == self._journal.records[first : first + len(found)]
            elif event[0] in (wire_log_stream.DONE, wire_log_stream.FAILED):
                if event[0] == wire_log_stream.DONE:
                    assert store.next_seq == self.RECORDS
                assert max(self._log.released, default=0) <= store.next_seq
                self._begin()
                return


class _Client:
    """A host that has asked: nothing but the badge's own answer is one."""

    def __init__(self) -> None:
        self._begin()
        key = link.Peer(self._badge).key
        self.answers = [
            proofs.signed(key, proofs.FROM_BADGE, number, _RESULT) for number in (1, 2, 3)
        ]

    def _begin(self) -> None:
        self._badge = link.badge_session(link.Log(1))
        self._badge.set_mtu(247)
        self._host = wire_session.Client(3, link.key_for, link.HOST_NONCE)
        self._host.set_write_limit(244)
        while self._host.proved is None:
            frame = self._host.next_write()
            if frame is not None:
                self._badge.control_written(frame, 0)
            for _channel, answer in link.drain(self._badge):
                self._host.control_notified(answer)
        self._host.events()
        self._host.ask(wire_command_frames.encode_event(0xAABBCCDD, 1, (1, 2)))

    def notify(self, data: bytes) -> None:
        self._host.control_notified(link.one(9, data or b"\x00"))
        events = self._host.events()
        if events and data not in self.answers:
            # A refusal is not signed: whoever is in the middle can end a client, and no more.
            assert [event[0] for event in events] == [wire_session.FAILED], events
        if events:
            self._begin()


def _host_targets() -> dict[str, Target]:
    client, reader, observer, sync = _Client(), _Reader(), _Scanner(), _HostSync()
    plain = fuzzing.behind_opcode
    controls = [link.one(2, message) for message in (_WELCOME, _PROVED, _REFUSED)]
    return {
        "advert reader": Target(reader.read, STATES),
        "scan": Target(observer.detected, [*STATES, *fuzzing.ADVERTS], ()),
        "state": Target(wire_advert.decode_state, fuzzing.BLOCKS),
        "unkeyed": Target(wire_advert.decode_unkeyed, fuzzing.ADVERTS[5:]),
        "welcome": Target(plain(wire_frames.decode_welcome), [_WELCOME]),
        "info": Target(wire_frames.decode_info, [frames.encode_info(link.Info)]),
        "proved": Target(plain(wire_frames.decode_proved), [_PROVED]),
        "refused": Target(plain(wire_frames.decode_refused), [_REFUSED]),
        "log frame": Target(wire_log_frames.decode_log, _LOG),
        "order's answer": Target(
            lambda data: wire_command_frames.decode_result(data, frames.EVENT), [_RESULT]
        ),
        "update's answer": Target(wire_upload.decode_answer, [_STATUS, _STATUS[:6]]),
        "page": Target(_page, [_RECORDS]),
        "segment": Target(journal.scan, [_SEGMENT], (JournalCorrupt,)),
        "host's client": Target(client.notify, [*client.answers, _REFUSED, _WELCOME], ()),
        "host's sync": Target(sync.notify, [*controls, *_LOG], ()),
    }


_SEGMENT = journal.encode_header(link.INSTALL_ID, 0, 0) + _RECORDS


def _badge_targets() -> dict[str, Target]:
    found = {name: Target(function, seeds) for name, (function, seeds) in fuzzing.PARSERS.items()}
    for is_proven in (False, True):
        badge = fuzzing.Target(is_proven)
        signed = set(fuzzing.SIGNED)

        def write(data: bytes, badge=badge) -> None:
            badge.write(data)
            assert not badge.done
            assert not badge.log.released

        def write_message(data: bytes, badge=badge, signed=signed) -> None:
            if data not in signed:
                badge.write_message(data)
            assert not badge.done
            assert not badge.log.released

        name = "proven session" if is_proven else "session"
        found[f"{name}'s frames"] = Target(write, fuzzing.PARTS, ())
        messages = fuzzing.SIGNED if is_proven else fuzzing.MESSAGES
        found[f"{name}'s messages"] = Target(write_message, messages, ())
    return found


TARGETS = _badge_targets() | _host_targets()
