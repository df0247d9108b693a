"""Reads a peer's GATT table in few round trips.

Problem: a round trip takes two connection intervals, and Bumble asks for each service's
characteristics and includes one by one: 1.4 s for a badge.
Guarantee: all characteristics are read in one sweep of the handles, descriptors only where there
is room for any. Does not: included services (bleak has no notion of them).
"""

from __future__ import annotations

from collections.abc import Callable

from bleak.assigned_numbers import CHARACTERISTIC_PROPERTIES
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.descriptor import BleakGATTDescriptor
from bleak.backends.service import BleakGATTService, BleakGATTServiceCollection
from bumble.gatt_client import CharacteristicProxy, Client, ServiceProxy

from redband.virtual.bleak_backend.adverts import uuid_text


async def discover(
    client: Client, wanted: set[str] | None, max_write_bytes: Callable[[], int]
) -> BleakGATTServiceCollection:
    """Return the peer's services, or those of `wanted` (bleak's UUID texts)."""
    services = [
        service
        for service in await client.discover_services()
        if wanted is None or uuid_text(service.uuid.to_bytes()) in wanted
    ]
    collection = BleakGATTServiceCollection()
    if not services:
        return collection
    for service, characteristics in await _characteristics(client, services):
        ours = BleakGATTService(service, service.handle, uuid_text(service.uuid.to_bytes()))
        collection.add_service(ours)
        for characteristic in characteristics:
            if characteristic.end_group_handle > characteristic.handle:
                await client.discover_descriptors(characteristic)
            _add(collection, ours, characteristic, max_write_bytes)
    return collection


async def _characteristics(
    client: Client, services: list[ServiceProxy]
) -> list[tuple[ServiceProxy, list[CharacteristicProxy]]]:
    first = min(service.handle for service in services)
    last = max(service.end_group_handle for service in services)
    sweep = ServiceProxy(client, first, last, services[0].uuid)
    found = await client.discover_characteristics([], sweep)
    result = []
    for service in services:
        own = [c for c in found if service.handle < c.handle <= service.end_group_handle]
        if own:  # the sweep took the next service's declarations for this one's
            own[-1].end_group_handle = service.end_group_handle
        service.characteristics = own
        result.append((service, own))
    return result


def _add(
    collection: BleakGATTServiceCollection,
    service: BleakGATTService,
    proxy: CharacteristicProxy,
    max_write_bytes: Callable[[], int],
) -> None:
    characteristic = BleakGATTCharacteristic(
        proxy,
        proxy.handle,
        uuid_text(proxy.uuid.to_bytes()),
        [name for bit, name in CHARACTERISTIC_PROPERTIES.items() if proxy.properties & bit],
        max_write_bytes,
        service,
    )
    collection.add_characteristic(characteristic)
    for descriptor in proxy.descriptors:
        collection.add_descriptor(
            BleakGATTDescriptor(
                descriptor,
                descriptor.handle,
                uuid_text(descriptor.type.to_bytes()),
                characteristic,
            )
        )
