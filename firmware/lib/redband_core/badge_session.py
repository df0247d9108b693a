"""The badge's end of one connection: greets the host and sends it the journal.

Problem: the link drops, cuts and repeats, the stack runs out of buffers, the host may be a
stranger, another version, or gone. Guarantee: no byte from the peer raises or changes anything
but this session; nothing is released before the host said that it is committed; what was not yet
taken by the stack is offered again, so ENOMEM loses nothing; memory is bounded by one page and one
message. Reads the journal through `log` and knows no radio, clock or task: docs/protocol.md tells
the conversation.

`info` has badge_id, install_id, boot_id, firmware_version and ruleset_identity. `log` has
oldest_seq, next_seq, read(from_seq, limit_bytes) -> (first_seq, base_ms, data) or None, and
release(before_seq). `data` may be a memoryview of a buffer that the next read fills again.
"""

from redband_core import frames, limits, log_frames
from redband_core.errors import ProtocolError

OPEN = 0
CLOSE_IDLE = 1  # nobody there, or a stranger who says nothing
CLOSE_BROKEN = 2  # more broken frames than a radio makes
CLOSE_VERSION = 3  # the host speaks another version

_ANSWERS_MAX = 4


class BadgeSession:
    """One connection. Counters: bad_frame_count, dropped_answer_count, sent_frame_count."""

    def __init__(self, info, log) -> None:
        """Begin at a new connection; see the module's text for `info` and `log`."""
        self._info = info
        self._log = log
        self._limit = limits.MTU_DEFAULT - 3
        self._joiner = frames.Joiner()
        self.bad_frame_count = 0
        self.dropped_answer_count = 0
        self.sent_frame_count = 0
        # Messages to the host: (number, message), and how far the first of them went.
        self._answers = []
        self._answer_offset = 0
        self._answer_part = 0
        # The stream of log frames: what the host fetches with one FETCH.
        self._is_streaming = False
        self._stream = 0
        self._fetch_number = 0
        self._frame_number = 0
        self._free_from = 0  # number of the first frame that is not acknowledged
        self._next_seq = 0  # of the record to read next
        self._end_seq = 0  # behind the last record in _data, or sent
        self._data = b""  # what was read and is not sent
        self._is_in_run = False
        self._ahead = None  # a page of the log that does not follow on _data
        # (channel, frame, bytes it carries or record it skips to, kind) until the stack takes it.
        self._offer = None
        self._is_greeted = False
        self._refusal = OPEN
        self._heard_ms = -1
        self._active_ms = -1
        self._began_ms = -1
        self._counted = 0

    def set_mtu(self, mtu: int) -> None:
        """Cut what follows by the peers' new MTU, in bytes. Less than 23 counts as 23."""
        self._limit = min(max(mtu, limits.MTU_DEFAULT) - 3, limits.FRAME_MAX_BYTES)
        self._offer = None

    # From the host.

    def control_written(self, data: bytes, now_ms: int) -> None:
        """Take what the host wrote to CONTROL. `now_ms`: never decreases. Never raises."""
        if self._refusal:
            return
        try:
            message = self._joiner.add(data)
            self._heard_ms = now_ms
            if message is not None:
                self._take(message[0], message[1])
        except ProtocolError:
            self._bad(data[0] if data else 0)

    def _bad(self, number: int) -> None:
        self.bad_frame_count += 1
        self._refuse(number, frames.REFUSED_BAD_FRAME)
        if self.bad_frame_count >= limits.BAD_FRAMES_MAX:
            self._refusal = CLOSE_BROKEN

    def _answer(self, number: int, message: bytes) -> None:
        if len(self._answers) >= _ANSWERS_MAX:
            self.dropped_answer_count += 1  # the host asks again
            return
        self._answers.append((number, frames.seal(message)))

    def _refuse(self, number: int, reason: int) -> None:
        self._answer(number, frames.encode_refused(reason))

    def _take(self, number: int, message: bytes) -> None:
        opcode = message[0]
        if opcode == frames.HELLO:
            self._hello(number, frames.decode_hello(message))
        elif opcode == frames.FETCH:
            self._fetch(number, frames.decode_fetch(message))
        elif opcode == frames.ACK:
            self._ack(number, frames.decode_ack(message))
        else:
            self._refuse(number, frames.REFUSED_UNKNOWN)

    def _hello(self, number: int, version: int) -> None:
        if version != frames.PROTOCOL_VERSION:
            self._refuse(number, frames.REFUSED_VERSION)
            self._refusal = CLOSE_VERSION
            return
        self._is_greeted = True
        log = self._log
        self._answer(number, frames.encode_welcome(self._info, log.oldest_seq, log.next_seq))

    def _fetch(self, number: int, from_seq: int) -> None:
        if not self._is_greeted or from_seq > self._log.next_seq:
            self._refuse(number, frames.REFUSED_ORDER)
            return
        if number == self._fetch_number:
            return  # the link repeated it; starting again would reuse frame numbers
        self._is_streaming = True
        self._fetch_number = number
        self._stream = number & log_frames.STREAM_MASK
        self._frame_number = 0
        self._free_from = 0
        self._next_seq = self._end_seq = from_seq
        self._data = b""
        self._is_in_run = False
        self._ahead = self._offer = None

    def _ack(self, number: int, ack: tuple) -> None:
        stream, frame_number, next_seq = ack
        if not self._is_greeted or next_seq > self._log.next_seq:
            self._refuse(number, frames.REFUSED_ORDER)
            return
        if self._is_streaming and stream == self._stream:
            unused = (self._frame_number - frame_number) & 0xFF
            # A late acknowledgement never takes back what a later one gave.
            if unused <= self._frame_number - self._free_from:
                self._free_from = self._frame_number - unused
        self._log.release(next_seq)

    # To the host.

    def next_notification(self) -> "tuple[int, bytes] | None":
        """Return (frames.CHANNEL_ constant, bytes) to notify, or None when nothing is to be sent.

        The same again until `sent` is called. Passes on what `log.read` raises.
        """
        if self._offer is None:
            self._offer = self._next_offer()
        return None if self._offer is None else self._offer[:2]

    def _next_offer(self) -> "tuple | None":
        if self._answers:
            number, message = self._answers[0]
            part = self._answer_part
            frame = frames.message_part(number, message, self._answer_offset, part, self._limit)
            return (frames.CHANNEL_CONTROL, frame, len(frame) - frames.MESSAGE_HEAD_BYTES, 0)
        if not self._is_streaming or self._refusal:
            return None
        if self._frame_number - self._free_from >= limits.WINDOW_FRAMES:
            return None
        self._fill()
        if self._data:
            head = log_frames.more_head(self._stream, self._frame_number)
            return self._run_offer(log_frames.MORE, head, self._data)
        return self._offer_between()

    def _run_offer(self, kind: int, frame: bytearray, data: bytes) -> tuple:
        piece = data[: self._limit - len(frame)]
        frame.extend(piece)
        return (frames.CHANNEL_LOG, bytes(frame), len(piece), kind)

    def _fill(self) -> None:
        """Read on until a frame can be filled, the journal ends, or a run does."""
        while len(self._data) < self._limit and self._ahead is None:
            page = self._log.read(self._next_seq, limits.READ_MAX_BYTES)
            if page is None:
                return
            first_seq, base_ms, data = page
            self._next_seq = first_seq + log_frames.count_records(data)
            if self._is_in_run and first_seq == self._end_seq:
                self._data = self._data + bytes(data)
                self._end_seq = self._next_seq
            else:
                self._ahead = (first_seq, base_ms, bytes(data))

    def _offer_between(self) -> tuple:
        """Return the offer where a run begins, records are missing, or nothing follows."""
        stream, number = self._stream, self._frame_number
        ahead = self._ahead
        until_seq = self._log.next_seq if ahead is None else ahead[0]
        if until_seq != self._end_seq:
            frame = log_frames.skip_frame(stream, number, self._end_seq, until_seq)
            return (frames.CHANNEL_LOG, frame, until_seq, log_frames.SKIP)
        if ahead is None:
            frame = log_frames.end_frame(stream, number, until_seq)
            return (frames.CHANNEL_LOG, frame, 0, log_frames.END)
        head = log_frames.run_head(stream, number, until_seq, ahead[1])
        return self._run_offer(log_frames.RUN, head, ahead[2])

    def sent(self) -> None:
        """Go on behind the notification that was offered last: the stack has taken it."""
        offer = self._offer
        if offer is None:
            return
        self._offer = None
        self.sent_frame_count += 1
        channel, _frame, size, kind = offer
        if channel == frames.CHANNEL_CONTROL:
            self._answer_sent(size)
            return
        self._frame_number += 1
        if kind == log_frames.MORE:
            self._data = self._data[size:]
        elif kind == log_frames.RUN and self._ahead is not None:
            self._is_in_run = True
            self._data = self._ahead[2][size:]
            self._ahead = None
            self._end_seq = self._next_seq
        elif kind == log_frames.SKIP:
            self._is_in_run = False
            self._end_seq = size
            self._next_seq = max(self._next_seq, size)
        else:
            self._is_streaming = False

    def _answer_sent(self, size: int) -> None:
        self._answer_offset += size
        self._answer_part += 1
        if self._answer_offset >= len(self._answers[0][1]):
            self._answers = self._answers[1:]
            self._answer_offset = self._answer_part = 0

    # The end.

    def close_reason(self, now_ms: int) -> int:
        """Return OPEN, or the CLOSE_ constant for which the link should be ended now.

        `now_ms`: never decreases. Call it about as often as notifications are sent.
        """
        if self._active_ms < 0 or self.sent_frame_count != self._counted:
            self._counted = self.sent_frame_count
            self._active_ms = now_ms
        if self._began_ms < 0:
            self._began_ms = now_ms
        last_ms = max(self._active_ms, self._heard_ms)
        if self._refusal:
            return self._refusal if now_ms - last_ms >= limits.REFUSAL_LINGER_MS else OPEN
        if not self._is_greeted:
            # Counted from the beginning: a stranger does not buy time by writing rubbish.
            return CLOSE_IDLE if now_ms - self._began_ms >= limits.SESSION_HELLO_MS else OPEN
        return CLOSE_IDLE if now_ms - last_ms >= limits.SESSION_IDLE_MS else OPEN
