"""A Bumble host that knows what a bond is worth.

Problem: Bumble 0.0.236 takes every encrypted LE link for authenticated, so a characteristic that
demands authentication can be read after Just Works pairing, which proves nothing about the peer.
Guarantee: `connection.authenticated` is True only when the key in use came from a pairing with
protection against a man in the middle, in the first session and in every later one. A dead
connection does not block the others.
Does not: decide what to do about it; the GATT server compares it with an attribute's permissions.
"""

from __future__ import annotations

import asyncio
from typing import TypeVar

from bumble import hci
from bumble.device import Connection, Device, DeviceConfiguration, with_connection_from_handle
from bumble.host import Host
from bumble.keys import MemoryKeyStore, PairingKeys
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.smp import PairingMethod

D = TypeVar("D", bound="HonestDevice")


class HonestDevice(Device):
    """Bumble's `Device` with the worth of the keys kept and checked."""

    def __init__(self, *, config: DeviceConfiguration, host: Host) -> None:
        super().__init__(config=config, host=host)
        self._is_key_authenticated: dict[int, bool] = {}  # by connection handle

    @with_connection_from_handle
    def on_connection_encryption_change(
        self, connection: Connection, encryption: int, encryption_key_size: int
    ) -> None:
        """Bumble's hook: note the state, with authentication by the key and not by encryption."""
        connection.encryption = encryption
        connection.encryption_key_size = encryption_key_size
        connection.authenticated = bool(encryption) and self._is_key_authenticated.get(
            connection.handle, False
        )
        connection.sc = bool(encryption)
        connection.emit(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE)

    def on_disconnection(self, connection_handle: int, reason: int) -> None:
        """Bumble's hook: a connection is gone, and its packets no longer take buffers."""
        super().on_disconnection(connection_handle, reason)
        self._is_key_authenticated.pop(connection_handle, None)
        asyncio.get_running_loop().call_soon(self._resume_sending)

    def _resume_sending(self) -> None:
        # Bumble's flush of the dead connection frees buffers and starts nobody: packets of the
        # other connections would wait for a completion that never comes.
        queue = self.host.le_acl_packet_queue
        if queue is not None:
            queue._check_queue()
            queue.emit("flow")

    async def get_long_term_key(
        self, connection_handle: int, rand: bytes, ediv: int
    ) -> bytes | None:
        """Bumble's hook of the peripheral: find the key, and remember what it is worth."""
        key = await super().get_long_term_key(connection_handle, rand, ediv)
        connection = self.lookup_connection(connection_handle)
        if connection is not None:
            self._is_key_authenticated[connection_handle] = await self._is_authenticated(
                connection
            )
        return key

    async def encrypt(self, connection: Connection, enable: bool = True) -> None:
        """Encrypt with the stored key (central), and remember what it is worth."""
        self._is_key_authenticated[connection.handle] = await self._is_authenticated(connection)
        await super().encrypt(connection, enable)

    async def _is_authenticated(self, connection: Connection) -> bool:
        session = self.smp_manager.sessions.get(connection.handle)
        if session is not None and session.ltk is not None:
            return session.pairing_method != PairingMethod.JUST_WORKS
        keys = await self.keystore.get(str(connection.peer_address)) if self.keystore else None
        if keys is None:
            return False
        used = [key for key in (keys.ltk, keys.ltk_central, keys.ltk_peripheral) if key]
        return bool(used) and all(key.authenticated for key in used)

    def on_pairing(
        self,
        connection: Connection,
        identity_address: hci.Address | None,
        keys: PairingKeys,
        sc: bool,
    ) -> None:
        """Bumble's hook: pairing is complete."""
        is_authenticated = bool(keys.ltk and keys.ltk.authenticated)
        self._is_key_authenticated[connection.handle] = is_authenticated
        super().on_pairing(connection, identity_address, keys, sc)
        connection.authenticated = is_authenticated


def configure(device_class: type[D], name: str, host: Host) -> D:
    """Return a device that uses its radio's public address and keeps its bonds in memory."""
    configuration = DeviceConfiguration(
        name=name, address=hci.Address.ANY_RANDOM, gap_service_enabled=True
    )
    # Without offload a connect to a bonded peer that is away scans for it with no timeout.
    configuration.address_resolution_offload = True
    device = device_class(config=configuration, host=host)
    device.keystore = MemoryKeyStore()
    device.pairing_config_factory = lambda _: PairingConfig(
        sc=True,
        mitm=False,
        bonding=True,
        delegate=PairingDelegate(),
        identity_address_type=PairingConfig.AddressType.PUBLIC,  # what it connects with
    )
    return device
