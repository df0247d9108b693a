"""Builds a badge's GATT table for Bumble, with every access decided by the firmware.

Problem: Bumble serves values it holds itself and does not check read and write permissions.
Guarantee: a value is read from and written to the firmware; what its flags do not allow is
refused with the ATT error NimBLE gives; CCCDs are Bumble's, one per connection.
Does not: included or secondary services (MicroPython has none).

Table: u8 services, each: UUID, u8 characteristics, each: UUID, u16 flags, u8 descriptors, each:
UUID, u16 flags. UUID: u8 length (2, 4 or 16), bytes from the least significant.
"""

from __future__ import annotations

from typing import Protocol

from bumble.att import ATT_Error, Attribute, ErrorCode
from bumble.core import UUID
from bumble.device import Connection
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service

# MicroPython's FLAG_* (and the undocumented ones above 0xFF, as in NimBLE)
READ = 0x0002
ANY_WRITE = 0x000C
READ_ENCRYPTED, READ_AUTHENTICATED = 0x0200, 0x0400
WRITE_ENCRYPTED, WRITE_AUTHENTICATED = 0x1000, 0x2000
PROPERTY_MASK = 0x00FF
DESCRIPTOR_MASK = READ | ANY_WRITE  # NimBLE has no security flags on descriptors

_PERMISSION_OF_FLAG = (
    (READ, Attribute.READABLE),
    (ANY_WRITE, Attribute.WRITEABLE),
    (READ_ENCRYPTED, Attribute.READ_REQUIRES_ENCRYPTION),
    (READ_AUTHENTICATED, Attribute.READ_REQUIRES_AUTHENTICATION),
    (WRITE_ENCRYPTED, Attribute.WRITE_REQUIRES_ENCRYPTION),
    (WRITE_AUTHENTICATED, Attribute.WRITE_REQUIRES_AUTHENTICATION),
)


class Firmware(Protocol):
    """Who answers for the values."""

    async def read(self, connection: Connection, handle: int) -> bytes:
        """Return a value. Raises ATT_Error."""
        ...

    async def write(self, connection: Connection, handle: int, value: bytes) -> None:
        """Take a value. Raises ATT_Error."""
        ...


class _Access(CharacteristicValue):
    """Reads and writes of one attribute; `handle` is known once the table is registered."""

    def __init__(self, firmware: Firmware, flags: int) -> None:
        super().__init__(read=self._read_value, write=self._write_value)
        self.firmware = firmware
        self.flags = flags
        self.attribute: Attribute

    async def _read_value(self, connection: Connection) -> bytes:
        if not self.flags & READ:
            raise ATT_Error(ErrorCode.READ_NOT_PERMITTED)
        return await self.firmware.read(connection, self.attribute.handle)

    async def _write_value(self, connection: Connection, value: bytes) -> None:
        if not self.flags & ANY_WRITE:
            raise ATT_Error(ErrorCode.WRITE_NOT_PERMITTED)
        await self.firmware.write(connection, self.attribute.handle, value)


def _permissions(flags: int) -> Attribute.Permissions:
    permissions = Attribute.Permissions(0)
    for flag, permission in _PERMISSION_OF_FLAG:
        if flags & flag:
            permissions |= permission
    return permissions


class TableReader:
    """Decodes one service table. Raises ValueError on a malformed one."""

    def __init__(self, data: bytes, firmware: Firmware) -> None:
        self._data = data
        self._offset = 0
        self._firmware = firmware
        self.attributes: list[Attribute] = []  # those whose handles the firmware is told

    def _int(self, size_bytes: int) -> int:
        start, self._offset = self._offset, self._offset + size_bytes
        if self._offset > len(self._data):
            raise ValueError("service table is cut short")
        return int.from_bytes(self._data[start : self._offset], "little")

    def _uuid(self) -> UUID:
        size_bytes = self._int(1)
        return UUID.from_bytes(self._int(size_bytes).to_bytes(size_bytes, "little"))

    def _descriptor(self) -> Descriptor:
        uuid, flags = self._uuid(), self._int(2) & DESCRIPTOR_MASK
        access = _Access(self._firmware, flags)
        access.attribute = Descriptor(uuid, _permissions(flags), access)
        self.attributes.append(access.attribute)
        return access.attribute

    def _characteristic(self) -> Characteristic:
        uuid, flags = self._uuid(), self._int(2)
        access = _Access(self._firmware, flags)
        position = len(self.attributes)
        descriptors = [self._descriptor() for _ in range(self._int(1))]
        access.attribute = Characteristic(
            uuid,
            Characteristic.Properties(flags & PROPERTY_MASK),
            _permissions(flags),
            access,
            descriptors,
        )
        self.attributes.insert(position, access.attribute)
        return access.attribute

    def services(self) -> list[Service]:
        """Return the services of the table."""
        return [
            Service(self._uuid(), [self._characteristic() for _ in range(self._int(1))])
            for _ in range(self._int(1))
        ]
