"""The air between virtual radios: who hears whom, how loud, and what is lost on the way.

Problem: Bumble's `LocalLink` joins controllers with no distance, loss, time or signal strength.
Guarantee: each pair of radios has a signal strength (or none: out of range), adverts get lost as
told, connection data are never lost but delayed (see `air_link`), all of it from one seeded
generator and on the field's clock: two runs with one seed are equal. Addresses are unique.
Does not: model collisions, channels, interference between neighbours, or the time on air of an
advert.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bumble import hci, ll
from bumble.link import LocalLink

from redband.errors import RedbandUserError
from redband.virtual.radio.air_link import TIMEOUT_UNIT_MS, AirConnection, AirLink
from redband.virtual.radio.faults import RadioFaults

if TYPE_CHECKING:
    from redband.virtual.radio.advertiser import AdvertPdu
    from redband.virtual.radio.controller import RadioController

DEFAULT_RSSI_DBM = -60
SENSITIVITY_DBM = -95  # weaker than this is not heard; typical for an ESP32 at 1 Mbit/s
HALF_CONNECTED = hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR
RSSI_MIN_DBM, RSSI_MAX_DBM = -127, 20  # what the HCI report can carry


@dataclass
class EtherStats:
    """What has been on the air since the start or the last `reset`. Bytes are payload bytes.

    Connection packets count each time they are sent, so retransmissions are part of them.
    """

    adverts: int = 0
    advert_bytes: int = 0
    adverts_received: int = 0
    acl_packets: int = 0
    acl_bytes: int = 0
    retransmissions: int = 0
    connections: int = 0
    timeouts: int = 0

    def reset(self) -> None:
        """Set every counter to 0."""
        self.__init__()


class Ether(LocalLink):
    """One shared air. A radio is named by its address ("C0:DE:00:00:00:01"); a host's by HCI.

    `seed`: of losses, jitter and advertising delays. `adv_loss`, `packet_loss`: 0.0 to 1.0, of
    adverts and of connection packets (which are sent again). `conn_interval_ms`: 0 means no
    pacing, for throughput tests.
    """

    controllers: dict[RadioController, None]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, seed: int | str = 1) -> None:
        super().__init__()
        # Bumble's set is not ordered; a seed is to repeat.
        self.controllers = {}  # pyright: ignore[reportIncompatibleVariableOverride]
        self.random = random.Random(seed)
        self.default_rssi_dbm = DEFAULT_RSSI_DBM
        self.rssi_jitter_db = 0.0
        self.adv_loss = 0.0
        self.conn_interval_ms = 30.0
        self.packets_per_event = 4
        self.stats = EtherStats()
        self.air_links: dict[AirLink, None] = {}  # ordered, so that a seed repeats
        self._packet_loss = 0.0
        self._rssi_dbm: dict[frozenset[str], int | None] = {}
        self._by_address: dict[hci.Address, RadioController] = {}
        self._asleep: set[str] = set()
        self._faults: dict[str, RadioFaults] = {}
        self._listeners: dict[RadioController, None] = {}  # ordered, so that a seed repeats
        self._stops: list[Callable[[], Awaitable[None]]] = []

    # -- time -----------------------------------------------------------------------------

    def call_later_ms(self, delay_ms: float, function: Callable, *args) -> asyncio.TimerHandle:
        """Run `function` after `delay_ms`, at a whole microsecond."""
        return asyncio.get_running_loop().call_later(delay_ms / 1000, function, *args)

    def now_ms(self) -> float:
        """Return the time since an arbitrary start."""
        return asyncio.get_running_loop().time() * 1000

    # -- radios ---------------------------------------------------------------------------

    def add_controller(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, controller: RadioController
    ) -> None:
        """Join a radio. Raises RedbandUserError if another one has its address."""
        if controller.public_address in self._by_address:
            raise RedbandUserError(
                f"Two radios have the address {controller.name}; give each badge its own number."
            )
        self.controllers[controller] = None
        self._by_address[controller.public_address] = controller

    def remove_controller(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, controller: RadioController
    ) -> None:
        """Take a radio off the air at once; its peers notice by their supervision timeout."""
        if controller not in self.controllers:
            return
        del self.controllers[controller]
        self._listeners.pop(controller, None)
        self._by_address = {a: c for a, c in self._by_address.items() if c is not controller}
        for air_link in list(self.air_links):
            if controller in air_link.controllers:
                air_link.touch_changed()

    def on_address_changed(self, controller: RadioController) -> None:
        """Bumble's hook: the radio has got a random address. Zero means "none" and is skipped."""
        if bytes(controller.random_address) != bytes(6):
            self._by_address[controller.random_address] = controller

    def find_le_controller(self, address: hci.Address) -> RadioController | None:
        """Return the radio with this public or random address."""
        return self._by_address.get(address)

    def set_listening(self, controller: RadioController, is_listening: bool) -> None:
        """Only radios that scan or wait to connect are offered adverts."""
        if is_listening and controller in self.controllers:
            self._listeners[controller] = None
        else:
            self._listeners.pop(controller, None)

    # -- distance and loss ----------------------------------------------------------------

    def set_rssi(self, a: str, b: str, dbm: int | None) -> None:
        """Set how loud the radios named `a` and `b` hear each other; None is out of range."""
        self._rssi_dbm[frozenset((a, b))] = dbm
        self._touch_changed()

    def set_asleep(self, name: str, is_asleep: bool) -> None:
        """Let the radio `name` neither send nor hear, as one whose clock has stopped."""
        (self._asleep.add if is_asleep else self._asleep.discard)(name)
        self._touch_changed()

    @property
    def packet_loss(self) -> float:
        """Probability that a connection packet must be sent again; 1.0 is a dead link."""
        return self._packet_loss

    @packet_loss.setter
    def packet_loss(self, probability: float) -> None:
        self._packet_loss = probability
        self._touch_changed()

    def rssi_dbm(self, a: RadioController, b: RadioController) -> int | None:
        """Return the mean signal strength between two radios, None if they do not hear."""
        if a not in self.controllers or b not in self.controllers:
            return None
        if a.name in self._asleep or b.name in self._asleep:
            return None
        dbm = self._rssi_dbm.get(frozenset((a.name, b.name)), self.default_rssi_dbm)
        return None if dbm is None or dbm < SENSITIVITY_DBM else dbm

    def are_in_touch(self, a: RadioController, b: RadioController) -> bool:
        """Return True if connection events between the two can succeed at all."""
        return self._packet_loss < 1 and self.rssi_dbm(a, b) is not None

    def _touch_changed(self) -> None:
        for air_link in list(self.air_links):
            air_link.touch_changed()

    def faults_of(self, name: str) -> RadioFaults:
        """Return what goes wrong at the radio `name`, to be changed by whoever likes."""
        return self._faults.setdefault(name, RadioFaults())

    # -- adverts --------------------------------------------------------------------------

    def broadcast(self, sender: RadioController, pdu: AdvertPdu) -> None:
        """Offer one advert to every radio that listens and hears it."""
        self.stats.adverts += 1
        self.stats.advert_bytes += len(pdu.data)
        for listener in list(self._listeners):
            rssi_dbm = None if listener is sender else self.rssi_dbm(sender, listener)
            if rssi_dbm is None or (self.adv_loss and self.random.random() < self.adv_loss):
                continue
            if self.rssi_jitter_db:
                rssi_dbm = round(self.random.gauss(rssi_dbm, self.rssi_jitter_db))
            self.stats.adverts_received += 1
            listener.on_advert(pdu, max(RSSI_MIN_DBM, min(RSSI_MAX_DBM, rssi_dbm)))

    # -- connections ----------------------------------------------------------------------

    def connect(self, central: RadioController, pdu: AdvertPdu) -> bool:
        """Join `central`, which has just heard `pdu`, to its sender.

        Returns False if that is not possible now: another central was faster, or the two still
        have an older connection that one side has not given up yet.
        """
        peripheral = pdu.sender
        own_address = central.initiator_address
        if (
            not peripheral.le_legacy_advertiser.enabled
            or own_address in peripheral.le_connections
            or pdu.advertiser_address in central.le_connections
        ):
            return False
        peripheral.le_legacy_advertiser.stop()
        if self.faults_of(peripheral.name).take("connects"):
            central.connect_failed(HALF_CONNECTED)
            if peripheral.half_connect_hook is not None:
                peripheral.half_connect_hook()
            return True
        air_link = AirLink(self, central.connect_request.supervision_timeout * TIMEOUT_UNIT_MS)
        ends = (
            (central, hci.Role.CENTRAL, own_address, pdu.advertiser_address),
            (peripheral, hci.Role.PERIPHERAL, pdu.advertiser_address, own_address),
        )
        air_link.open(*(AirConnection.between(air_link, *end) for end in ends))
        self.air_links[air_link] = None
        self.stats.connections += 1
        return True

    def send_ll_control_pdu(
        self,
        sender_address: hci.Address,
        receiver_address: hci.Address,
        packet: ll.ControlPdu,
    ) -> None:
        """Bumble's hook: link control goes over the connection's air, not around it."""
        sender = self._by_address.get(sender_address)
        connection = sender.le_connections.get(receiver_address) if sender else None
        if connection is not None:
            connection.air_link.send_control(connection, packet)

    # -- hosts ----------------------------------------------------------------------------

    def at_close(self, stop: Callable[[], Awaitable[None]]) -> None:
        """Have `stop` awaited when the ether closes, before its radios leave."""
        self._stops.append(stop)

    async def close(self) -> None:
        """Stop serving, take every radio off the air and cancel every timer."""
        for stop in self._stops:
            await stop()
        self._stops.clear()
        for controller in list(self.controllers):
            controller.power_off()
        for air_link in list(self.air_links):
            air_link.cancel()
