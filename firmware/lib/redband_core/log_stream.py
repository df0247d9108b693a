"""The stream of log frames that one FETCH asks for: the journal's bytes, cut for the link.

Guarantee: what the stack did not take is offered again, unchanged, so ENOMEM loses nothing; at
most WINDOW_FRAMES are on the way without an acknowledgement; memory is bounded by one page. The
last frame proves that the host got what this badge sent. Knows nothing of CONTROL.
"""

import hashlib

from redband_core import limits, log_frames, proofs


class LogStream:
    """What one connection has been asked for. `log`: see badge_session."""

    def __init__(self, log) -> None:
        """Begin with nothing asked for."""
        self._log = log
        self.is_active = False
        self._key = b""
        self._digest = None
        self._stream = 0
        self._fetch_number = 0
        self._frame_number = 0
        self._free_from = 0  # number of the first frame that is not acknowledged
        self._next_seq = 0  # of the record to read next
        self._end_seq = 0  # after the last record in _data, or sent
        self._data = b""  # what was read and is not sent
        self._is_in_run = False
        self._ahead = None  # a page of the log that does not follow on _data
        self._offer = None  # (frame, bytes it carries or record it skips to, kind)

    def begin(self, number: int, from_seq: int, key: bytes) -> None:
        """Begin at record `from_seq`. `number`: of the FETCH; `key`: of the session."""
        if number == self._fetch_number:
            return  # the link repeated it; starting again would reuse frame numbers
        self.is_active = True
        self._key = key
        self._digest = hashlib.sha256()
        self._fetch_number = number
        self._stream = number & log_frames.STREAM_MASK
        self._frame_number = 0
        self._free_from = 0
        self._next_seq = self._end_seq = from_seq
        self._data = b""
        self._is_in_run = False
        self._ahead = self._offer = None

    def acknowledge(self, stream: int, frame_number: int) -> None:
        """Take in that all frames of `stream` before `frame_number` (u8) are used up."""
        if self.is_active and stream == self._stream:
            unused = (self._frame_number - frame_number) & 0xFF
            # A late acknowledgement never takes back what a later one gave.
            if unused <= self._frame_number - self._free_from:
                self._free_from = self._frame_number - unused

    def forget_offer(self) -> None:
        """Cut the next frame anew: the link's limit has changed."""
        # The last frame fits every link, and its digest is closed.
        if self._offer is not None and self._offer[2] != log_frames.END:
            self._offer = None

    def next_frame(self, limit: int) -> "bytes | None":
        """Return the frame to notify, None for nothing now; the same until `sent`.

        `limit`: longest frame in bytes. Passes on what `log.read` raises.
        """
        if self._offer is None:
            self._offer = self._next_offer(limit)
        return None if self._offer is None else self._offer[0]

    def _next_offer(self, limit: int) -> "tuple | None":
        if not self.is_active:
            return None
        if self._frame_number - self._free_from >= limits.WINDOW_FRAMES:
            return None
        self._fill(limit)
        if self._data:
            head = log_frames.more_head(self._stream, self._frame_number)
            return self._run_offer(log_frames.MORE, head, self._data, limit)
        return self._offer_between(limit)

    def _run_offer(self, kind: int, frame: bytearray, data: bytes, limit: int) -> tuple:
        piece = data[: limit - len(frame)]
        frame.extend(piece)
        return (bytes(frame), len(piece), kind)

    def _fill(self, limit: int) -> None:
        """Read on until a frame can be filled, the journal ends, or a run does."""
        while len(self._data) < limit and self._ahead is None:
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

    def _offer_between(self, limit: int) -> tuple:
        """Return the offer where a run begins, records are missing, or nothing follows."""
        stream, number = self._stream, self._frame_number
        ahead = self._ahead
        until_seq = self._log.next_seq if ahead is None else ahead[0]
        if until_seq != self._end_seq:
            frame = log_frames.skip_frame(stream, number, self._end_seq, until_seq)
            return (frame, until_seq, log_frames.SKIP)
        if ahead is None:
            return (self._last_frame(until_seq), 0, log_frames.END)
        head = log_frames.run_head(stream, number, until_seq, ahead[1])
        return self._run_offer(log_frames.RUN, head, ahead[2], limit)

    def _last_frame(self, next_seq: int) -> bytes:
        head = log_frames.end_head(self._stream, self._frame_number, next_seq)
        digest = self._digest
        if digest is None:
            return b""  # never: a stream that is active has one
        digest.update(head)
        return log_frames.end_frame(head, proofs.log_proof(self._key, digest.digest()))

    def sent(self) -> None:
        """Go on after the frame that was offered last: the stack has taken it."""
        offer = self._offer
        if offer is None:
            return
        self._offer = None
        frame, size, kind = offer
        self._frame_number += 1
        if kind == log_frames.END or self._digest is None:
            self.is_active = False
            return
        self._digest.update(frame)
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
