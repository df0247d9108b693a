"""A Bluetooth LE controller for the ether: Bumble's, with what is missing or wrong put right.

Problem: Bumble 0.0.236's controller reports every advert at -50 dBm and as connectable, never
sends scan responses, cannot cancel a connect, gives the peripheral invented parameters, ignores
scan windows, and keeps radiating after HCI reset (the list is in docs/virtual-radio.md).
Guarantee: those commands behave as the Core specification says; the rest is Bumble's.
(Where a command is `Any`: Bumble's decorator hides its fields from type checkers.)
Does not: extended or periodic advertising (masked off), PHY changes, privacy, Bluetooth Classic.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from bumble import controller as bumble_controller
from bumble import hci, ll

from redband.virtual.radio.advertiser import Advertiser, AdvertPdu, AdvertType
from redband.virtual.radio.air_link import AirConnection
from redband.virtual.radio.ether import Ether

DATA_LENGTH_BYTES = 251  # the largest link layer payload, agreed on at connect by real hosts
DATA_LENGTH_US = 2120
PACKET_BUFFERS = 12  # in the controller, for all connections; of the order of an ESP32's
LAST_HANDLE = 64

ReportType = hci.HCI_LE_Advertising_Report_Event.EventType
REPORT_TYPE = {
    AdvertType.ADV_IND: ReportType.ADV_IND,
    AdvertType.ADV_SCAN_IND: ReportType.ADV_SCAN_IND,
    AdvertType.ADV_NONCONN_IND: ReportType.ADV_NONCONN_IND,
}

_SUCCESS = hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)


class RadioController(bumble_controller.Controller):
    """One radio on the `Ether`. `name`: its address as text.

    `report_hook(pdu, rssi_dbm, is_active)`, when set, gets scan results past HCI: fifty scanning
    badges would otherwise spend most of the process in HCI packets. `half_connect_hook()` is told
    of a connect that failed half-way.
    """

    link: Ether  # pyright: ignore[reportIncompatibleVariableOverride]
    le_connections: dict[hci.Address, AirConnection]  # pyright: ignore[reportIncompatibleVariableOverride]
    le_acl_data_packet_length = DATA_LENGTH_BYTES
    acl_data_packet_length = DATA_LENGTH_BYTES
    total_num_le_acl_data_packets = PACKET_BUFFERS
    supported_max_tx_octets = DATA_LENGTH_BYTES
    supported_max_rx_octets = DATA_LENGTH_BYTES
    le_features = bumble_controller.Controller.le_features & ~(
        hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
    )

    def __init__(self, ether: Ether, address: str, source=None, sink=None) -> None:
        public_address = hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS)
        self.report_hook: Callable[[AdvertPdu, int, bool], None] | None = None
        self.half_connect_hook: Callable[[], None] | None = None
        self._scan_duty = 1.0
        self._connect_duty = 1.0
        self._last_handle = 0
        self._seen: set[tuple[hci.Address, int]] = set()
        super().__init__(address, source, sink, ether, public_address)
        self.le_legacy_advertiser = Advertiser(self)

    def power_off(self) -> None:
        """Leave the ether as if the battery had been pulled: nobody is told."""
        self._stop_all()
        self.host = None
        self.link.remove_controller(self)

    def shut_down(self) -> None:
        """Stop in good order: peers that are in touch are told, then the radio goes off."""
        for connection in list(self.le_connections.values()):
            reason = hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR
            connection.air_link.send_control(connection, ll.TerminateInd(reason))
        for air_link in list(self.link.air_links):
            if self in air_link.controllers:
                air_link.run_event_now()
        self.power_off()

    def send_hci_packet(self, packet: hci.HCI_Packet) -> None:
        """Send to the host, unless the power goes before the packet has got there."""
        asyncio.get_running_loop().call_soon(self._deliver, bytes(packet))

    def _deliver(self, data: bytes) -> None:
        if self.host is not None:
            self.host.on_packet(data)

    def _stop_all(self) -> None:
        self.le_legacy_advertiser.stop()
        self.le_scan_enable = False
        self.pending_le_connection = None
        self._update_listening()
        for connection in list(self.le_connections.values()):
            del self.le_connections[connection.peer_address]
            connection.air_link.end_closed(connection)

    def _update_listening(self) -> None:
        self.link.set_listening(
            self, self.le_scan_enable or self.pending_le_connection is not None
        )

    def on_hci_reset_command(
        self, _command: hci.HCI_Reset_Command
    ) -> hci.HCI_StatusReturnParameters:
        """Stop advertising, scanning and connecting, and drop every connection."""
        self._stop_all()
        return _SUCCESS

    def find_le_connection_by_handle(self, handle: int) -> AirConnection | None:
        """Return the connection with this handle."""
        for connection in self.le_connections.values():
            if connection.handle == handle:
                return connection
        return None

    def allocate_connection_handle(self) -> int:
        """Return the next free handle in a ring, so that a stale handle never works again."""
        used = {connection.handle for connection in self.le_connections.values()}
        while True:
            self._last_handle = self._last_handle % LAST_HANDLE + 1
            if self._last_handle not in used:
                return self._last_handle

    # -- advertising and scanning ---------------------------------------------------------

    def on_hci_le_set_advertising_parameters_command(
        self, command: Any
    ) -> hci.HCI_StatusReturnParameters:
        """As Bumble, but refuse what is not modelled instead of staying silent."""
        if command.advertising_type not in tuple(AdvertType):
            return hci.HCI_StatusReturnParameters(
                hci.HCI_ErrorCode.UNSUPPORTED_FEATURE_OR_PARAMETER_VALUE_ERROR
            )
        return super().on_hci_le_set_advertising_parameters_command(command)

    def on_hci_le_set_scan_parameters_command(
        self, command: Any
    ) -> hci.HCI_StatusReturnParameters:
        """Remember which part of the time the receiver is on."""
        self._scan_duty = min(1.0, command.le_scan_window / command.le_scan_interval)
        return super().on_hci_le_set_scan_parameters_command(command)

    def on_hci_le_set_scan_enable_command(
        self, command: hci.HCI_LE_Set_Scan_Enable_Command
    ) -> hci.HCI_StatusReturnParameters:
        """Start or stop scanning; the duplicate filter starts afresh."""
        result = super().on_hci_le_set_scan_enable_command(command)
        self._seen.clear()
        self._update_listening()
        return result

    def on_advert(self, pdu: AdvertPdu, rssi_dbm: int) -> None:
        """An advert has reached the antenna; whether the receiver was on is a matter of duty."""
        if self.le_scan_enable and self._is_receiving(self._scan_duty):
            is_active = self.le_scan_type == 1
            if self.report_hook is not None:
                self.report_hook(pdu, rssi_dbm, is_active)
            else:
                self._report(pdu, rssi_dbm, is_active)
        request = self.pending_le_connection
        if (
            request is not None
            and pdu.is_connectable
            and request.peer_address == pdu.advertiser_address
            and self._is_receiving(self._connect_duty)
            and self.link.connect(self, pdu)
        ):
            self.pending_le_connection = None
            self._update_listening()

    def _is_receiving(self, duty: float) -> bool:
        return duty >= 1 or self.link.random.random() < duty

    def _report(self, pdu: AdvertPdu, rssi_dbm: int, is_active: bool) -> None:
        parts = [(REPORT_TYPE[pdu.type], pdu.data)]
        if is_active and pdu.is_scannable and self._is_receiving(1 - self.link.adv_loss):
            parts.append((ReportType.SCAN_RSP, pdu.scan_response))
        reports = []
        for event_type, data in parts:
            key = (pdu.advertiser_address, event_type)
            if self.filter_duplicates and key in self._seen:
                continue
            self._seen.add(key)
            reports.append(
                hci.HCI_LE_Advertising_Report_Event.Report(
                    event_type=event_type,
                    address_type=pdu.advertiser_address.address_type,
                    address=pdu.advertiser_address,
                    data=data,
                    rssi=rssi_dbm,
                )
            )
        if reports:
            self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event(reports))

    # -- connections ----------------------------------------------------------------------

    @property
    def connect_request(self) -> hci.HCI_LE_Create_Connection_Command:
        """The connect that waits for an advert; only while there is one."""
        request = self.pending_le_connection
        assert isinstance(request, hci.HCI_LE_Create_Connection_Command)
        return request

    @property
    def initiator_address(self) -> hci.Address:
        """The address this radio connects with."""
        is_public = self.connect_request.own_address_type == hci.OwnAddressType.PUBLIC
        return self.public_address if is_public else self.random_address

    def on_hci_le_create_connection_command(
        self, command: hci.HCI_LE_Create_Connection_Command
    ) -> None:
        """Wait for an advert of the peer, with the duty of the command's scan window."""
        super().on_hci_le_create_connection_command(command)
        self._connect_duty = min(1.0, command.le_scan_window / command.le_scan_interval)
        self._update_listening()

    def on_hci_le_create_connection_cancel_command(
        self, _command: hci.HCI_LE_Create_Connection_Cancel_Command
    ) -> hci.HCI_StatusReturnParameters:
        """End the pending connect with an event, as the host waits for one."""
        if self.pending_le_connection is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        self.connect_failed(hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR)
        return _SUCCESS

    def connect_failed(self, status: hci.HCI_ErrorCode) -> None:
        """End the connect that waits, with an event that says why."""
        request = self.connect_request
        self.pending_le_connection = None
        self._update_listening()
        event = hci.HCI_LE_Connection_Complete_Event(
            status=status,
            connection_handle=0,
            role=hci.Role.CENTRAL,
            peer_address_type=request.peer_address_type,
            peer_address=request.peer_address,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, event)  # after the reply

    def on_hci_disconnect_command(self, command: hci.HCI_Disconnect_Command) -> None:
        """Close our end at once; the peer learns the reason over the air, if it still hears."""
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None:
            self._send_hci_command_status(
                hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, command.op_code
            )
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection.air_link.send_control(connection, ll.TerminateInd(command.reason))
        self.on_le_disconnected(
            connection, hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR
        )

    def on_le_disconnected(self, connection: bumble_controller.Connection, reason: int) -> None:
        """Tell the host, and the air that this end is gone."""
        super().on_le_disconnected(connection, reason)
        assert isinstance(connection, AirConnection)
        connection.air_link.end_closed(connection)

    def on_hci_read_rssi_command(self, command: Any) -> hci.HCI_Read_RSSI_ReturnParameters:
        """Return the signal strength of a connection; 127 means "not known"."""
        connection = self.find_le_connection_by_handle(command.handle)
        rssi_dbm = None
        if connection is not None:
            rssi_dbm = self.link.rssi_dbm(*connection.air_link.controllers)
        return hci.HCI_Read_RSSI_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS
            if connection is not None
            else hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            handle=command.handle,
            rssi=127 if rssi_dbm is None else rssi_dbm,
        )

    def on_hci_le_set_data_length_command(
        self, command: Any
    ) -> hci.HCI_StatusAndConnectionHandleReturnParameters:
        """Accept: every connection here has the largest data length from the start."""
        event = hci.HCI_LE_Data_Length_Change_Event(
            connection_handle=command.connection_handle,
            max_tx_octets=DATA_LENGTH_BYTES,
            max_tx_time=DATA_LENGTH_US,
            max_rx_octets=DATA_LENGTH_BYTES,
            max_rx_time=DATA_LENGTH_US,
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, event)
        return hci.HCI_StatusAndConnectionHandleReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, connection_handle=command.connection_handle
        )
