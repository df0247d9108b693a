"""A badge's session code behind the virtual radio, its journal in memory: for the air bench.

Only the radio's time counts there: no firmware runs, so twenty or a hundred of them are one
process. The connection interval, the packets in it and the MTU are the ether's.
"""

from __future__ import annotations

import asyncio
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from redband.keys import GameKeys
from redband.virtual.radio import BadgeRadio, Ether
from redband.virtual.radio import badge_frames as radio_frames
from redband.wire.advert import Advert
from redband_core import advert, frames, journal, sealing
from redband_core.keys import Access
from redband_core.session import BadgeSession

READ, WRITE, NOTIFY = 0x02, 0x08, 0x10
_TABLE = (
    (frames.INFO_UUID, READ),
    (frames.CONTROL_UUID, WRITE | NOTIFY),
    (frames.LOG_UUID, NOTIFY),
)
HIT = b"\x01\x02\x00"
HIT_EVERY_MS = 700
INSTALL_ID = 7


class Log:
    """A journal of hits, as a session reads it."""

    def __init__(self, count: int) -> None:
        self.oldest_seq = 0
        self.records: list[bytes] = []
        self.grow(count)

    def grow(self, count: int) -> None:
        """Add hits."""
        for _ in range(count):
            record = journal.encode_record(self.next_seq, journal.EVENT, HIT_EVERY_MS, HIT)
            self.records.append(record)

    @property
    def next_seq(self) -> int:
        return len(self.records)

    def read(self, from_seq: int, limit_bytes: int) -> tuple[int, int, bytes] | None:
        """See BadgeSession."""
        if from_seq >= self.next_seq:
            return None
        count = max(1, limit_bytes // len(self.records[from_seq]))
        data = b"".join(self.records[from_seq : from_seq + count])
        return from_seq, HIT_EVERY_MS * from_seq, data

    def release(self, before_seq: int) -> None:
        """See BadgeSession; nothing is let go of."""


class AirBadge:
    """One badge on the ether. changed(count): its advert says something new from now on."""

    def __init__(self, ether: Ether, badge_id: int, game: GameKeys, events: int = 0) -> None:
        self.badge_id = badge_id
        self.install_id = INSTALL_ID
        self.boot_id = badge_id
        self.firmware_version = "0.1.0"
        self.ruleset_identity = bytes(8)
        self.log = Log(events)
        self.count = 1 << 18
        self.address = f"C0:DE:00:00:{badge_id >> 8:02X}:{badge_id & 255:02X}"
        self._access = Access(game.badge_file(badge_id, 0))
        self._game = game
        self._encrypt = Cipher(algorithms.AES(game.advert_encrypt), modes.ECB()).encryptor().update
        self._radio = BadgeRadio(ether, self.address, self._take)
        self._replies: asyncio.Queue[bytes] = asyncio.Queue()
        self._handles: tuple[int, ...] = ()
        self._session: BadgeSession | None = None
        self._connection = self._credits = self._nonce = 0
        self._tasks: set[asyncio.Task] = set()
        self._interval_ms = 100

    async def _call(self, opcode: int, payload: bytes) -> bytes:
        self._radio.frame(opcode, payload)
        reply = await self._replies.get()
        if reply[:2] != bytes(2):
            raise RuntimeError(f"the virtual radio refuses {opcode}")
        return reply[2:]

    async def start(self, mtu: int = 247) -> None:
        """Switch the radio on and register the service."""
        self._credits = (await self._call(radio_frames.POWER_ON, struct.pack("<H", mtu)))[-1]
        table = bytes([1]) + _uuid(advert.SERVICE_UUID) + bytes([len(_TABLE)])
        for uuid, flags in _TABLE:
            table += _uuid(uuid) + struct.pack("<HB", flags, 0)
        handles = await self._call(radio_frames.REGISTER, table)
        self._handles = struct.unpack("<3H", handles)

    async def advertise(self, interval_ms: int = 100) -> None:
        """Say the state, under the next count."""
        self.count += 1
        self._interval_ms = interval_ms
        last_seq = self.log.next_seq - 1 if self.log.next_seq else advert.NO_SEQ
        block = advert.encode_state(
            Advert(
                *(self.badge_id, self.count, 0, 0, 0, advert.NO_TIMER, last_seq, 90, 0, 0),
                *(False, False),
            )
        )
        payload = sealing.seal(advert.KIND_STATE, block, self._game.advert_proof, self._encrypt)
        data = advert.advertising_data(payload)
        head = struct.pack("<IBB", interval_ms * 1000, 1, len(data))
        await self._call(radio_frames.ADVERTISE, head + data + advert.scan_response())

    def close(self) -> None:
        """Take it off the air."""
        self._radio.close()

    # What comes from the radio.

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == radio_frames.REPLY:
            self._replies.put_nowait(payload)
        elif opcode == radio_frames.CONNECTED:
            self._connection = int.from_bytes(payload[:2], "little")
            self._nonce += 1
            nonce = self._nonce.to_bytes(16, "little")
            self._session = BadgeSession(self, self.log, self._access, nonce)
        elif opcode == radio_frames.DISCONNECTED:
            self._session = None
            task = asyncio.get_running_loop().create_task(self.advertise(self._interval_ms))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif opcode == radio_frames.CREDIT:
            self._credits += payload[0]
            self._pump()
        elif self._session is not None:
            self._of_session(self._session, opcode, payload)

    def _of_session(self, session: BadgeSession, opcode: int, payload: bytes) -> None:
        if opcode == radio_frames.MTU_CHANGED:
            session.set_mtu(int.from_bytes(payload[2:4], "little"))
        elif opcode == radio_frames.WRITTEN:
            self._radio.frame(radio_frames.WRITE_DONE, payload[:2])
            session.control_written(payload[6:], 0)
            self._pump()

    def _pump(self) -> None:
        session = self._session
        while session is not None and self._credits:
            offered = session.next_notification()
            if offered is None:
                return
            session.sent()
            self._credits -= 1
            handle = self._handles[1 if offered[0] == frames.CHANNEL_CONTROL else 2]
            head = struct.pack("<HH", self._connection, handle)
            self._radio.frame(radio_frames.NOTIFY, head + offered[1])


def _uuid(text: str) -> bytes:
    data = bytes.fromhex(text.replace("-", ""))[::-1]
    return bytes([len(data)]) + data
