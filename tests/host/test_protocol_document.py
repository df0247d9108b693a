"""docs/protocol.md says what the code does: every vector, and the numbers in its text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.core.data.aes import encryptor

from redband.build import packages
from redband.keys import GameKeys
from redband.keys.derive import badge_key
from redband.radio import reader, sync
from redband.wire import advert as wire_advert
from redband.wire import command_frames as wire_command_frames
from redband.wire import upload as wire_upload
from redband.wire.log_stream import LogClient
from redband_core import (
    advert,
    broadcasts,
    command_frames,
    frames,
    journal,
    keys,
    limits,
    log_frames,
    numbers,
    sealing,
    upload,
)
from redband_core.session import BadgeSession

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
GAME = GameKeys(bytes(range(32)))
COUNT = 5 << 18 | 7
MASTER = numbers.ROLE_GAME_MASTER
REQUEST = 0xA1B2C3D4
STATE = wire_advert.Advert(
    42, COUNT, 3, 2, 1, 300, 1234, 87, numbers.ROLE_MEDIC, advert.FLAG_FAULT, False, True
)
NEW = wire_advert.Advert(1, 0, 0, 0, 0, advert.NO_TIMER, advert.NO_SEQ, 100, 0, 0, False, False)
encrypt = encryptor(GAME.advert_encrypt)


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


def badge_limit(name: str) -> int:
    """Return a number of the firmware's limits, which no host imports."""
    source = (ROOT / "firmware/lib/redband_badge/limits.py").read_text(encoding="utf-8")
    found = re.search(rf"^{name} = ([\d_]+)", source, re.MULTILINE)
    assert found is not None
    return int(found[1])


def documented() -> dict[str, str]:
    """Return the vectors of the document by name."""
    vectors: dict[str, str] = {}
    for block in re.findall(r"```vectors\n(.*?)```", TEXT, re.DOTALL):
        for line in block.splitlines():
            name, value = line.split(": ")
            assert name not in vectors
            vectors[name] = value
    return vectors


def badge() -> BadgeSession:
    """Return the document's badge at a new connection."""
    access = keys.Access(GAME.badge_file(42, 0))
    access.advert_count = COUNT
    access.game_ms = 101800
    return BadgeSession(Info, ThreeRecords(), access, b"badge's 16 bytes")


def host() -> LogClient:
    """Return the document's host."""

    def key_for(badge_id: int) -> bytes:
        return badge_key(GAME, badge_id, MASTER) or b""

    return LogClient(lambda install_id: 100, MASTER, key_for, b"host8byt")


def conversation() -> list[tuple[str, bytes]]:
    """Run the document's sync; return all that was on the air, in order, with who said it."""
    here, there = badge(), host()
    air: list[tuple[str, bytes]] = []
    while True:
        written = there.next_write()
        if written is not None:
            air.append(("write", written))
            here.control_written(written, 0)
        offered = here.next_notification()
        if written is None and offered is None:
            return air
        if offered is not None:
            here.sent()
            air.append(("notify", offered[1]))
            is_control = offered[0] == frames.CHANNEL_CONTROL
            (there.control_notified if is_control else there.log_notified)(offered[1])
        for event in there.events():
            if len(event) == 5:
                there.committed(event[4])


def sealed(state: wire_advert.Advert) -> bytes:
    return sealing.seal(advert.KIND_STATE, advert.encode_state(state), GAME.advert_proof, encrypt)


def game_vectors() -> dict[str, bytes]:
    """Return all vectors but those of the conversation."""
    patient = badge_key(GAME, 42, numbers.ROLE_MEDIC) or b""
    wanted = broadcasts.wanted_block(42, COUNT, 0xAABBCCDD, 3, 5)
    offer = broadcasts.offer_block(
        42, 7, 0xAABBCCDD, numbers.ROLE_MEDIC, (9, 2, 3), 0x12345, 0x0100
    )
    result = broadcasts.result_block(42, 7, 0xAABBCCDD, 9, numbers.ANSWER_ALREADY)
    said = broadcasts.broadcast_block(5, numbers.BROADCAST_PAUSE, 0, 30, 7, 1)
    return {
        "game-id": GAME.game_id,
        "advert-encryption": GAME.advert_encrypt,
        "advert-proof": GAME.advert_proof,
        "broadcast": GAME.broadcast,
        "role-master": GAME.role_key(MASTER) or b"",
        "key-42-master": badge_key(GAME, 42, MASTER) or b"",
        "state-block": advert.encode_state(STATE),
        "advert": advert.advertising_data(sealed(STATE)),
        "state-block-new": advert.encode_state(NEW),
        "advert-new": advert.advertising_data(sealed(NEW)),
        "wanted": sealing.seal(advert.KIND_WANTED, wanted, GAME.advert_proof, encrypt),
        "offer": broadcasts.seal_plain(advert.KIND_OFFER, offer, patient, encrypt),
        "result": broadcasts.seal_plain(advert.KIND_RESULT, result, patient, encrypt),
        "broadcast-pause": broadcasts.seal_plain(
            advert.KIND_BROADCAST, said, GAME.broadcast, encrypt
        ),
        "advert-unkeyed": advert.advertising_data(
            advert.encode_unkeyed(300, advert.FLAG_SAFE_MODE)
        ),
        "scan-response": advert.scan_response(),
        "info": frames.encode_info(Info),
        "refused": refusal(),
        "request-event": wire_command_frames.encode_event(REQUEST, 1, (2, 2)),
        "request-event-result": command_frames.encode_result(
            frames.EVENT, REQUEST, numbers.ANSWER_DONE
        ),
        "request-command": wire_command_frames.encode_command(REQUEST, numbers.COMMAND_PAUSE),
        "request-command-result": command_frames.encode_result(
            frames.COMMAND, REQUEST, numbers.ANSWER_ROLE
        ),
        "request-broadcast": wire_command_frames.encode_broadcast(
            broadcasts.seal_plain(advert.KIND_BROADCAST, said, GAME.broadcast, encrypt)
        ),
        "request-broadcast-result": command_frames.encode_broadcast_result(5, numbers.ANSWER_OLD),
        **update_vectors(),
    }


def update_vectors() -> dict[str, bytes]:
    """Return those of an upload of one file."""
    package = packages.settings_package({"brightness_pct": 40})
    status = bytes((2, upload.FIRMWARE, 1, 0)) + bytes(range(8))
    return {
        "update-manifest": package.manifest,
        "update-begin": package.begin(42, may_begin_game=False),
        "update-begin-answer": upload.encode_answer(upload.BEGIN, upload.DONE, 0),
        "update-data": upload.encode_data(52, b"{", is_asking=True),
        "update-data-answer": upload.encode_answer(upload.DATA, upload.GAP, 20),
        "update-status-answer": upload.encode_answer(upload.STATUS, upload.DONE, 0, status),
        "update-commit-answer": upload.encode_answer(upload.COMMIT, upload.NEW_GAME, 74),
    }


def test_numbers_of_an_update_in_the_text_are_the_codes():
    assert f"{wire_upload.WINDOW_FRAMES} frames at most until an answer" in TEXT
    assert f"a piece has {wire_upload.PIECE_FRAMES} frames" in TEXT
    flush = badge_limit("UPLOAD_FLUSH_BYTES")
    assert f"each {flush} bytes within one" in TEXT
    assert f"idle for {badge_limit('UPLOAD_IDLE_MS') // 1000} s" in TEXT
    source = (ROOT / "firmware/slots.py").read_text(encoding="utf-8")
    for name in ("SLOT_BYTES", "FIRMWARE"):
        assert f"\n{name} = {getattr(upload, name)}" in source


@pytest.mark.parametrize("kind", packages.NAMES)
def test_kind_of_update_in_the_text_is_the_codes(kind: int):
    assert f"{kind} {packages.NAMES[kind]}" in TEXT


@pytest.mark.parametrize("name", ["BEGIN", "DATA", "STATUS", "COMMIT", "ABORT"])
def test_opcode_of_an_update_in_the_table_is_the_codes(name: str):
    assert f"| {getattr(upload, name):02X} | {name} |" in TEXT


def test_outcomes_of_an_update_in_the_table_are_the_codes():
    outcomes = {
        name: value
        for name, value in vars(upload).items()
        if isinstance(value, int) and upload.DONE <= value <= upload.GAP and name in OUTCOMES
    }
    for name, words in OUTCOMES.items():
        assert f"{outcomes[name]} {words}" in " ".join(TEXT.split())
    assert set(outcomes.values()) == set(range(16))


OUTCOMES = {
    "DONE": "done",
    "NO_ROOM": "no room",
    "DAMAGED": "damaged",
    "BAD_MANIFEST": "bad manifest",
    "OTHER_BADGE": "for another badge",
    "BUSY": "busy",
    "NOT_BEGUN": "not begun",
    "INCOMPLETE": "incomplete",
    "OTHER_LOADER": "other main.py",
    "BAD_RULESET": "bad ruleset",
    "BAD_PARAMS": "bad numbers",
    "BAD_SETTINGS": "bad settings",
    "NEW_GAME": "new game",
    "FLASH_FAILED": "flash failed",
    "NO_MEMORY": "no memory",
    "GAP": "gap",
}


def refusal() -> bytes:
    """Return what the badge says to a HELLO of version 1."""
    here = badge()
    other = frames.seal(bytes((frames.HELLO, 1)))
    here.control_written(frames.message_part(1, other, 0, 0, 20), 0)
    offered = here.next_notification()
    assert offered is not None
    return offered[1]


@pytest.mark.parametrize("name", game_vectors())
def test_vector(name: str):
    assert documented()[name] == game_vectors()[name].hex()


def test_vectors_of_the_conversation():
    on_air = [
        (name.split("-")[0], value)
        for name, value in documented().items()
        if name.startswith(("write-", "notify-"))
    ]
    assert on_air == [(who, frame.hex()) for who, frame in conversation()]


def test_every_vector_is_compared():
    others = documented().keys() - game_vectors().keys()
    assert all(name.startswith(("write-", "notify-")) for name in others)


@pytest.mark.parametrize(
    "words",
    [
        f"`{advert.SERVICE_UUID}`",
        f"`{frames.INFO_UUID[:8]}-…`",
        f"`{frames.CONTROL_UUID[:8]}-…`",
        f"`{frames.LOG_UUID[:8]}-…`",
        f"Version {frames.PROTOCOL_VERSION}.",
        f"Legacy, connectable, {advert.AD_MAX_BYTES} bytes",
        f"the payload of {advert.PAYLOAD_BYTES} bytes",
        f"`/keys.bin` of a badge, {keys.FILE_BYTES} bytes",
        f"a repeat for {reader.REPEAT_S:.0f} s",
        f"renews its advert each {badge_limit('ADVERT_RENEW_MS') // 1000} s",
        f"(each {badge_limit('ADVERT_TIMER_RENEW_MS') // 1000} s while a timer runs)",
        f"Each {badge_limit('ADVERT_FAST_INTERVAL_MS')} ms for"
        f" {badge_limit('ADVERT_FAST_FOR_MS') // 1000} s after a change",
        f"each {badge_limit('ADVERT_NORMAL_INTERVAL_MS')} ms while a timer runs and for"
        f" {badge_limit('ADVERT_NORMAL_FOR_MS') // 1000} s",
        f"else each {badge_limit('ADVERT_IDLE_INTERVAL_MS')} ms",
        f"No frame either way is longer than {limits.FRAME_MAX_BYTES} bytes",
        f"longer than {limits.CONTROL_MESSAGE_MAX_BYTES} bytes (check included)",
        f"It is sent when {limits.PAGE_FRAMES} frames are used up",
        f"{limits.WINDOW_FRAMES} frames on the way",
        f"within {limits.SESSION_HELLO_MS // 1000} s of connecting",
        f"its key within {limits.SESSION_PROOF_MS // 1000} s",
        f"nothing moved for {limits.SESSION_IDLE_MS // 1000} s",
        f"sent {limits.BAD_FRAMES_MAX} broken messages",
        f"dropped {limits.REFUSAL_LINGER_MS // 1000} s after the refusal",
        f"ends the link {limits.REFUSAL_LINGER_MS // 1000} s later",
        f"until {limits.PROOF_GAP_MS} ms after a wrong one",
        f"nothing comes for {sync.STALL_S:.0f} s",
    ],
)
def test_number_in_the_text_is_the_codes(words: str):
    assert words in " ".join(TEXT.split())


def test_all_uuids_differ_only_where_the_document_says():
    uuids = {advert.SERVICE_UUID, frames.INFO_UUID, frames.CONTROL_UUID, frames.LOG_UUID}
    assert len(uuids) == 4
    assert len({uuid[8:] for uuid in uuids}) == 1


@pytest.mark.parametrize(
    "name",
    [
        *("HELLO", "WELCOME", "PROVE", "PROVED", "FETCH", "ACK", "REFUSED"),
        *("COMMAND", "EVENT", "BROADCAST"),
    ],
)
def test_opcode_in_the_table_is_the_codes(name: str):
    assert re.search(rf"^\| {getattr(frames, name):02X} \| \w+ \| {name} \|", TEXT, re.MULTILINE)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (numbers.ANSWER_PAUSED, "the game is paused"),
        (numbers.ANSWER_NO_RULES, "no rules"),
        (numbers.ANSWER_UNKNOWN, "unknown"),
        (numbers.ANSWER_ROLE, "not for this role"),
        (numbers.ANSWER_BUSY, "too much is waiting"),
        (numbers.ANSWER_OTHER_RULES, "another ruleset"),
        (numbers.ANSWER_OLD, "heard already"),
        (numbers.ANSWER_IMPOSSIBLE, "the board can't do that"),
        (numbers.ANSWER_FORGED, "not of this game"),
    ],
)
def test_outcome_in_the_text_is_the_codes(number: int, words: str):
    assert f" {number} {words}" in " ".join(TEXT.split())


def test_numbers_of_words_and_requests_in_the_text_are_the_codes():
    orders = (ROOT / "firmware/lib/redband_badge/pending_commands.py").read_text(encoding="utf-8")
    assert "REQUESTS_MAX = 8" in orders
    assert "the outcomes of the last 8" in TEXT
    assert f"broadcasts it for {badge_limit('BROADCAST_FOR_MS') // 1000} s" in TEXT


@pytest.mark.parametrize("name", ["RUN", "MORE", "SKIP", "END"])
def test_kind_in_the_table_is_the_codes(name: str):
    assert f"| {getattr(log_frames, name)} | {name} |" in TEXT


@pytest.mark.parametrize("name", ["STATE", "WANTED", "OFFER", "BROADCAST", "RESULT", "UNKEYED"])
def test_kind_of_advert_in_the_table_is_the_codes(name: str):
    kind = getattr(advert, f"KIND_{name}")
    assert re.search(rf"^\| {kind} \| {name} \|", TEXT, re.MULTILINE | re.IGNORECASE)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("REFUSED_VERSION", "other version"),
        ("REFUSED_BAD_FRAME", "broken message"),
        ("REFUSED_ORDER", "not now"),
        ("REFUSED_UNKNOWN", "unknown opcode"),
        ("REFUSED_ACCESS", "no access"),
        ("REFUSED_ROLE", "not for this role"),
    ],
)
def test_reason_in_the_text_is_the_codes(name: str, words: str):
    assert f" {getattr(frames, name)} {words}" in TEXT


def test_firmware_keeps_a_whole_write_of_the_longest_frame():
    """Else the stack cuts it in silence (PITFALLS B3)."""
    source = (ROOT / "firmware/lib/redband_hal/radio.py").read_text(encoding="utf-8")
    mtu = re.search(r"^PREFERRED_MTU = (\d+)$", source, re.MULTILINE)
    buffer = re.search(r"^WRITE_BUFFER_BYTES = PREFERRED_MTU - (\d+)$", source, re.MULTILINE)
    assert mtu is not None
    assert buffer is not None
    assert int(mtu[1]) - int(buffer[1]) >= limits.FRAME_MAX_BYTES
