"""A badge session and a host session with a link between them that can be told to misbehave.

Time is counted in turns: in each, the badge may send some notifications and the host one write.
"""

import unittest

from redband.wire import frames as wire_frames
from redband.wire import keys as wire_keys
from redband.wire import log_stream as wire_log_stream
from redband.wire.log_stream import LogClient
from redband_core import frames, journal, keys, numbers, proofs
from redband_core.session import BadgeSession

TURN_MS = 30
STALL_TURNS = 40
INSTALL_ID = 0xA1B2C3D4
DONE = (wire_log_stream.DONE,)
MASTER = numbers.ROLE_GAME_MASTER
HOST_NONCE = b"host8byt"
BADGE_NONCE = b"badge's 16 bytes"
ADVERT_COUNT = 0x00140005


class Random:
    """The same numbers on both interpreters."""

    def __init__(self, seed):
        self._state = seed * 2654435761 + 1

    def below(self, limit):
        self._state = (self._state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self._state >> 12) % limit


def key_for(badge_id, role=MASTER):
    """Return the key of a badge of the tests' game and a role."""
    return keys.badge_key(bytes((role,)) * 16, badge_id)


KEY_FILE = wire_keys.encode_key_file(
    b"GAME", bytes(48), b"".join([key_for(42, role) for role in (1, 2, 3, 4)]), 0, bytes(16)
)


def new_access():
    """Return what a provisioned badge knows of its keys."""
    access = keys.Access(KEY_FILE)
    access.advert_count = ADVERT_COUNT
    access.game_ms = GAME_MS
    return access


def badge_session(log, access=None, nonce=BADGE_NONCE, handlers=None):
    """Return the end of a provisioned badge 42."""
    return BadgeSession(Info, log, access or new_access(), nonce, handlers)


def host_session_for(next_seq_for, role=MASTER):
    """Return the end of a host that has the game's keys."""
    return LogClient(next_seq_for, role, lambda badge_id: key_for(badge_id, role), HOST_NONCE)


class HostKeys:
    """The keys of the game that badge 42 is of, as redband.keys has them."""

    def __init__(self, roles=(1, 2, 3, 4)):
        self.game_id = b"GAME"
        self.role = roles[-1] if len(roles) == 1 else MASTER
        self.advert_encrypt = self.advert_proof = self.broadcast = bytes(16)
        self._roles = roles
        self.chance = self

    def token_bytes(self, count):
        return bytes(range(count))

    def role_key(self, role):
        return bytes((role,)) * 16 if role in self._roles else None


class Info:
    badge_id = 42
    install_id = INSTALL_ID
    boot_id = 0x55667788
    firmware_version = "0.1.0"
    ruleset_identity = bytes(range(8))


class Log:
    """A journal in memory: plain hits with a long record now and then."""

    def __init__(self, count, first_seq=0, long_every=50):
        self.first_seq = first_seq
        self.oldest_seq = first_seq
        self.records = []
        self.released = []
        self.read_count = 0
        for index in range(count):
            self.append(bytes(300) if index % long_every == long_every - 1 else b"\x01\x02\x00")

    @property
    def next_seq(self):
        return self.first_seq + len(self.records)

    def append(self, payload):
        self.records.append(journal.encode_record(self.next_seq, journal.EVENT, 100, payload))

    def read(self, from_seq, limit_bytes):
        self.read_count += 1
        seq = max(from_seq, self.oldest_seq)
        if seq >= self.next_seq:
            return None
        first = seq
        data = b""
        while seq < self.next_seq:
            record = self.records[seq - self.first_seq]
            if data and len(data) + len(record) > limit_bytes:
                break
            data += record
            seq += 1
        return (first, 100 * (first - self.first_seq), data)

    def release(self, before_seq):
        self.released.append(before_seq)


class Store:
    """What the host holds: record numbers with their bytes, and the cursor."""

    def __init__(self, next_seq=0):
        self.next_seq = next_seq
        self.records = []
        self.times_ms = []
        self.asked = []

    def next_seq_for(self, install_id):
        self.asked.append(install_id)
        return self.next_seq

    def take(self, page):
        """Commit a page; raise when a record comes twice or out of order."""
        _page, first_seq, base_ms, data, next_seq = page
        offset = 0
        seq = first_seq
        if first_seq < self.next_seq:
            raise ValueError(f"record {first_seq} again")
        while offset < len(data):
            _kind, delta_ms, _payload, end = journal.decode_record(data, offset, seq)
            base_ms += delta_ms
            self.records.append(data[offset:end])
            self.times_ms.append(base_ms)
            offset = end
            seq += 1
        if seq != next_seq:
            raise ValueError(f"page says {next_seq}, holds {seq}")
        self.next_seq = seq
        return seq


class Link:
    """Runs one sync. Faults are functions of the frame's number on the link, counted from 0.

    down(index, frame) -> list of frames that arrive at the host instead of a notification; up the
    same for writes. has_room(index): whether the stack takes notification attempt number index.
    on_down(index): called before each notification.
    """

    def __init__(self, log, store, mtu=23, packets=4, hold=0):
        self.log = log
        self.store = store
        self.badge = badge_session(log)
        self.host = host_session_for(store.next_seq_for)
        self.badge.set_mtu(mtu)
        self.host.set_write_limit(mtu - 3)
        self.packets = packets
        self.hold_turns = hold  # the host's disk needs so many turns for a page
        self.down = lambda index, frame: [frame]
        self.up = lambda index, frame: [frame]
        self.has_room = lambda index: True
        self.on_down = lambda index: None
        self.downs = []
        self.ups = []
        self.attempts = 0
        self.turns = 0
        self.stalls = 0
        self.events = []
        self.outcome = None
        self.close_reason = 0
        self._waiting = []
        self._commits = []

    def run(self, turns_max=20000):
        """Turn until the host is done or failed, or the badge closes; return the last event."""
        quiet = 0
        while self.outcome is None and self.turns < turns_max and not self.close_reason:
            self.turns += 1
            moved = self._write() + self._notify() + self._commit()
            quiet = 0 if moved else quiet + 1
            if quiet >= STALL_TURNS:
                quiet = 0
                self.stalls += 1
                self.host.stalled()
                self._take_events()
            self.close_reason = self.badge.close_reason(self.turns * TURN_MS)
        return self.outcome

    def _write(self):
        frame = self.host.next_write()
        if frame is None:
            return 0
        index = len(self.ups)
        self.ups.append(frame)
        for arriving in self.up(index, frame):
            self.badge.control_written(arriving, self.turns * TURN_MS)
        self._take_events()
        return 1

    def _notify(self):
        moved = 0
        for _ in range(self.packets):
            offered = self.badge.next_notification()
            if offered is None:
                break
            self.attempts += 1
            if not self.has_room(self.attempts - 1):
                break
            self.badge.sent()
            moved += self._deliver(offered)
        return moved

    def _deliver(self, offered):
        channel, frame = offered
        index = len(self.downs)
        self.downs.append(frame)
        self.on_down(index)
        for arriving in self.down(index, frame):
            if channel == frames.CHANNEL_CONTROL:
                self.host.control_notified(arriving)
            else:
                self.host.log_notified(arriving)
        self._take_events()
        return 1

    def _take_events(self):
        for event in self.host.events():
            self.events.append(event)
            if event[0] == wire_log_stream.PAGE:
                self._commits.append((self.turns + self.hold_turns, event))
            elif event[0] in (wire_log_stream.DONE, wire_log_stream.FAILED):
                self.outcome = event

    def _commit(self):
        if not self._commits or self._commits[0][0] > self.turns:
            return 0
        page = self._commits[0][1]
        self._commits = self._commits[1:]
        self.host.committed(self.store.take(page))
        return 1


GAME_MS = 70000


class Peer:
    """A host by hand: says what it is told to a badge's session, signed once it has proven itself.

    key: of the session.
    """

    def __init__(self, badge, role=MASTER, badge_id=42):
        self.badge = badge
        self.role = role
        self.number = 0
        self.signed_number = 0
        self.key = proofs.session_key(
            key_for(badge_id, role), role, badge_id, HOST_NONCE, BADGE_NONCE
        )

    def say(self, message, now_ms=0):
        """Write a message as it stands; return its number."""
        self.number = frames.next_number(self.number)
        self.badge.control_written(one(self.number, message), now_ms)
        return self.number

    def hello(self, now_ms=0):
        return self.say(wire_frames.encode_hello(self.role, HOST_NONCE), now_ms)

    def prove(self, now_ms=0):
        return self.say(wire_frames.encode_prove(proofs.host_proof(self.key)), now_ms)

    def ask(self, message, now_ms=0):
        """Write a message with the next signature; return its number."""
        self.signed_number += 1
        signed = proofs.signed(self.key, proofs.FROM_HOST, self.signed_number, message)
        return self.say(signed, now_ms)


def one(number, message):
    """Return a message in a single frame."""
    return frames.message_part(number, frames.seal(message), 0, 0, 250)


def drain(badge):
    """Return (channel, frame) of all that a badge's session has to send."""
    out = []
    while True:
        offered = badge.next_notification()
        if offered is None:
            return out
        out.append(offered)
        badge.sent()


def refusals(badge):
    """Return (number, reason) of every refusal that a badge's session sends."""
    return [(f[0], f[3]) for channel, f in drain(badge) if channel == 1 and f[2] == 0xFF]


def proven(log, role=MASTER, **options):
    """Return a badge's session and the peer that has proven itself there."""
    badge = badge_session(log, **options)
    badge.set_mtu(247)
    peer = Peer(badge, role)
    peer.hello()
    peer.prove()
    drain(badge)
    return badge, peer


class SessionCase(unittest.TestCase):
    def check_all_arrived(self, link, from_seq=0):
        """Everything is in the store, once and in order, and nothing else."""
        self.assertEqual(link.outcome, DONE)
        first = from_seq - link.log.first_seq
        self.assertEqual(len(link.store.records), len(link.log.records) - first)
        for index in range(len(link.store.records)):  # no copies: a badge's interpreter is small
            self.assertEqual(link.store.records[index], link.log.records[first + index])
            self.assertEqual(link.store.times_ms[index], 100 * (first + index + 1))
