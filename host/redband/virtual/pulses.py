"""Hands at the contacts of a badge: lists of edges, played on the badge's own clock.

Problem: edges that the owner's timers make are stretched and merged when the machine is busy.
Guarantee: while a program runs, a whole pulse is handed to its process, which plays it in game
time and says when it is over; pulses of one contact queue and never overlap. With no program
(battery out, deep sleep) the owner drives the level itself, so that a hand can wake the badge,
and hands over what is left as soon as a program runs. `play` always returns.
Does not promise that the program has looked: one that never does, never sees an edge.
"""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass, field
from typing import Protocol

from redband.errors import RedbandUserError
from redband.virtual.board_pins import BoardPins
from redband.virtual.sensor import Profile
from redband.virtual.silicon import opcodes

Edges = list[tuple[int, bool]]
"""(microseconds of game time to wait, the contact is closed then) each."""

EDGES_MAX = 400
"""What one frame of the bus takes."""
AHEAD = 8
AHEAD_EDGES = 100
"""Pulses, and edges of those after the first, that one contact has in the badge: its memory is
the firmware's, and more do not fit."""
DELAY_MAX_US = 0xFFFFFFFF
PATIENCE_S = 5.0
PATIENCE_FACTOR = 3
_IDS = 1 << 16


def _now_s() -> float:
    return asyncio.get_running_loop().time()


class Chip(Protocol):
    """What a player asks of the chip."""

    @property
    def is_running(self) -> bool:
        """A program is there to play to."""
        ...

    def send(self, opcode: int, payload: bytes = b"") -> None:
        """Send it a frame."""

    def inputs_changed(self) -> None:
        """A level has changed while no program runs."""


@dataclass(eq=False)
class _Pulse:
    contact: str
    edges: Edges
    rest_us: int
    begun_s: float = 0.0
    is_sent: bool = False
    is_over: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def span_us(self) -> int:
        return sum(delay_us for delay_us, _is_closed in self.edges) + self.rest_us


class Player:
    """Plays pulses at the contacts of one badge."""

    def __init__(self, chip: Chip, pins: BoardPins) -> None:
        self._chip = chip
        self._pins = pins
        self._queues: dict[str, list[_Pulse]] = {}
        self._sent: dict[int, _Pulse] = {}
        self._last_id = 0

    async def play(self, contact: str, edges: Edges, rest_us: int = 0) -> bool:
        """Play `edges` at a contact, then leave it alone for `rest_us`.

        Returns True when it is over, False when the program did not look for so long that nobody
        waits any more (the pulse stays queued). Raises RedbandUserError for what is no pulse.
        """
        self._check(edges, rest_us)
        pulse = _Pulse(contact, list(edges), rest_us, _now_s())
        queue = self._queues.setdefault(contact, [])
        queue.append(pulse)
        try:
            return await self._until_over(pulse)
        except asyncio.CancelledError:
            self._let_go(pulse)
            raise
        finally:
            queue.remove(pulse)
            if queue:
                queue[0].begun_s = _now_s()
            for other in queue[:AHEAD]:
                other.news.set()

    async def move(self, profile: Profile) -> bool:
        """Let the accelerometer of a running badge feel `profile`; returns as `play` does."""
        pulse = _Pulse("", [], profile[-1][0])
        payload = struct.pack("<H", self._number(pulse))
        for point in profile:
            payload += struct.pack("<Ihhh", *point)
        self._chip.send(opcodes.MOTION, payload)
        return await self._until_over(pulse)

    @staticmethod
    def _check(edges: Edges, rest_us: int) -> None:
        if not 0 < len(edges) <= EDGES_MAX:
            raise RedbandUserError(f"A pulse has 1 to {EDGES_MAX} edges, not {len(edges)}.")
        for delay_us in [delay_us for delay_us, _is_closed in edges] + [rest_us]:
            if not 0 <= delay_us <= DELAY_MAX_US:
                raise RedbandUserError(f"An edge waits 0 to {DELAY_MAX_US} us, not {delay_us}.")

    async def _until_over(self, pulse: _Pulse) -> bool:
        while not pulse.is_over:
            if self._is_in_hand(pulse) and not pulse.edges[0][0]:
                self._drive_next(pulse)
                continue
            if self._chip.is_running and self._has_room(pulse):
                self._send(pulse)
            try:
                async with asyncio.timeout(self._patience_s(pulse)):
                    await pulse.news.wait()
                pulse.news.clear()
            except TimeoutError:
                if pulse.is_sent:
                    return False
                self._drive_next(pulse)
        return True

    def _patience_s(self, pulse: _Pulse) -> float | None:
        if pulse.is_sent:
            queue = self._queues.get(pulse.contact, [pulse])
            ahead = queue[: queue.index(pulse) + 1]
            nominal_us = sum(one.span_us() for one in ahead)
            return PATIENCE_S + PATIENCE_FACTOR * nominal_us / 1e6
        if self._is_in_hand(pulse):
            return pulse.edges[0][0] / 1e6
        return None

    def _has_room(self, pulse: _Pulse) -> bool:
        if pulse.is_sent:
            return False
        queue = self._queues[pulse.contact]
        ahead = queue[: queue.index(pulse)]
        edges = sum(len(one.edges) for one in ahead)
        return not ahead or (len(ahead) < AHEAD and edges < AHEAD_EDGES)

    def _is_in_hand(self, pulse: _Pulse) -> bool:
        return not self._chip.is_running and self._queues[pulse.contact][0] is pulse

    # In the badge's process.

    def _number(self, pulse: _Pulse) -> int:
        self._last_id = (self._last_id + 1) % _IDS
        self._sent[self._last_id] = pulse
        pulse.is_sent = True
        return self._last_id

    def _send(self, pulse: _Pulse) -> None:
        pin = self._pins.contact_pin(pulse.contact)
        payload = struct.pack("<HB", self._number(pulse), pin)
        for delay_us, is_closed in pulse.edges:
            level = self._pins.contact_level(pulse.contact, is_closed)
            payload += struct.pack("<IB", delay_us, level)
        self._chip.send(opcodes.PIN_PULSE, payload + struct.pack("<I", pulse.rest_us))

    def done(self, payload: bytes) -> None:
        """The badge says that a pulse or motion is over."""
        pulse = self._sent.pop(int.from_bytes(payload, "little"), None)
        if pulse is None:
            return
        if pulse.edges:
            self._pins.close_contact(pulse.contact, pulse.edges[-1][1])
        self._finish(pulse)

    @staticmethod
    def _finish(pulse: _Pulse) -> None:
        pulse.is_over = True
        pulse.news.set()

    def chip_stopped(self) -> None:
        """The program is gone: what hands hold now is what the clock says they would."""
        lost = set(self._sent.values())
        self._sent.clear()
        for pulse in lost:
            pulse.is_sent = False
            if pulse not in self._queues.get(pulse.contact, ()):
                self._finish(pulse)  # nobody waits for it any more, or it was a motion
        self.chip_starts()
        for queue in self._queues.values():
            for pulse in queue:
                pulse.news.set()

    def chip_starts(self) -> None:
        """A program is about to start: the pins are to be as hands hold them at this instant."""
        for queue in self._queues.values():
            if queue:
                self._catch_up(queue[0])

    def chip_started(self) -> None:
        """It is there: hands go on at its clock, from before its first instruction."""
        for queue in self._queues.values():
            for pulse in queue:
                if not pulse.is_over and self._has_room(pulse):
                    self._send(pulse)
                pulse.news.set()

    def _catch_up(self, pulse: _Pulse) -> None:
        now_s = _now_s()
        passed_us = round((now_s - pulse.begun_s) * 1e6)
        pulse.begun_s = now_s
        while pulse.edges and pulse.edges[0][0] <= passed_us:
            delay_us, is_closed = pulse.edges.pop(0)
            passed_us -= delay_us
            self._pins.close_contact(pulse.contact, is_closed)
        if pulse.edges:
            pulse.edges[0] = (pulse.edges[0][0] - passed_us, pulse.edges[0][1])
        else:
            self._finish(pulse)

    # By hand.

    def _drive_next(self, pulse: _Pulse) -> None:
        pulse.begun_s = _now_s()
        _delay_us, is_closed = pulse.edges.pop(0)
        self._pins.close_contact(pulse.contact, is_closed)
        if not pulse.edges:
            self._finish(pulse)
        self._chip.inputs_changed()

    def _let_go(self, pulse: _Pulse) -> None:
        queue = self._queues[pulse.contact]
        if queue[0] is not pulse:
            return  # cannot be called back from the badge's queue
        drive = self._pins.close_contact(pulse.contact, False)
        self._chip.send(opcodes.PIN_DRIVE, bytes(drive))  # drops all that is queued there
        self._chip.inputs_changed()
        for other in queue:
            other.is_sent = False
            other.news.set()
