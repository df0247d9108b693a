"""The host's end of one connection: greets a badge and fetches its journal.

Problem: notifications are dropped, repeated and cut, by radio, stack and operating system, and the
badge may vanish at any frame. Guarantee: pages are given out in order, each a run of whole records
that passed their checksums, each record once; whatever is missing is asked for again from the
exact record; the badge is told that records are committed only after `committed`. No byte from the
peer raises. Reads no clock: who drives it calls `stalled` when nothing has come for a while.

events() gives tuples: (HELLO, Welcome), (PAGE, first_seq, base_ms, data, next_seq), (DONE,) and
(FAILED, reason). Every PAGE is to be answered by one `committed`, in order.
"""

from redband_core import frames, host_frames, limits, log_frames
from redband_core.errors import ProtocolError, UsageError
from redband_core.record_run import RecordRun

HELLO = 1
PAGE = 2
DONE = 3
FAILED = 4

# Reasons of FAILED.
VERSION = 1  # the badge speaks another version: see peer_version
SILENT = 2  # asked again and again, no answer
LOSSY = 3  # something came, but no record got through whole
CURSOR_AHEAD = 4  # the host holds records that this install of the badge has not written
REFUSED = 5  # the badge refused what every badge of this version grants

_GREETING = 1
_STREAMING = 2
_FINISHING = 3
_OVER = 4


class HostSession:
    """One connection.

    welcome: the badge's greeting, None before. peer_version: its protocol version, 0 if unknown.
    committed_seq: first record that the host does not hold. missing_count: records that the badge
    no longer had. gap_count, duplicate_count, stale_count, bad_frame_count: log frames lost,
    repeated, of an earlier stream, or broken.
    """

    def __init__(self, next_seq_for) -> None:
        """`next_seq_for(install_id)`: number of the first record that the host does not hold."""
        self._next_seq_for = next_seq_for
        self._limit = limits.MTU_DEFAULT - 3
        self._joiner = frames.Joiner()
        self._events = []
        self.welcome = None
        self.peer_version = 0
        self.missing_count = 0
        self.gap_count = 0
        self.duplicate_count = 0
        self.stale_count = 0
        self.bad_frame_count = 0
        # To the badge: one message at a time, in frames.
        self._number = 0
        self._message = b""
        self._offset = 0
        self._part = 0
        # The stream.
        self._state = _GREETING
        self._stream = 0
        self._frame_number = 0  # of the frame that is expected next
        self._is_running = False
        self._run = RecordRun()
        # What was committed, and what the badge was told of it.
        self.committed_seq = 0
        self._open_pages = []  # (next_seq, frame number behind it) of pages given out
        self._used_frame = 0
        self._acked_frame = 0
        self._given_frame = 0
        self._has_ended = False
        self._stalls = 0
        self._restarts = 0
        self._say(host_frames.encode_hello())

    # To the badge.

    def set_write_limit(self, limit_bytes: int) -> None:
        """Set the longest write that the link takes, at least 20 bytes; smaller counts as 20."""
        self._limit = min(max(limit_bytes, limits.MTU_DEFAULT - 3), limits.FRAME_MAX_BYTES)

    def _say(self, message: bytes) -> None:
        self._number = frames.next_number(self._number)
        self._message = frames.seal(message)
        self._offset = self._part = 0

    def next_write(self) -> "bytes | None":
        """Return the next bytes to write to CONTROL, with response, or None for nothing now."""
        if self._state == _OVER:
            return None
        if not self._message:
            self._say_ack()
        if not self._message:
            return None
        frame = frames.message_part(
            self._number, self._message, self._offset, self._part, self._limit
        )
        self._offset += len(frame) - frames.MESSAGE_HEAD_BYTES
        self._part += 1
        if self._offset >= len(self._message):
            self._message = b""
            if self._state == _FINISHING:
                self._finish((DONE,))
        return frame

    def _say_ack(self) -> None:
        if self._has_ended and not self._open_pages:
            self._state = _FINISHING
        elif self._used_frame - self._acked_frame < limits.PAGE_FRAMES:
            return  # the window is wide open; a word now would only cost a round trip
        self._acked_frame = self._used_frame
        number = self._used_frame & 0xFF
        self._say(host_frames.encode_ack(self._stream, number, self.committed_seq))

    def _fetch(self) -> None:
        """Ask for everything from the next record on, as a new stream."""
        self._state = _STREAMING
        self._drop_run()
        self._say(host_frames.encode_fetch(self._run.next_seq))
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

    def events(self) -> list:
        """Return what has happened since the last call, oldest first."""
        events = self._events
        self._events = []
        return events

    def _finish(self, event: tuple) -> None:
        if self._state != _OVER:
            self._state = _OVER
            self._events.append(event)

    def stalled(self) -> None:
        """Ask again: nothing has come for longer than a link and a flash write can take.

        After STALLS_MAX times without an answer the session fails as SILENT.
        """
        self._stalls += 1
        if self._stalls > limits.STALLS_MAX:
            self._finish((FAILED, SILENT))
        elif self._state == _GREETING:
            self._say(host_frames.encode_hello())
        elif self._state == _STREAMING and not self._has_ended:
            self._fetch()

    def control_notified(self, data: bytes) -> None:
        """Take a notification of CONTROL. Never raises for what is in it."""
        if self._state == _OVER:
            return
        try:
            message = self._joiner.add(data)
            if message is not None:
                self._take(message[0], message[1])
        except ProtocolError:
            self.bad_frame_count += 1

    def _take(self, number: int, message: bytes) -> None:
        opcode = message[0]
        if opcode == frames.REFUSED:
            self._refused(number, host_frames.decode_refused(message))
        elif opcode == frames.WELCOME and self._state == _GREETING:
            if len(message) > 1 and message[1] != frames.PROTOCOL_VERSION:
                self.peer_version = message[1]
                self._finish((FAILED, VERSION))
                return
            self._welcomed(host_frames.decode_welcome(message))

    def _refused(self, number: int, refusal: tuple) -> None:
        reason, version = refusal
        self.peer_version = version
        if reason == frames.REFUSED_VERSION:
            self._finish((FAILED, VERSION))
        elif reason == frames.REFUSED_BAD_FRAME:
            self.stalled()  # the link broke our message: say it again
        elif number == self._number:
            self._finish((FAILED, REFUSED))

    def _welcomed(self, welcome) -> None:
        self._stalls = 0
        self.welcome = welcome
        self.peer_version = welcome.version
        self._events.append((HELLO, welcome))
        next_seq = self.committed_seq = self._next_seq_for(welcome.install_id)
        self._run.begin(next_seq, 0)
        if next_seq > welcome.next_seq:
            self._finish((FAILED, CURSOR_AHEAD))
        elif next_seq == welcome.next_seq:
            self._state = _STREAMING
            self._has_ended = True
            self._message = b""
        else:
            self._fetch()

    def log_notified(self, data: bytes) -> None:
        """Take a notification of LOG. Never raises for what is in it."""
        if self._state != _STREAMING or self._has_ended:
            return
        try:
            frame = host_frames.decode_log(data)
        except ProtocolError:
            self.bad_frame_count += 1
            return  # its number is then missing
        if frame.stream != self._stream:
            self.stale_count += 1
            return
        ahead = (frame.number - self._frame_number) & 0xFF
        if ahead > limits.WINDOW_FRAMES:
            self.duplicate_count += 1
            return
        self._stalls = 0
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
        else:
            self._give_out()
            self._is_running = frame.kind == log_frames.RUN
            self._has_ended = frame.kind == log_frames.END
            if frame.kind == log_frames.SKIP:
                self.missing_count += frame.until_seq - frame.seq
                run.begin(frame.until_seq, 0)
            else:
                run.begin(frame.seq, frame.base_ms)
        if not run.add(frame.data):
            return False  # cut or changed on the way
        is_due = self._frame_number - self._given_frame >= limits.PAGE_FRAMES
        if is_due or run.whole_bytes >= limits.PAGE_BYTES:
            self._give_out()
        return True

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
        self._state = _OVER
