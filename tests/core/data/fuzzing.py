"""Changed frames and adverts, the same ones on both interpreters, and what they are fed to.

PARSERS: those that a badge carries; name to (function of bytes, sound inputs of it).
"""

import aes
import link

from redband.wire import command_frames as wire_command_frames
from redband.wire import frames as wire_frames
from redband.wire import upload as wire_upload
from redband_core import (
    advert,
    broadcasts,
    command_frames,
    frames,
    keys,
    numbers,
    opening,
    proofs,
    sealing,
    tap,
    upload,
)
from redband_core.errors import ProtocolError

_INTERESTING = b"\x00\x01\x7f\x80\xff\x52\x20\xfe"


class Mutator:
    """Changes inputs by chance, always the same way for a seed."""

    def __init__(self, seed):
        self._state = seed * 2654435761 + 12345 & 0x7FFFFFFF

    def changed(self, seeds):
        """Return a changed one of `seeds`: mostly by a byte or two, now and then by much."""
        # One step for everything: ten million inputs are made here.
        number = self._state = self._state * 1103515245 + 12345 & 0x7FFFFFFF
        data = seeds[(number >> 17) % len(seeds)]
        how = number >> 4 & 7
        at = (number >> 7) % (len(data) + 1)
        if how < 2:  # a byte by chance
            return data[:at] + bytes((number >> 22 & 0xFF,)) + data[at + 1 :]
        if how == 2:  # one that is often a limit
            return data[:at] + _INTERESTING[number >> 24 & 7 :][:1] + data[at + 1 :]
        if how == 3:  # cut
            return data[:at]
        if how == 4:  # bytes in between
            return data[:at] + (number >> 8).to_bytes(3, "little") + data[at:]
        if how == 5:  # bytes missing
            return data[:at] + data[at + 1 + (number >> 22 & 3) :]
        other = seeds[(number >> 24) % len(seeds)]
        if how == 6:  # the end of another one
            return data[:at] + other[at:]
        return other[: at // 2] + (number >> 8).to_bytes(3, "little") * (1 + at // 3)


def feed(function, seeds, count, seed=1, errors=(ProtocolError,)):
    """Give `count` changed inputs to a parser; return how many it took. Errors pass through."""
    changed = Mutator(seed).changed
    taken = 0
    for _ in range(count):
        data = changed(seeds)
        try:
            function(data)
            taken += 1
        except errors:
            pass
    return taken


GROUP_KEY = bytes(16)
ENCRYPT, DECRYPT = aes.encryptor(GROUP_KEY), aes.decryptor(GROUP_KEY)
_STATE = bytes.fromhex("2a00070014000302012c01d20400d730")
_WANTED = broadcasts.wanted_block(42, 0x00140007, 0xAABBCCDD, 3, 5)
_OFFER = broadcasts.offer_block(42, 7, 0xAABBCCDD, 1, (9, 2, 3), 0x12345, 0xCAFE)
_RESULT = broadcasts.result_block(42, 7, 0xAABBCCDD, 9, -10)
_BROADCAST = broadcasts.broadcast_block(5, numbers.BROADCAST_PAUSE, 0, 30, 7, 1)
BLOCKS = (_STATE, _WANTED, _OFFER, _RESULT, _BROADCAST)
ADVERTS = (
    sealing.seal(advert.KIND_STATE, _STATE, GROUP_KEY, ENCRYPT),
    sealing.seal(advert.KIND_WANTED, _WANTED, GROUP_KEY, ENCRYPT),
    broadcasts.seal_plain(advert.KIND_OFFER, _OFFER, GROUP_KEY, ENCRYPT),
    broadcasts.seal_plain(advert.KIND_RESULT, _RESULT, GROUP_KEY, ENCRYPT),
    broadcasts.seal_plain(advert.KIND_BROADCAST, _BROADCAST, GROUP_KEY, ENCRYPT),
    b"\x52\x2f\x2c\x01\x01" + bytes(19),
)

MESSAGES = (
    wire_frames.encode_hello(3, b"host8byt"),
    wire_frames.encode_prove(bytes(range(16))),
    wire_frames.encode_fetch(3),
    wire_frames.encode_ack(3, 7, 9),
    wire_command_frames.encode_command(7, numbers.COMMAND_PAUSE),
    wire_command_frames.encode_event(0xAABBCCDD, 1, (1, -2)),
    wire_command_frames.encode_broadcast(ADVERTS[4]),
    upload.encode_begin(upload.RULESET, 42, (2, 300, 100), bytes(32), 0),
    upload.encode_data(7, b"bytes of a file", True),
    bytes((upload.STATUS,)),
    bytes((upload.COMMIT,)),
)
ENTRY = wire_upload.encode_entry(upload.SENT, "/lib/redband_core/keys.mpy", 700, bytes(32))
PARTS = tuple([link.one(1 + index, message) for index, message in enumerate(MESSAGES)]) + tuple(
    [frames.message_part(9, frames.seal(MESSAGES[7]), 18 * part, part, 20) for part in range(3)]
)


def open_advert(payload):
    """Open a payload as a badge's observer does; what opens is parsed."""
    kind = opening.kind_of(payload)
    if kind <= advert.KIND_WANTED:
        block = opening.opened(payload, GROUP_KEY, DECRYPT)
        if block is not None and kind == advert.KIND_WANTED:
            broadcasts.parse_wanted(block)
        return
    block = opening.unproven_block(payload, DECRYPT)
    parse = {
        advert.KIND_OFFER: broadcasts.parse_offer,
        advert.KIND_RESULT: broadcasts.parse_result,
        advert.KIND_BROADCAST: broadcasts.parse_broadcast,
    }.get(kind)
    if parse is not None:
        parse(block)
    opening.is_proven(payload, block, GROUP_KEY)


def decode_entry(data):
    """Decode a manifest's entry and see whether its path may be written."""
    kind, path, _size, _digest, _end = upload.decode_entry(data, 0)
    for update in (upload.RULESET, upload.SETTINGS, upload.FIRMWARE):
        if upload.is_allowed(update, kind, path):
            assert path.startswith("/") and ".." not in path and "//" not in path, path


def behind_opcode(decode):
    """Return a parser of messages: they come with an opcode, one byte at least."""
    return lambda data: decode(data or b"\x00")


def _joiner():
    joiner = frames.Joiner()

    def add(data):
        joiner.add(data)
        assert len(joiner._data) <= 512

    return add


PARSERS = {
    "advert": (open_advert, ADVERTS),
    "wanted": (broadcasts.parse_wanted, BLOCKS),
    "offer": (broadcasts.parse_offer, BLOCKS),
    "result": (broadcasts.parse_result, BLOCKS),
    "broadcast": (broadcasts.parse_broadcast, BLOCKS),
    "part": (_joiner(), PARTS),
    "hello": (behind_opcode(frames.decode_hello), MESSAGES[:1]),
    "prove": (behind_opcode(frames.decode_prove), MESSAGES[1:2]),
    "fetch": (behind_opcode(frames.decode_fetch), MESSAGES[2:3]),
    "ack": (behind_opcode(frames.decode_ack), MESSAGES[3:4]),
    "command": (behind_opcode(command_frames.decode_command), MESSAGES[4:5]),
    "event": (behind_opcode(command_frames.decode_event), MESSAGES[5:6]),
    "broadcast command": (behind_opcode(command_frames.decode_broadcast), MESSAGES[6:7]),
    "begin": (behind_opcode(upload.decode_begin), MESSAGES[7:8]),
    "data": (behind_opcode(upload.decode_data), MESSAGES[8:9]),
    "entry": (decode_entry, (ENTRY,)),
    "tap record": (tap.parse, (tap.payload((0, 1), 7, 0xAABBCCDD, -10, (9, (2, -3))),)),
    "key file": (keys.is_key_file, (link.KEY_FILE,)),
    "signature": (
        lambda data: proofs.number_of(GROUP_KEY, proofs.FROM_HOST, data),
        (proofs.signed(GROUP_KEY, proofs.FROM_HOST, 1, MESSAGES[2]),),
    ),
}


class Target:
    """A badge's session that is fed changed frames; what must not happen is counted.

    done: orders that reached a handler. Before the proof none may, nor may anything be released.
    """

    def __init__(self, is_proven=False):
        self.log = link.Log(9)
        self.done = []
        handler = (0b11110, lambda session, number, message: self.done.append(message))
        self.handlers = dict.fromkeys((0x11, 0x12, 0x13, 0x30, 0x31, 0x32, 0x33, 0x34), handler)
        self._is_proven = is_proven
        self.peer = None
        self._now_ms = 0
        self.begin()

    def begin(self):
        """Begin a connection."""
        self._now_ms = 0
        self.access = link.new_access()
        self.badge = link.badge_session(self.log, self.access, handlers=self.handlers)
        if self._is_proven:
            self.peer = link.Peer(self.badge)
            self.peer.hello()
            self.peer.prove()
            self.drain()

    def drain(self):
        """Send what the session has, and forget it."""
        badge = self.badge
        offered = badge.next_notification()
        while offered is not None:
            badge.sent()
            offered = badge.next_notification()

    def write(self, data):
        """Give the session what somebody wrote; begin anew when it has had enough."""
        self._now_ms += 1000
        self.badge.control_written(data, self._now_ms)
        self.drain()
        if self.badge.close_reason(self._now_ms):
            assert self.badge.is_proven == self._is_proven
            self.begin()

    def write_message(self, data):
        """Give it a message that is whole, whatever is in it."""
        self.write(link.one(9, data or b"\x00"))


SIGNED = tuple(
    [
        proofs.signed(
            link.Peer(link.badge_session(link.Log(1))).key, proofs.FROM_HOST, number, message
        )
        for number, message in enumerate(MESSAGES[2:], 5)
    ]
)


def grown(run, count):
    """Feed `count` inputs in three runs; return by how many bytes the last grew the heap."""
    count = count // 3 + 1
    import gc

    run(count)
    run(count)
    gc.collect()
    before = gc.mem_alloc()
    run(count)
    gc.collect()
    return gc.mem_alloc() - before
