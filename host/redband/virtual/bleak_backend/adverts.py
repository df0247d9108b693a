"""From advertising reports to bleak's AdvertisementData, merged as an operating system does.

Problem: name and services may sit in the scan response, which comes apart from the advert, later
or never; strangers send rubbish.
Guarantee: each device has one merged view of its newest advert and newest scan response; any
bytes at all decode without an error; equal reports are not decoded again.
Does not: filter duplicates; each advert is reported (as with BlueZ's DuplicateData).
"""

from __future__ import annotations

from bleak.backends.scanner import AdvertisementData
from bleak.uuids import normalize_uuid_str
from bumble.hci import Address

UUID16_TYPES = (0x02, 0x03)
UUID128_TYPES = (0x06, 0x07)
NAME_TYPES = (0x08, 0x09)
TX_POWER_TYPE = 0x0A
SERVICE_DATA_16_TYPE = 0x16
SERVICE_DATA_128_TYPE = 0x21
MANUFACTURER_TYPE = 0xFF


def structures(data: bytes) -> list[tuple[int, bytes]]:
    """Return (type, value) of each whole structure in `data`; stops at the first broken one."""
    found = []
    offset = 0
    while offset + 1 < len(data) and data[offset] and offset + data[offset] < len(data):
        end = offset + 1 + data[offset]
        found.append((data[offset + 1], bytes(data[offset + 2 : end])))
        offset = end
    return found


def uuid_text(little_endian: bytes) -> str:
    """Return bleak's form of a UUID of 2, 4 or 16 bytes."""
    digits = little_endian[::-1].hex()
    if len(digits) == 32:
        parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
        return "-".join(parts)
    return normalize_uuid_str(digits)


def _uuids(value: bytes, size_bytes: int) -> list[str]:
    last = len(value) - size_bytes
    return [uuid_text(value[i : i + size_bytes]) for i in range(0, last + 1, size_bytes)]


class HeardDevice:
    """What has been heard of one address."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._advert: bytes | None = None
        self._scan_response = b""
        self._merged: AdvertisementData | None = None

    def update(self, data: bytes, rssi_dbm: int, is_scan_response: bool) -> bool:
        """Take a report; return True if scanners are to be told.

        A scan response that repeats the last one says nothing that the advert has not said.
        """
        if is_scan_response:
            if self._advert is None or data == self._scan_response:
                return False
            self._scan_response = data
        elif data == self._advert and self._merged is not None:
            self._merged = self._merged._replace(rssi=rssi_dbm)
            return True
        else:
            self._advert = data
        self._merged = self._decode(rssi_dbm)
        return True

    @property
    def merged(self) -> AdvertisementData:
        """The newest advert and scan response together; only after `update` gave True."""
        assert self._merged is not None
        return self._merged

    def _decode(self, rssi_dbm: int) -> AdvertisementData:
        name, tx_power = None, None
        manufacturer: dict[int, bytes] = {}
        service_data: dict[str, bytes] = {}
        uuids: list[str] = []
        for kind, value in structures(self._advert or b"") + structures(self._scan_response):
            if kind in NAME_TYPES:
                name = value.decode("utf-8", "replace")
            elif kind == MANUFACTURER_TYPE and len(value) >= 2:
                manufacturer[int.from_bytes(value[:2], "little")] = value[2:]
            elif kind in UUID16_TYPES:
                uuids += _uuids(value, 2)
            elif kind in UUID128_TYPES:
                uuids += _uuids(value, 16)
            elif kind == SERVICE_DATA_16_TYPE and len(value) >= 2:
                service_data[uuid_text(value[:2])] = value[2:]
            elif kind == SERVICE_DATA_128_TYPE and len(value) >= 16:
                service_data[uuid_text(value[:16])] = value[16:]
            elif kind == TX_POWER_TYPE and len(value) == 1:
                tx_power = int.from_bytes(value, "little", signed=True)
        return AdvertisementData(
            name, manufacturer, service_data, uuids, tx_power, rssi_dbm, (self.address,)
        )
