"""Any bytes into every parser: ProtocolError or a value that encodes back, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.data.aes import encryptor
from tests.core.data.link import (
    BADGE_NONCE,
    HOST_NONCE,
    MASTER,
    Info,
    Link,
    Log,
    Store,
    badge_session,
    host_session_for,
    key_for,
    proven,
)

from redband.keys import GameKeys
from redband.radio import AdvertReader, Verdict
from redband.wire import advert as wire_advert
from redband.wire import frames as wire_frames
from redband.wire import log_frames as wire_log_frames
from redband.wire import log_stream as wire_log_stream
from redband_core import (
    advert,
    broadcasts,
    frames,
    limits,
    log_frames,
    opening,
    proofs,
    sealing,
    tap,
)
from redband_core.errors import ProtocolError
from redband_core.frames import Joiner

ANY = st.binary(max_size=80)
U8 = st.integers(0, 0xFF)
U32 = st.integers(0, 0xFFFFFFFF)
# Bytes that go deeper than noise: one right head, then anything.
HEADS = [
    b"\x52\x20",
    b"\x52\x2f",
    b"\x01\x02",
    b"\x10",
    b"\x02",
    b"\x03",
    b"\x81\x02",
    b"\x90",
    b"\xff",
    b"\x40\x00",
    b"\x80\x00",
]
NEARLY = st.builds(bytes.__add__, st.sampled_from(HEADS), ANY)
PARSERS: dict[str, Callable[[bytes], object]] = {
    "advert kind": opening.kind_of,
    "state": wire_advert.decode_state,
    "unkeyed": wire_advert.decode_unkeyed,
    "wanted": broadcasts.parse_wanted,
    "offer": broadcasts.parse_offer,
    "broadcast": broadcasts.parse_broadcast,
    "result": broadcasts.parse_result,
    "tap record": tap.parse,
    "prove": frames.decode_prove,
    "proved": wire_frames.decode_proved,
    "hello": frames.decode_hello,
    "fetch": frames.decode_fetch,
    "ack": frames.decode_ack,
    "welcome": wire_frames.decode_welcome,
    "info": wire_frames.decode_info,
    "refused": wire_frames.decode_refused,
    "log": wire_log_frames.decode_log,
    "part": lambda data: Joiner().add(data),
}

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("name", PARSERS)
@settings(max_examples=400, deadline=None)
@given(data=st.one_of(ANY, NEARLY))
def test_parser_raises_nothing_but_protocol_error(name: str, data: bytes):
    # Messages come to their parsers with their opcode: one byte at least.
    message = data or b"\x00"
    try:
        PARSERS[name](message)
    except ProtocolError:
        return


ADVERTS = st.builds(
    wire_advert.Advert,
    st.integers(0, 0xFFFF),
    U32,
    st.integers(0, 127),
    *[U8] * 2,
    st.integers(0, 0xFFFF),
    st.one_of(st.integers(0, 0xFFFFFE), st.just(advert.NO_SEQ)),
    st.integers(0, 100),
    st.integers(0, 4),
    st.integers(0, 31),
    st.booleans(),
    st.booleans(),
)
KEYS = GameKeys(bytes(range(32)))


@settings(max_examples=300, deadline=None)
@given(ADVERTS)
def test_every_advert_comes_back(value: wire_advert.Advert):
    assert wire_advert.decode_state(advert.encode_state(value)) == value
    encrypt = encryptor(KEYS.advert_encrypt)
    payload = sealing.seal(
        advert.KIND_STATE, advert.encode_state(value), KEYS.advert_proof, encrypt
    )
    assert AdvertReader(KEYS).read(payload, 0) == (Verdict.GOOD, value)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.one_of(ANY, NEARLY, st.binary(min_size=24, max_size=24)), max_size=5))
def test_reader_takes_any_payload_and_believes_none(payloads: list[bytes]):
    reader = AdvertReader(KEYS)
    for payload in payloads:
        verdict, found = reader.read(payload, 0)
        assert found is None
        assert verdict is not Verdict.GOOD


@settings(max_examples=300, deadline=None)
@given(st.binary(min_size=1, max_size=510), st.integers(3, 514), st.integers(1, 255))
def test_every_message_comes_back_at_every_frame_size(message: bytes, limit: int, number: int):
    sealed, joiner, offset, part = frames.seal(message), Joiner(), 0, 0
    result = None
    while offset < len(sealed) and part < 128:
        frame = frames.message_part(number, sealed, offset, part, limit)
        assert len(frame) <= limit
        result = joiner.add(frame)
        offset += len(frame) - frames.MESSAGE_HEAD_BYTES
        part += 1
    assert offset < len(sealed) or result == (number, message)


@settings(max_examples=200, deadline=None)
@given(U8, U8, U32, st.integers(0, 1 << 53), ANY)
def test_every_run_head_comes_back(stream, number, seq, base_ms, data):
    frame = wire_log_frames.decode_log(
        bytes(log_frames.run_head(stream, number, seq, base_ms)) + data
    )
    assert frame == (log_frames.RUN, stream & 63, number, seq, base_ms, 0, data)


def sealed_parts(messages: list[bytes]) -> list[bytes]:
    """Return each message as one frame, numbered from 1."""
    return [
        frames.message_part(number, frames.seal(message), 0, 0, 514)
        for number, message in enumerate(messages, 1)
    ]


MESSAGES = st.one_of(
    st.just(wire_frames.encode_hello(MASTER, HOST_NONCE)),
    st.builds(wire_frames.encode_fetch, st.one_of(st.integers(0, 12), U32)),
    st.builds(wire_frames.encode_ack, U8, U8, st.one_of(st.integers(0, 12), U32)),
    NEARLY.filter(bool),
)
SHORT = settings(max_examples=250, deadline=None)


@SHORT
@given(st.lists(st.one_of(ANY, MESSAGES.map(lambda message: sealed_parts([message])[0]))))
def test_badge_session_survives_any_writes_and_grants_nothing_without_a_proof(
    writes: list[bytes],
):
    log = Log(10)
    badge = badge_session(log)
    for now_ms, data in enumerate(writes):
        badge.control_written(data, now_ms)
        offered = badge.next_notification()
        if offered is not None:
            assert len(offered[1]) <= 20
            assert offered[0] == frames.CHANNEL_CONTROL
            badge.sent()
    assert not badge.is_proven
    assert log.released == []


@SHORT
@given(st.lists(st.one_of(ANY.filter(bool), MESSAGES), max_size=10))
def test_proven_peer_may_say_anything_and_releases_only_what_was_written(messages: list[bytes]):
    log = Log(10)
    badge, peer = proven(log)
    for message in messages:
        peer.ask(message)
        while badge.next_notification() is not None:
            badge.sent()
    assert all(before_seq <= 10 for before_seq in log.released)
    assert log.next_seq == 10


@SHORT
@given(st.lists(MESSAGES, max_size=40))
def test_badge_session_keeps_its_window_whatever_is_acknowledged(messages: list[bytes]):
    badge, peer = proven(Log(400))
    sent = 0
    for message in [wire_frames.encode_fetch(0), *messages]:
        peer.ask(message)
        while badge.next_notification() is not None:
            badge.sent()
            sent += 1
    streams = 1 + sum(message[0] == frames.FETCH for message in messages)
    acks = sum(message[0] == frames.ACK for message in messages)
    answers = 2 + len(messages)
    assert sent <= (streams + acks) * limits.WINDOW_FRAMES + answers * 3


LOG_FRAMES = st.one_of(
    ANY,
    NEARLY,
    st.builds(
        lambda stream, number, seq, data: (
            bytes(log_frames.run_head(stream, number, seq, 5)) + data
        ),
        st.just(3),
        st.integers(0, 3),
        st.one_of(st.integers(0, 3), U32),
        ANY,
    ),
    st.builds(lambda number, data: bytes((3, number)) + data, st.integers(0, 5), ANY),
    st.builds(
        lambda number, next_seq, proof: log_frames.end_frame(
            log_frames.end_head(3, number, next_seq), proof
        ),
        st.integers(0, 5),
        st.integers(0, 20),
        st.binary(min_size=8, max_size=8),
    ),
)


@SHORT
@given(st.lists(st.one_of(ANY, NEARLY)), st.lists(LOG_FRAMES), st.integers(0, 5))
def test_host_session_survives_any_notifications(controls, logs, stalls):
    host = host_session_for(lambda install_id: 0)
    host.set_write_limit(244)
    host.next_write()
    for data in controls:
        host.control_notified(data)
    key = proofs.session_key(key_for(42), MASTER, 42, HOST_NONCE, BADGE_NONCE)
    proved = frames.encode_proved(Log(10), 0, 0, b"")
    proof = proofs.badge_proof(key, proved[1:], frames.encode_info(Info))
    for answer in (frames.encode_welcome(Info, BADGE_NONCE), proved + proof):
        host.control_notified(sealed_parts([answer])[0])
        host.next_write()
    for data in controls:
        host.control_notified(data)
    for data in logs:
        host.next_write()
        host.log_notified(data)
    for _ in range(stalls):
        host.stalled()
    next_seq = 0
    for event in host.events():
        if event[0] == wire_log_stream.PAGE:
            assert event[1] >= next_seq
            next_seq = event[4]


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from([23, 64, 247]))
def test_sync_ends_with_every_record_or_a_reason_on_any_link(data: st.DataObject, mtu: int):
    faults = st.sampled_from(["pass"] * 30 + ["drop", "twice", "cut", "change"])

    def mangle(_index: int, frame: bytes) -> list[bytes]:
        fault = data.draw(faults)
        if fault == "cut":
            return [frame[: data.draw(st.integers(0, len(frame)))]]
        if fault == "change":
            at = data.draw(st.integers(0, len(frame) - 1))
            return [
                frame[:at] + bytes((frame[at] ^ data.draw(st.integers(1, 255)),)) + frame[at + 1 :]
            ]
        return {"pass": [frame], "drop": [], "twice": [frame, frame]}[fault]

    link = Link(Log(40), Store(), mtu)
    link.down = mangle
    link.up = mangle
    outcome = link.run()
    assert outcome is not None or link.close_reason
    count = len(link.store.records)
    assert link.store.records == link.log.records[:count]
    assert link.store.times_ms == [100 * (index + 1) for index in range(count)]
    assert link.host.missing_count == 0
    if outcome == (wire_log_stream.DONE,):
        assert link.store.next_seq == 40
    assert max(link.log.released, default=0) <= link.store.next_seq
