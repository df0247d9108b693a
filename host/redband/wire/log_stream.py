"""The host's end of one connection: greets a badge and fetches its journal.

Problem: notifications are dropped, repeated and cut, by radio, stack and operating system, and the
badge may vanish at any frame. Guarantee: pages are given out in order, each a run of whole records
that passed their checksums, each record once; whatever is missing is asked for again from the
exact record; the badge is told that records are committed only after `committed`; a journal that
was changed on the way is named at its end. No byte from the peer raises.

events() gives those of session, and (PAGE, first_seq, base_ms, data, next_seq) and (DONE,).
Every PAGE is to be answered by one `committed`, in order.
"""

import hashlib

from redband.wire import frames as wire_frames
from redband.wire import log_frames as wire_log_frames
from redband.wire.session import (
    ACCESS,
    ANSWER,
    CURSOR_AHEAD,
    DONE,
    FAILED,
    FORGED,
    HELLO,
    LOSSY,
    PAGE,
    PROVEN,
    REFUSED,
    ROLE,
    SILENT,
    VERSION,
    Client,
)
from redband_core import limits, log_frames, proofs
from redband_core.errors import ProtocolError, UsageError

__all__ = [
    "ACCESS",
    "ANSWER",
    "CURSOR_AHEAD",
    "DONE",
    "FAILED",
    "FORGED",
    "HELLO",
    "LOSSY",
    "PAGE",
    "PROVEN",
    "REFUSED",
    "ROLE",
    "SILENT",
    "VERSION",
    "LogClient",
]


_END_HEAD_BYTES = 6
"""Of an END frame: what its proof covers of it."""


class LogClient(Client):
    """One connection that fetches a journal.

    committed_seq: first record that the host does not hold. missing_count: records that the badge
    no longer had. gap_count: times that log frames were lost; see Client for the rest.
    """

    def __init__(self, next_seq_for, role: int, key_for, nonce: bytes) -> None:
        """`next_seq_for(install_id)`: number of the first record that the host does not hold.

        The rest: see Client.
        """
        super().__init__(role, key_for, nonce)
        self._next_seq_for = next_seq_for
        self.missing_count = 0
        self.gap_count = 0
        # The stream.
        self._is_finishing = False
        self._stream = 0
        self._digest = hashlib.sha256()
        self._frame_number = 0  # of the frame that is expected next
        self._is_running = False
        self._run = wire_log_frames.RecordRun()
        # What was committed, and what the badge was told of it.
        self.committed_seq = 0
        self._open_pages = []  # (next_seq, frame number after it) of pages given out
        self._used_frame = 0
        self._acked_frame = 0
        self._given_frame = 0
        self._has_ended = False
        self._restarts = 0

    # To the badge.

    def _think(self) -> None:
        self._say_ack()

    def _written(self) -> None:
        if self._is_finishing:
            self._finish((DONE,))

    def _say_ack(self) -> None:
        if self._has_ended and not self._open_pages:
            self._is_finishing = True
        elif self._used_frame - self._acked_frame < limits.PAGE_FRAMES:
            return  # the window is wide open; a word now would only cost a round trip
        self._acked_frame = self._used_frame
        number = self._used_frame & 0xFF
        self._say_signed(wire_frames.encode_ack(self._stream, number, self.committed_seq))

    def _fetch(self) -> None:
        """Ask for everything from the next record on, as a new stream."""
        self._drop_run()
        self._say_signed(wire_frames.encode_fetch(self._run.next_seq))
        self._digest = hashlib.sha256()
        self._stream = self._number & log_frames.STREAM_MASK
        self._frame_number = self._used_frame = self._acked_frame = self._given_frame = 0
        self._open_pages = [(next_seq, -1) for next_seq, _frame in self._open_pages]

    def committed(self, next_seq: int) -> None:
        """Say that the oldest page not yet answered is on the disk.

        `next_seq`: the host holds everything before it. Raises UsageError without such a page.
        """
        if not self._open_pages:
            raise UsageError("no page waits for this")
        page_next_seq, frame_number = self._open_pages[0]
        self._open_pages = self._open_pages[1:]
        # The badge knows no records beyond those it sent, whatever the store holds.
        self.committed_seq = max(self.committed_seq, min(next_seq, page_next_seq))
        if frame_number >= 0:
            self._used_frame = frame_number

    # From the badge.

    def _ask_again(self) -> None:
        if not self._has_ended:
            self._fetch()

    def _proven(self, proved) -> None:
        next_seq = self.committed_seq = self._next_seq_for(self._install_id())
        self._run.begin(next_seq, 0)
        if next_seq > proved.next_seq:
            self._finish((FAILED, CURSOR_AHEAD))
        elif next_seq == proved.next_seq:
            self._has_ended = True
        else:
            self._fetch()

    def _install_id(self) -> int:
        """Return which install has proven itself."""
        if self.welcome is None:
            raise UsageError("nobody has greeted")
        return self.welcome.install_id

    def log_notified(self, data: bytes) -> None:
        """Take a notification of LOG. Never raises for what is in it."""
        if self.proved is None or self._has_ended or self._is_over():
            return
        try:
            frame = wire_log_frames.decode_log(data)
        except ProtocolError:
            self.unused_count += 1
            return  # its number is then missing
        if frame.stream != self._stream:
            self.unused_count += 1
            return
        ahead = (frame.number - self._frame_number) & 0xFF
        if ahead > limits.WINDOW_FRAMES:
            self.unused_count += 1
            return
        self._stalls = 0
        self._digest.update(data[:_END_HEAD_BYTES] if frame.kind == log_frames.END else data)
        if ahead or not self._accept(frame):
            self.gap_count += 1
            self._again()

    def _again(self) -> None:
        self._drop_run()
        self._restarts += 1
        if self._restarts > limits.RESTARTS_MAX:
            self._finish((FAILED, LOSSY))
        else:
            self._fetch()

    def _accept(self, frame) -> bool:
        """Take the frame that was expected; return False when it does not fit what came before."""
        self._frame_number += 1
        run = self._run
        if frame.kind == log_frames.MORE:
            if not self._is_running:
                return False
        elif run.has_rest() or frame.seq != run.next_seq:
            return False  # something before it is not whole
        elif frame.kind == log_frames.END and not self._is_from_badge(frame):
            run.begin(0, 0)  # what is left of it is not given out
            self._finish((FAILED, FORGED))
            return True
        else:
            self._give_out()
            self._is_running = frame.kind == log_frames.RUN
            self._has_ended = frame.kind == log_frames.END
            if frame.kind == log_frames.SKIP:
                self.missing_count += frame.until_seq - frame.seq
                run.begin(frame.until_seq, 0)
            else:
                run.begin(frame.seq, frame.base_ms)
        if not self._has_ended and not run.add(frame.data):
            return False  # cut or changed on the way
        is_due = self._frame_number - self._given_frame >= limits.PAGE_FRAMES
        if is_due or run.whole_bytes >= limits.PAGE_BYTES:
            self._give_out()
        return True

    def _is_from_badge(self, last_frame) -> bool:
        """Return whether the proof in an END frame is right for all frames of the stream."""
        return last_frame.data == proofs.log_proof(self._key, self._digest.digest())

    def _give_out(self) -> None:
        """Make a page of the records that are whole."""
        page = self._run.take()
        if page is not None:
            self._restarts = 0
            self._given_frame = self._frame_number
            self._open_pages.append((page[3], self._frame_number))
            self._events.append((PAGE,) + page)

    def _drop_run(self) -> None:
        """Keep the records that are whole, forget the rest: it is asked for again."""
        self._give_out()
        self._run.drop_rest()
        self._is_running = False

    def lost(self) -> None:
        """Say that the link is gone: events() gives what came whole before, nothing follows."""
        self._drop_run()
        self._end()
