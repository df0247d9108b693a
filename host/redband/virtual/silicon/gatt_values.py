"""UUIDs, values and service tables of the `bluetooth` stand-in, as in MicroPython's C module.

Guarantee: a value written by a peer is cut at its buffer, 20 bytes until told otherwise; in append
mode a peer's writes add up and a local read empties. Does not: talk to the owner.
"""

import struct

_DEFAULT_BUFFER_BYTES = 20


class UUID:
    """16, 32 or 128 bits, from an int, a string or little-endian bytes."""

    def __init__(self, value):
        if isinstance(value, int):
            if not 0 <= value <= 0xFFFF:
                raise ValueError("invalid UUID")
            self._data = value.to_bytes(2, "little")
        elif isinstance(value, str):
            digits = value.replace("-", "")
            if len(digits) != 32:
                raise ValueError("UUID too long" if len(digits) > 32 else "UUID too short")
            self._data = bytes(int(digits[i : i + 2], 16) for i in range(30, -2, -2))
        else:
            self._data = bytes(value)
            if len(self._data) not in (2, 4, 16):
                raise ValueError("UUID wrong length")

    def __iter__(self):  # the C type has the buffer protocol: bytes(uuid) works there, too
        return iter(self._data)

    def __len__(self):
        return len(self._data)

    def __hash__(self):
        return hash(self._data)

    def __eq__(self, other):
        return isinstance(other, UUID) and self._data == other._data

    def __lt__(self, other):
        return self._data < other._data

    def __repr__(self):
        text = "".join("%02x" % byte for byte in reversed(self._data))
        if len(text) < 32:
            return "UUID(0x%s)" % text
        parts = (text[:8], text[8:12], text[12:16], text[16:20], text[20:])
        return "UUID('%s')" % "-".join(parts)


class Value:
    """One characteristic's or descriptor's value, as in the C module's database."""

    def __init__(self):
        self.data = b""
        self.size_bytes = _DEFAULT_BUFFER_BYTES
        self.is_appended = False

    def write_from_peer(self, data):
        start = self.data if self.is_appended else b""
        self.data = (start + data)[: self.size_bytes]

    def read(self):
        data = self.data
        if self.is_appended:
            self.data = b""
        return data


def table_of(services):
    """Return the owner's form of a service table (host: radio/gatt_table.py)."""
    table = bytearray((len(services),))

    def put_uuid(uuid, kind):
        if not isinstance(uuid, UUID):
            raise ValueError("invalid %s UUID" % kind)
        table.append(len(uuid._data))
        table.extend(uuid._data)

    for uuid, characteristics in services:
        put_uuid(uuid, "service")
        table.append(len(characteristics))
        for characteristic in characteristics:
            if not 2 <= len(characteristic) <= 3:
                raise ValueError("invalid characteristic tuple")
            put_uuid(characteristic[0], "characteristic")
            table.extend(struct.pack("<H", characteristic[1]))
            descriptors = characteristic[2] if len(characteristic) > 2 else ()
            table.append(len(descriptors))
            for descriptor_uuid, flags in descriptors:
                put_uuid(descriptor_uuid, "descriptor")
                table.extend(struct.pack("<H", flags))
    return table


def handle_counts(services):
    for _, characteristics in services:
        yield sum(1 + (len(c[2]) if len(c) > 2 else 0) for c in characteristics)


def as_bytes(data):
    return data.encode() if isinstance(data, str) else bytes(data)
