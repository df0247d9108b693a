"""The badge's end of one connection: greets a host, has it prove its key, does what it may ask.

Problem: the link drops, cuts and repeats, the stack runs out of buffers, the host may be a
stranger, another version, or gone. Guarantee: no byte from the peer raises or changes anything
but this session; before its proof a host gets nothing but who the badge is; every refusal for want
of a key looks the same; nothing is released before the host said that it is committed; memory is
bounded by one page and one message. Knows no radio, clock or task: docs/protocol.md tells the
conversation.

`info` has badge_id, install_id, boot_id, firmware_version and ruleset_identity. `log` has
oldest_seq, next_seq, read(from_seq, limit_bytes) -> (first_seq, base_ms, data) or None, and
release(before_seq). `data` may be a memoryview of a buffer that the next read fills again.

Further messages: `handlers` maps an opcode to (roles, handler). `roles` has bit 1 << role set for
each role that may say it. handler(session, number, message) gets the message without its
signature, which was right; it raises ProtocolError for one that makes no sense. It answers with
session.answer(number, message), at once or later (from another task: only when the result is
there); an answer to a session that is over does nothing. The host says a message again, under
another number, when the answer does not come: what must not happen twice needs a number of its own
in the message. `session.role`: who is talking. Import what a handler needs inside of it.
"""

from redband_core import frames, limits, numbers, proofs
from redband_core.errors import ProtocolError
from redband_core.info import PROTOCOL_VERSION, encode_info
from redband_core.log_stream import LogStream

OPEN = 0
CLOSE_IDLE = 1  # nobody there, or a stranger who says nothing
CLOSE_BROKEN = 2  # more broken frames than a radio makes
CLOSE_VERSION = 3  # the host speaks another version
CLOSE_ACCESS = 4  # the host has not the key it says it has

"""Marshal, game master and technician may fetch a journal."""

_ANSWERS_MAX = 4


class BadgeSession:
    """One connection. Counters: bad_frame_count, sent_frame_count.

    `wake`: what to call when an answer is there to be sent, or None.
    """

    def __init__(self, info, log, access, nonce: bytes, handlers: "dict | None" = None) -> None:
        """Begin at a new connection. `access`: keys.Access. `nonce`: 16 random bytes.

        See the module's text for the rest.
        """
        self._info = info
        self._log = log
        self._access = access
        self._nonce = nonce
        self.handlers = handlers or {}
        self._limit = limits.MTU_DEFAULT - 3
        self._joiner = frames.Joiner()
        self._stream = LogStream(log)
        self.bad_frame_count = 0
        self.sent_frame_count = 0
        self.wake = None
        # Messages to the host: (number, message), and how far the first of them went.
        self._answers = []
        self._answer_offset = 0
        self._answer_part = 0
        self._answer_size = 0  # of the part that is offered, 0 when a log frame is
        self._answer_number = 0  # of the last signed one
        # The host.
        self.role = 0
        self._host_nonce = b""  # empty before HELLO
        self._key = b""  # of the session, empty before the proof
        self._heard_number = 0  # of the last signed message
        self._held = None  # (number, proof) that waits for its turn
        self._refusal = OPEN
        self._heard_ms = -1
        self._active_ms = -1
        self._began_ms = -1
        self._counted = 0

    @property
    def is_proven(self) -> bool:
        """Return whether the host has shown its key."""
        return bool(self._key)

    def set_mtu(self, mtu: int) -> None:
        """Cut what follows by the peers' new MTU, in bytes. Less than 23 counts as 23."""
        self._limit = min(max(mtu, limits.MTU_DEFAULT) - 3, limits.FRAME_MAX_BYTES)
        self._stream.forget_offer()

    # From the host.

    def control_written(self, data: bytes, now_ms: int) -> None:
        """Take what the host wrote to CONTROL. `now_ms`: never decreases. Never raises."""
        if self._refusal:
            return
        try:
            message = self._joiner.add(data)
            self._heard_ms = now_ms
            if message is not None:
                self._take(message[0], message[1], now_ms)
        except ProtocolError:
            self._bad(data[0] if data else 0)

    def _bad(self, number: int) -> None:
        self.bad_frame_count += 1
        self._refuse(number, frames.REFUSED_BAD_FRAME)
        if self.bad_frame_count >= limits.BAD_FRAMES_MAX:
            self._refusal = CLOSE_BROKEN

    def answer(self, number: int, message: bytes) -> None:
        """Send an answer, signed, to the host's message `number`.

        When four wait already it is dropped: the host asks again.
        """
        self._answer_number += 1
        self._put(
            number, proofs.signed(self._key, proofs.FROM_BADGE, self._answer_number, message)
        )
        if self.wake is not None:
            self.wake()

    def _put(self, number: int, message: bytes) -> None:
        if len(self._answers) < _ANSWERS_MAX:
            self._answers.append((number, frames.seal(message)))

    def _refuse(self, number: int, reason: int) -> None:
        self._put(number, frames.encode_refused(reason))

    def _deny(self, number: int, now_ms: int) -> None:
        """Refuse who has no key, with the same answer whatever was wrong."""
        self._access.refuse(now_ms)
        self._refuse(number, frames.REFUSED_ACCESS)
        self._refusal = CLOSE_ACCESS

    def _take(self, number: int, message: bytes, now_ms: int) -> None:
        opcode = message[0]
        if opcode == frames.HELLO:
            self._hello(number, frames.decode_hello(message))
        elif opcode == frames.PROVE:
            proof = frames.decode_prove(message)
            if self._access.is_waiting(now_ms):
                self._held = (number, proof)
            else:
                self._prove(number, proof, now_ms)
        elif not self._key:
            self._deny(number, now_ms)
        else:
            heard = proofs.number_of(self._key, proofs.FROM_HOST, message)
            if heard == 0:
                self._deny(number, now_ms)
            elif heard > self._heard_number:  # else the link repeated it
                self._heard_number = heard
                self._obey(number, message[: -proofs.SIGNATURE_BYTES])

    def _hello(self, number: int, hello: tuple) -> None:
        version, role, nonce = hello
        if version != PROTOCOL_VERSION:
            self._refuse(number, frames.REFUSED_VERSION)
            self._refusal = CLOSE_VERSION
            return
        if self._key and (role != self.role or nonce != self._host_nonce):
            self._refuse(number, frames.REFUSED_ORDER)  # one session in a connection
            return
        self.role = role
        self._host_nonce = nonce
        self._put(number, frames.encode_welcome(self._info, self._nonce))

    def _prove(self, number: int, proof: bytes, now_ms: int) -> None:
        """Answer a proof; the same one again in the same session is a repeat, and no attack."""
        # Without a key of this role the same work is done, and the same answer given.
        badge_key = self._access.badge_key(self.role)
        key = proofs.session_key(
            badge_key, self.role, self._info.badge_id, self._host_nonce, self._nonce
        )
        is_right = proofs.is_same(proofs.host_proof(key), proof)
        if not is_right or not badge_key or not self._host_nonce:
            self._deny(number, now_ms)
            return
        self._key = key
        access = self._access
        proved = frames.encode_proved(self._log, access.advert_count, access.game_ms, b"")
        proof = proofs.badge_proof(key, proved[1:], encode_info(self._info))
        self._put(number, proved + proof)

    def _obey(self, number: int, message: bytes) -> None:
        opcode = message[0]
        is_sync = opcode in (frames.FETCH, frames.ACK)
        roles, handler = (
            (numbers.MAY_READ, None) if is_sync else self.handlers.get(opcode, (0, None))
        )
        if not is_sync and handler is None:
            self._refuse(number, frames.REFUSED_UNKNOWN)
        elif not roles >> self.role & 1:
            self._refuse(number, frames.REFUSED_ROLE)
        elif handler is not None:
            handler(self, number, message)
        elif opcode == frames.FETCH:
            from_seq = frames.decode_fetch(message)
            if from_seq > self._log.next_seq:
                self._refuse(number, frames.REFUSED_ORDER)
            else:
                self._stream.begin(number, from_seq, self._key)
        else:
            stream, frame_number, next_seq = frames.decode_ack(message)
            if next_seq > self._log.next_seq:
                self._refuse(number, frames.REFUSED_ORDER)
            else:
                self._stream.acknowledge(stream, frame_number)
                self._log.release(next_seq)

    # To the host.

    def next_notification(self) -> "tuple[int, bytes] | None":
        """Return (frames.CHANNEL_ constant, bytes) to notify, or None when nothing is to be sent.

        The same again until `sent` is called. Passes on what `log.read` raises.
        """
        self._answer_size = 0
        if self._answers:
            number, message = self._answers[0]
            offset, part = self._answer_offset, self._answer_part
            frame = frames.message_part(number, message, offset, part, self._limit)
            self._answer_size = len(frame) - frames.MESSAGE_HEAD_BYTES
            return (frames.CHANNEL_CONTROL, frame)
        if self._refusal:
            return None
        frame = self._stream.next_frame(self._limit)
        return None if frame is None else (frames.CHANNEL_LOG, frame)

    def sent(self) -> None:
        """Go on after the notification that was offered last: the stack has taken it."""
        self.sent_frame_count += 1
        if not self._answer_size:
            self._stream.sent()
            return
        self._answer_offset += self._answer_size
        self._answer_part += 1
        self._answer_size = 0
        if self._answer_offset >= len(self._answers[0][1]):
            self._answers = self._answers[1:]
            self._answer_offset = self._answer_part = 0

    # The end.

    def close_reason(self, now_ms: int) -> int:
        """Return OPEN, or the CLOSE_ constant for which the link should be ended now.

        `now_ms`: never decreases. Call it about as often as notifications are sent.
        """
        if self._held is not None and not self._access.is_waiting(now_ms):
            (number, proof), self._held = self._held, None
            self._prove(number, proof, now_ms)
        if self._active_ms < 0 or self.sent_frame_count != self._counted:
            self._counted = self.sent_frame_count
            self._active_ms = now_ms
        if self._began_ms < 0:
            self._began_ms = now_ms
        last_ms = max(self._active_ms, self._heard_ms)
        if self._refusal:
            return self._refusal if now_ms - last_ms >= limits.REFUSAL_LINGER_MS else OPEN
        if not self._key:
            # Counted from the beginning: a stranger does not buy time by writing rubbish.
            limit_ms = limits.SESSION_PROOF_MS if self._host_nonce else limits.SESSION_HELLO_MS
            return CLOSE_IDLE if now_ms - self._began_ms >= limit_ms else OPEN
        return CLOSE_IDLE if now_ms - last_ms >= limits.SESSION_IDLE_MS else OPEN
