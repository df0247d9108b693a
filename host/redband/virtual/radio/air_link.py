"""One connection on the air: paced, lossy, and dead after its supervision timeout.

Problem: in Bumble a packet is at the peer at once, however far it is, and a peer that lost its
power stays connected for ever.
Guarantee: packets move only in connection events (`conn_interval_ms` apart, on the connection's
own grid, at most `packets_per_event` each way); a lost packet ends the event and is sent again in
the next, so data are delayed, never lost or reordered; without touch for the supervision timeout
both ends are told "connection timeout". Nothing runs while there is nothing to send.
Does not: model peripheral latency or parameter changes of the interval: the ether sets the pace.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from bumble import controller as bumble_controller
from bumble import hci, ll
from bumble.core import PhysicalTransport

if TYPE_CHECKING:
    from redband.virtual.radio.controller import RadioController
    from redband.virtual.radio.ether import Ether

INTERVAL_UNIT_MS = 1.25
SAME_TIME_MS = 0.01
SHORTEST_INTERVAL_MS = 7.5  # by the specification; also what an unpaced link reports
TIMEOUT_UNIT_MS = 10


class AirConnection(bumble_controller.Connection):
    """One end of an `AirLink`, as its controller sees it."""

    controller: RadioController  # pyright: ignore[reportIncompatibleVariableOverride]
    air_link: AirLink

    @classmethod
    def between(
        cls,
        air_link: AirLink,
        controller: RadioController,
        role: hci.Role,
        self_address: hci.Address,
        peer_address: hci.Address,
    ) -> AirConnection:
        """Make the end of `air_link` that lives in `controller`."""
        connection = cls(
            controller=controller,
            handle=controller.allocate_connection_handle(),
            role=role,
            self_address=self_address,
            peer_address=peer_address,
            link=controller.link,
            transport=PhysicalTransport.LE,
            link_type=hci.HCI_Connection_Complete_Event.LinkType.ACL,
        )
        connection.air_link = air_link
        return connection

    def on_hci_acl_data_packet(self, packet: hci.HCI_AclDataPacket) -> None:
        """The host wants to send: the packet waits for a connection event."""
        self.air_link.send(self, packet)

    def transmitted(self, packet: hci.HCI_AclDataPacket) -> None:
        """The peer has the packet: the host may have its buffer back."""
        super().on_hci_acl_data_packet(packet)

    def on_acl_pdu(self, pdu: bytes) -> None:
        """A whole L2CAP frame has been put together: hand it to the peer of this connection."""
        self.air_link.peer_of(self).received(pdu)

    def received(self, pdu: bytes) -> None:
        """Give the host an L2CAP frame from the peer."""
        self.controller.send_hci_packet(hci.HCI_AclDataPacket(self.handle, 2, 0, len(pdu), pdu))


class _Direction:
    """What one end still has to send."""

    def __init__(self) -> None:
        self.control: deque[ll.ControlPdu] = deque()
        self.data: deque[hci.HCI_AclDataPacket] = deque()

    def __bool__(self) -> bool:
        return bool(self.control or self.data)


class AirLink:
    """The air between the two ends of a connection."""

    def __init__(self, ether: Ether, supervision_timeout_ms: int) -> None:
        self.ether = ether
        self.supervision_timeout_ms = supervision_timeout_ms
        self.central: AirConnection
        self.peripheral: AirConnection
        self._waiting: dict[int, _Direction] = {}
        self._open_ends: set[int] = set()
        self._anchor_ms = ether.now_ms()
        self._event_timer: asyncio.Handle | None = None
        self._loss_timer: asyncio.Handle | None = None

    def open(self, central: AirConnection, peripheral: AirConnection) -> None:
        """Register both ends with their controllers and tell both hosts."""
        self.central, self.peripheral = central, peripheral
        interval_ms = max(SHORTEST_INTERVAL_MS, self.ether.conn_interval_ms)
        for end in (central, peripheral):
            self._waiting[id(end)] = _Direction()
            self._open_ends.add(id(end))
            end.controller.le_connections[end.peer_address] = end
            end.controller.send_hci_packet(
                hci.HCI_LE_Connection_Complete_Event(
                    status=hci.HCI_ErrorCode.SUCCESS,
                    connection_handle=end.handle,
                    role=end.role,
                    peer_address_type=end.peer_address.address_type,
                    peer_address=end.peer_address,
                    connection_interval=round(interval_ms / INTERVAL_UNIT_MS),
                    peripheral_latency=0,
                    supervision_timeout=self.supervision_timeout_ms // TIMEOUT_UNIT_MS,
                    central_clock_accuracy=0,
                )
            )

    @property
    def controllers(self) -> tuple[RadioController, RadioController]:
        """The two radios."""
        return self.central.controller, self.peripheral.controller

    def peer_of(self, end: AirConnection) -> AirConnection:
        """Return the other end."""
        return self.peripheral if end is self.central else self.central

    def send(self, end: AirConnection, packet: hci.HCI_AclDataPacket) -> None:
        """Queue a data packet of `end`."""
        self._waiting[id(end)].data.append(packet)
        self._schedule()

    def send_control(self, end: AirConnection, pdu: ll.ControlPdu) -> None:
        """Queue link control of `end`; it overtakes data that are still waiting."""
        if isinstance(pdu, ll.ConnectionUpdateInd):
            self.supervision_timeout_ms = pdu.timeout * TIMEOUT_UNIT_MS
        self._waiting[id(end)].control.append(pdu)
        self._schedule()

    # -- connection events ----------------------------------------------------------------

    @property
    def _is_in_touch(self) -> bool:
        return self.ether.are_in_touch(*self.controllers)

    @property
    def _can_talk(self) -> bool:
        """Both ends are there, or the one that left still has to say so."""
        return len(self._open_ends) == 2 or any(w.control for w in self._waiting.values())

    def _schedule(self) -> None:
        if self._event_timer or not any(self._waiting.values()):
            return
        if not self._can_talk or not self._is_in_touch:
            return
        interval_ms = self.ether.conn_interval_ms
        if interval_ms <= 0:
            self._event_timer = asyncio.get_running_loop().call_soon(self._event)
            return
        since_event_ms = (self.ether.now_ms() - self._anchor_ms) % interval_ms
        left_ms = interval_ms - since_event_ms
        if left_ms < SAME_TIME_MS:  # it is the time of this event, but for rounding
            left_ms += interval_ms
        self._event_timer = self.ether.call_later_ms(left_ms, self._event)

    def run_event_now(self) -> None:
        """Run a connection event between two others (for a radio that is about to stop)."""
        if self._event_timer is not None:
            self._event_timer.cancel()
        self._event()

    def _event(self) -> None:
        self._event_timer = None
        if self._is_in_touch:
            for end in (self.central, self.peripheral):
                if not self._transmit_from(end):
                    break  # a lost packet ends the event for both
        self._schedule()

    def _transmit_from(self, end: AirConnection) -> bool:
        """Send what `end` may send in this event; False if a packet was lost."""
        waiting = self._waiting[id(end)]
        while waiting.control:
            if self._is_lost(b""):
                return False
            receiver = self.peer_of(end)
            pdu = waiting.control.popleft()
            if id(receiver) in self._open_ends:
                receiver.controller.on_ll_control_pdu(receiver.peer_address, pdu)
        count = len(waiting.data)
        if self.ether.conn_interval_ms > 0:
            count = min(count, self.ether.packets_per_event)
        for _ in range(count):
            if len(self._open_ends) < 2 or not waiting.data:
                break
            if self._is_lost(waiting.data[0].data):
                return False
            end.transmitted(waiting.data.popleft())
        return True

    def _is_lost(self, payload: bytes) -> bool:
        stats = self.ether.stats
        stats.acl_packets += 1
        stats.acl_bytes += len(payload)
        if self.ether.packet_loss and self.ether.random.random() < self.ether.packet_loss:
            stats.retransmissions += 1
            return True
        return False

    # -- the end of a connection ----------------------------------------------------------

    def end_closed(self, end: AirConnection) -> None:
        """The controller of `end` has dropped the connection; what it had not sent is gone."""
        self._open_ends.discard(id(end))
        self._waiting[id(end)].data.clear()
        self._waiting[id(self.peer_of(end))] = _Direction()
        if self._open_ends:
            self.touch_changed()
        else:
            self.cancel()

    def touch_changed(self) -> None:
        """Range, loss, power or an end changed: start or stop the supervision timeout."""
        if not self._is_in_touch or not self._can_talk:
            if self._loss_timer is None:
                self._loss_timer = self.ether.call_later_ms(
                    self.supervision_timeout_ms, self._time_out
                )
            return
        if self._loss_timer is not None:
            self._loss_timer.cancel()
            self._loss_timer = None
        self._schedule()

    def _time_out(self) -> None:
        self._loss_timer = None
        self.ether.stats.timeouts += 1
        for end in (self.central, self.peripheral):
            if id(end) in self._open_ends:
                end.controller.on_le_disconnected(end, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.cancel()

    def cancel(self) -> None:
        """Forget the connection without telling anybody."""
        for timer in (self._event_timer, self._loss_timer):
            if timer is not None:
                timer.cancel()
        self._event_timer = self._loss_timer = None
        self._open_ends.clear()
        self.ether.air_links.pop(self, None)
