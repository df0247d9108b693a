"""The host's end of a connection that uploads an update.

Problem: writes without an answer are fast, and stacks drop them in silence; the badge may vanish
at any byte. Guarantee: the stream goes on from the byte that the badge names, after a gap and
after a lost link alike; at most WINDOW_FRAMES frames are on their way without an answer; nothing
is taken over before the badge has everything and the host has said COMMIT. Pure, as wire_session.

events() gives those of session, and (PROGRESS, bytes the badge has), and at the end
(UPDATED, outcome, Answer of the last message). `fast` says whether the frame that next_write gave
last may be written without an answer of the link.
"""

from collections import namedtuple

from redband.wire.session import FAILED, LOSSY, Client
from redband_core import frames, limits, proofs, upload
from redband_core.errors import ProtocolError
from redband_core.packing import Reader, put_u8, put_u32

PROGRESS = 20
UPDATED = 21

WINDOW_FRAMES = 12
"""Writes on their way without an answer: a badge keeps 32 until its radio task looks, in a heap
where 12 of them are 4 kB."""

PIECE_FRAMES = 6
"""Frames of one piece on a narrow link: one that gets lost costs as many."""

Answer = namedtuple("Answer", ("outcome", "offset", "state", "kind", "starts", "cause", "build"))
"""outcome: of upload. offset: first byte that the badge has not. The rest is STATUS's: see slots.
build: 8 bytes that name the running firmware, zeros when it came by USB."""


def decode_answer(message: bytes) -> Answer:
    """Return the badge's answer. Raises ProtocolError."""
    reader = Reader(message)
    opcode, outcome, offset = reader.u8(), reader.u8(), reader.u32()
    state = kind = starts = cause = 0
    build = bytes(upload.BUILD_BYTES)
    if opcode == upload.STATUS | upload.ANSWER:
        state, kind, starts, cause = reader.u8(), reader.u8(), reader.u8(), reader.u8()
        build = reader.take(upload.BUILD_BYTES)
    frames.whole(reader)
    return Answer(outcome, offset, state, kind, starts, cause, build)


def encode_entry(kind: int, path: str, size: int, digest: bytes) -> bytes:
    """Return a manifest's entry for one file. Raises UsageError."""
    entry = bytearray((kind,))
    put_u8(entry, len(path))
    entry.extend(path.encode())
    put_u32(entry, size)
    entry.extend(digest)
    return bytes(entry)


class UploadClient(Client):
    """One connection that sends an update, or asks for the badge's STATUS, or says ABORT.

    gap_count: times that something was lost on the way.
    """

    def __init__(self, role: int, key_for, nonce: bytes, begin: bytes, stream: bytes) -> None:
        """`begin`: upload.encode_begin, or an opcode alone. `stream`: manifest and files."""
        super().__init__(role, key_for, nonce)
        self._begin = begin
        self._stream = stream
        self._step = begin[0]
        self._acked = 0
        self._sent = 0
        self._window = 0  # frames written since the badge's last answer
        self._is_asked = False
        self._restarts = 0
        self.fast = False
        self.gap_count = 0

    def _proven(self, proved) -> None:  # noqa: ARG002 (the base class's shape)
        self._say_step()

    def _say_step(self) -> None:
        self._say_signed(self._begin if self._step == upload.BEGIN else bytes((self._step,)))

    def next_write(self) -> "bytes | None":
        """See Client."""
        frame = super().next_write()
        self.fast = frame is not None and self._step == upload.DATA
        if self.fast:
            self._window += 1
        return frame

    def _think(self) -> None:
        if self._step != upload.DATA or self._is_asked:
            return
        room = self._limit - frames.MESSAGE_HEAD_BYTES
        count = 1 if room >= 100 else PIECE_FRAMES
        over = proofs.SIGNATURE_BYTES + upload.DATA_HEAD_BYTES + 2
        size = min(count * room, limits.CONTROL_MESSAGE_MAX_BYTES) - over
        data = self._stream[self._sent : self._sent + size]
        end = self._sent + len(data)
        # The window ends with a question, and the badge's answer opens the next.
        is_last = self._window + 2 * count > WINDOW_FRAMES or end == len(self._stream)
        self._say_signed(upload.encode_data(self._sent, data, is_last))
        self._sent = end
        self._is_asked = is_last

    def _ask_again(self) -> None:
        if self._step == upload.DATA:
            # Where is it? BEGIN again says so, and finds an upload that was dropped meanwhile.
            self._step = upload.BEGIN
        self._say_step()

    def _refused(self, number: int, refusal: tuple) -> None:
        if refusal[0] == frames.REFUSED_BAD_FRAME and self._step == upload.DATA:
            return  # a frame was lost; the answer to the window's end says where to go on
        super()._refused(number, refusal)

    def _take(self, number: int, message: bytes) -> None:
        if self.proved is None or not 0xB0 <= message[0] < 0xC0:
            super()._take(number, message)
            return
        heard = proofs.number_of(self._key, proofs.FROM_BADGE, message)
        if heard <= self._heard_number:
            self.unused_count += 1
            return
        self._heard_number = heard
        self._stalls = 0
        message = message[: -proofs.SIGNATURE_BYTES]
        if message[0] == self._step | upload.ANSWER:
            self._step_answered(decode_answer(message))

    def _step_answered(self, answer: Answer) -> None:
        is_gap = answer.outcome == upload.GAP
        if answer.outcome and not is_gap:
            self._finish((UPDATED, answer.outcome, answer))
        elif self._step in (upload.BEGIN, upload.DATA):
            self._go_on(answer.offset, is_gap or self._step == upload.BEGIN)
        else:
            self._finish((UPDATED, upload.DONE, answer))

    def _go_on(self, offset: int, is_back: bool) -> None:
        if offset > len(self._stream):
            raise ProtocolError("more than there is")
        if is_back:
            self.gap_count += self._sent > offset
            self._restarts = 0 if offset > self._acked else self._restarts + 1
            self._sent = offset
            self._message = b""  # of the old place
        elif offset < self._sent and not self._is_asked:
            return  # an answer to an earlier question
        else:
            self._sent = offset
        self._acked = max(offset, self._acked)
        self._window = 0
        self._is_asked = False
        self._events.append((PROGRESS, offset))
        if self._restarts > limits.RESTARTS_MAX:
            self._finish((FAILED, LOSSY))
        self._step = upload.COMMIT if offset == len(self._stream) else upload.DATA
        if self._step == upload.COMMIT:
            self._say_step()
