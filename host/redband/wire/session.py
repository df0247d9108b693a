"""The host's end of a connection up to the proof, and signed requests after it.

Problem: the badge may be forged, of another game or another version, and frames of both directions
get lost. Guarantee: nothing a badge said before its proof held is given out as more than a claim;
a wrong proof ends the session; every request is signed, and every answer checked. No byte from the
peer raises. Reads no clock and no chance: who drives it calls `stalled` when nothing has come for
a while, and gives the nonce.

events() gives tuples: (HELLO, Welcome) for a badge's claim, (PROVEN, Proved), (ANSWER, message)
for the answer to `ask`, (FAILED, reason). log_stream adds the journal.
"""

from redband.wire import frames as wire_frames
from redband_core import frames, limits, proofs
from redband_core.errors import ProtocolError, UsageError

HELLO = 1
PAGE = 2
DONE = 3
FAILED = 4
PROVEN = 5
ANSWER = 6

# Reasons of FAILED.
VERSION = 1  # the badge speaks another version: see peer_version
SILENT = 2  # asked again and again, no answer
LOSSY = 3  # something came, but no record got through whole
CURSOR_AHEAD = 4  # the host holds records that this install of the badge has not written
REFUSED = 5  # the badge refused what every badge of this version grants
ACCESS = 6  # the badge does not know our key
FORGED = 7  # the badge's proof is wrong: it does not know our key, and says it does
ROLE = 8  # the badge knows our key, and its role may not ask for this

_GREETING = 1
_PROVING = 2
_OPEN = 3
_OVER = 4


class Client:
    """One connection.

    welcome: the badge's greeting, None before. proved: what it has proven, None before.
    peer_version: its protocol version, 0 if unknown. unused_count: frames
    and messages that were broken, repeated, or of a stream given up.
    """

    def __init__(self, role: int, key_for, nonce: bytes) -> None:
        """`role`: as whom we come. `key_for(badge_id)`: the key of that badge and this role.

        `nonce`: 8 random bytes, never used before.
        """
        self._role = role
        self._key_for = key_for
        self._nonce = nonce
        self._limit = limits.MTU_DEFAULT - 3
        self._joiner = frames.Joiner()
        self._events = []
        self.welcome = None
        self.proved = None
        self.peer_version = 0
        self.unused_count = 0
        self._state = _GREETING
        self._stalls = 0
        # To the badge: one message at a time, in frames.
        self._number = 0
        self._message = b""
        self._offset = 0
        self._part = 0
        self._key = b""  # of the session
        self._signed_number = 0
        self._heard_number = 0  # of the badge's last signed answer
        self._request = b""  # what `ask` asked, until its answer comes
        self._hello()

    # To the badge.

    def set_write_limit(self, limit_bytes: int) -> None:
        """Set the longest write that the link takes, at least 20 bytes; smaller counts as 20."""
        self._limit = min(max(limit_bytes, limits.MTU_DEFAULT - 3), limits.FRAME_MAX_BYTES)

    def _say(self, message: bytes) -> None:
        self._number = frames.next_number(self._number)
        self._message = frames.seal(message)
        self._offset = self._part = 0

    def _say_signed(self, message: bytes) -> None:
        self._signed_number += 1
        self._say(proofs.signed(self._key, proofs.FROM_HOST, self._signed_number, message))

    def _hello(self) -> None:
        self._say(wire_frames.encode_hello(self._role, self._nonce))

    def _prove(self) -> None:
        self._say(wire_frames.encode_prove(proofs.host_proof(self._key)))

    def ask(self, message: bytes) -> None:
        """Say a request, whose answer comes as an ANSWER. One at a time, after PROVEN.

        It is said again when the answer does not come: what the badge must not do twice needs a
        number of its own in `message`. Raises UsageError out of order.
        """
        if self._state != _OPEN or self._request:
            raise UsageError("not now")
        self._request = message
        self._say_signed(message)

    def next_write(self) -> "bytes | None":
        """Return the next bytes to write to CONTROL, with response, or None for nothing now."""
        if self._state == _OVER:
            return None
        if not self._message and self._state == _OPEN:
            self._think()
        if not self._message:
            return None
        frame = frames.message_part(
            self._number, self._message, self._offset, self._part, self._limit
        )
        self._offset += len(frame) - frames.MESSAGE_HEAD_BYTES
        self._part += 1
        if self._offset >= len(self._message):
            self._message = b""
            self._written()
        return frame

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

    def _is_over(self) -> bool:
        return self._state == _OVER

    def _end(self) -> None:
        """Be over, without a word."""
        self._state = _OVER

    def stalled(self) -> None:
        """Ask again: nothing has come for longer than a link and a flash write can take.

        After STALLS_MAX times without an answer the session fails as SILENT.
        """
        self._stalls += 1
        if self._stalls > limits.STALLS_MAX:
            self._finish((FAILED, SILENT))
        elif self._state == _GREETING:
            self._hello()
        elif self._state == _PROVING:
            self._prove()
        elif self._state == _OPEN:
            self._ask_again()

    def control_notified(self, data: bytes) -> None:
        """Take a notification of CONTROL. Never raises for what is in it."""
        if self._state == _OVER:
            return
        try:
            message = self._joiner.add(data)
            if message is not None:
                self._take(message[0], message[1])
        except ProtocolError:
            self.unused_count += 1

    def _take(self, number: int, message: bytes) -> None:
        opcode = message[0]
        if opcode == frames.REFUSED:
            self._refused(number, wire_frames.decode_refused(message))
        elif opcode == frames.WELCOME and self._state == _GREETING:
            if len(message) > 1 and message[1] != frames.PROTOCOL_VERSION:
                self.peer_version = message[1]
                self._finish((FAILED, VERSION))
                return
            self._welcomed(wire_frames.decode_welcome(message))
        elif opcode == frames.PROVED and self._state == _PROVING:
            self._check(message, wire_frames.decode_proved(message))
        elif self._state == _OPEN and self._request:
            self._answered(message)

    def _refused(self, number: int, refusal: tuple) -> None:
        reason, version = refusal
        self.peer_version = version
        if reason == frames.REFUSED_VERSION:
            self._finish((FAILED, VERSION))
        elif reason == frames.REFUSED_ACCESS:
            self._finish((FAILED, ACCESS))
        elif reason == frames.REFUSED_BAD_FRAME:
            self.stalled()  # the link broke our message: say it again
        elif number == self._number:
            self._finish((FAILED, ROLE if reason == frames.REFUSED_ROLE else REFUSED))

    def _welcomed(self, welcome) -> None:
        self._stalls = 0
        self.welcome = welcome
        self.peer_version = welcome.version
        self._events.append((HELLO, welcome))
        self._key = proofs.session_key(
            self._key_for(welcome.badge_id),
            self._role,
            welcome.badge_id,
            self._nonce,
            welcome.nonce,
        )
        self._state = _PROVING
        self._prove()

    def _check(self, message: bytes, proved) -> None:
        numbers = message[1 : -frames.PROOF_BYTES]
        right = proofs.badge_proof(self._key, numbers, frames.encode_info(self.welcome))
        if proved.proof != right:
            self._finish((FAILED, FORGED))
            return
        self._stalls = 0
        self.proved = proved
        self._state = _OPEN
        self._message = b""
        self._events.append((PROVEN, proved))
        self._proven(proved)

    def _answered(self, message: bytes) -> None:
        number = proofs.number_of(self._key, proofs.FROM_BADGE, message)
        if number <= self._heard_number:
            self.unused_count += 1  # changed, or said again
            return
        self._heard_number = number
        self._stalls = 0
        self._request = b""
        self._events.append((ANSWER, message[: -proofs.SIGNATURE_BYTES]))

    # What a session adds.

    def _proven(self, proved) -> None:
        """Begin after the badge's proof."""

    def _think(self) -> None:
        """Say the next message, if there is one."""

    def _written(self) -> None:
        """Go on after a message of which the last frame was given out."""

    def _ask_again(self) -> None:
        """Say again what was not answered."""
        if self._request:
            self._say_signed(self._request)
