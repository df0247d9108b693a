"""docs/protocol.md says what the code does: every vector, and the numbers in its text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from redband.radio import sync
from redband_core import advert, frames, journal, limits, log_frames
from redband_core.badge_session import BadgeSession
from redband_core.host_session import HostSession

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
ADVERT = advert.Advert(42, 7, 3, 2, 1, 300, 1234, 87, advert.ROLE_MEDIC, advert.FLAG_FAULT)
NEW = advert.Advert(1, 0, 0, 0, 0, advert.NO_TIMER, advert.NO_SEQ, 100, 0, 0)


class Info:
    """The badge of the document."""

    badge_id = 42
    install_id = 0x11223344
    boot_id = 0x55667788
    firmware_version = "0.1.0"
    ruleset_identity = bytes(range(8))


class ThreeRecords:
    """The journal of the document."""

    oldest_seq = 100
    next_seq = 103

    def __init__(self) -> None:
        hit = journal.event_payload(1, (1, 0))
        self.data = journal.encode_record(100, journal.EVENT, 1500, hit)
        self.data += journal.encode_record(101, journal.EVENT, 300, hit)
        self.data += journal.encode_record(102, journal.CHECKPOINT, 30000, b"")
        self.released: list[int] = []

    def read(self, from_seq: int, limit_bytes: int) -> tuple[int, int, bytes] | None:
        assert limit_bytes >= len(self.data)
        return (100, 70000, self.data) if from_seq == 100 else None

    def release(self, before_seq: int) -> None:
        self.released.append(before_seq)


def documented() -> dict[str, str]:
    """Return the vectors of the document by name."""
    vectors: dict[str, str] = {}
    for block in re.findall(r"```vectors\n(.*?)```", TEXT, re.DOTALL):
        for line in block.splitlines():
            name, value = line.split(": ")
            assert name not in vectors
            vectors[name] = value
    return vectors


def conversation() -> list[bytes]:
    """Run the document's sync; return all that was on the air, in order."""
    badge, host = BadgeSession(Info, ThreeRecords()), HostSession(lambda install_id: 100)
    air: list[bytes] = []
    while True:
        written = host.next_write()
        if written is not None:
            air.append(written)
            badge.control_written(written, 0)
        offered = badge.next_notification()
        if written is None and offered is None:
            return air
        if offered is not None:
            badge.sent()
            air.append(offered[1])
            is_control = offered[0] == frames.CHANNEL_CONTROL
            (host.control_notified if is_control else host.log_notified)(offered[1])
        for event in host.events():
            if len(event) == 5:
                host.committed(event[4])


def test_vectors_of_adverts_and_info():
    vectors = documented()
    assert vectors["advert"] == advert.advertising_data(ADVERT).hex()
    assert vectors["advert-new"] == advert.advertising_data(NEW).hex()
    assert vectors["scan-response"] == advert.scan_response(42).hex()
    assert vectors["info"] == frames.encode_info(Info).hex()


def test_vectors_of_the_conversation():
    on_air = [
        value for name, value in documented().items() if name.startswith(("write-", "notify-"))
    ]
    assert on_air == [frame.hex() for frame in conversation()]


def test_vector_of_a_refusal():
    badge = BadgeSession(Info, ThreeRecords())
    other = frames.seal(bytes((frames.HELLO, 2)))
    badge.control_written(frames.message_part(1, other, 0, 0, 20), 0)
    offered = badge.next_notification()
    assert offered is not None
    assert offered[1].hex() == documented()["refused"]


def test_every_vector_is_compared():
    names = {"advert", "advert-new", "scan-response", "info", "refused"}
    others = documented().keys() - names
    assert all(name.startswith(("write-", "notify-")) for name in others)


@pytest.mark.parametrize(
    "words",
    [
        f"`{frames.SERVICE_UUID}`",
        f"`{frames.INFO_UUID[:8]}-…`",
        f"`{frames.CONTROL_UUID[:8]}-…`",
        f"`{frames.LOG_UUID[:8]}-…`",
        f"Version {frames.PROTOCOL_VERSION}.",
        f"No frame either way is longer than {limits.FRAME_MAX_BYTES} bytes",
        f"longer than {limits.CONTROL_MESSAGE_MAX_BYTES} bytes (check included)",
        f"It is sent when {limits.PAGE_FRAMES} frames are used up",
        f"{limits.WINDOW_FRAMES} frames on the way",
        f"within {limits.SESSION_HELLO_MS // 1000} s of connecting",
        f"nothing moved for {limits.SESSION_IDLE_MS // 1000} s",
        f"sent {limits.BAD_FRAMES_MAX} broken messages",
        f"dropped {limits.REFUSAL_LINGER_MS // 1000} s after the refusal",
        f"nothing comes for {sync.STALL_S:.0f} s",
        f"Room is kept: {advert.TAG_ROOM_BYTES} bytes in the advert",
    ],
)
def test_number_in_the_text_is_the_codes(words: str):
    assert words in " ".join(TEXT.split())


def test_all_uuids_differ_only_where_the_document_says():
    uuids = {frames.SERVICE_UUID, frames.INFO_UUID, frames.CONTROL_UUID, frames.LOG_UUID}
    assert len(uuids) == 4
    assert len({uuid[8:] for uuid in uuids}) == 1


@pytest.mark.parametrize("name", ["HELLO", "WELCOME", "FETCH", "ACK", "REFUSED"])
def test_opcode_in_the_table_is_the_codes(name: str):
    assert re.search(rf"^\| {getattr(frames, name):02X} \| \w+ \| {name} \|", TEXT, re.MULTILINE)


@pytest.mark.parametrize("name", ["RUN", "MORE", "SKIP", "END"])
def test_kind_in_the_table_is_the_codes(name: str):
    assert f"| {getattr(log_frames, name)} | {name} |" in TEXT


def test_firmware_keeps_a_whole_write_of_the_longest_frame():
    """Else the stack cuts it in silence (PITFALLS B3)."""
    source = (ROOT / "firmware/lib/redband_hal/radio.py").read_text(encoding="utf-8")
    mtu = re.search(r"^PREFERRED_MTU = (\d+)$", source, re.MULTILINE)
    buffer = re.search(r"^WRITE_BUFFER_BYTES = PREFERRED_MTU - (\d+)$", source, re.MULTILINE)
    assert mtu is not None
    assert buffer is not None
    assert int(mtu[1]) - int(buffer[1]) >= limits.FRAME_MAX_BYTES
