"""Integers to bytes and back, with every range checked.

MicroPython's `struct` cuts a value that is too large without a word, CPython's raises
(docs/journal.md, STYLE section 9). Guarantee: both interpreters make the same bytes, and refuse
the same values with `UsageError` on the way out and `ProtocolError` on the way in. All numbers
are little-endian. Holds no floats and no strings.
"""

from redband_core import numbers
from redband_core.errors import ProtocolError, UsageError

VARINT_MAX = 1 << 53
"""Largest varint: what JavaScript, SQLite and every host language still hold exactly."""

SIGNED_MAX = 1 << 52
"""Largest magnitude of a signed varint; both signs reach it."""

VARINT_MAX_BYTES = 8
"""A varint of VARINT_MAX has 54 bits, seven to a byte."""


def _check(value: int, maximum: int) -> None:
    if not isinstance(value, int):
        raise UsageError(numbers.ERROR_NOT_AN_INTEGER)
    if value < 0 or value > maximum:
        raise UsageError(numbers.ERROR_NUMBER_RANGE, value, maximum)


def put_u8(buffer: bytearray, value: int) -> None:
    """Append one byte. `value`: 0..255. Raises UsageError."""
    _check(value, 0xFF)
    buffer.append(value)


def put_u16(buffer: bytearray, value: int) -> None:
    """Append two bytes. `value`: 0..65535. Raises UsageError."""
    _check(value, 0xFFFF)
    buffer.append(value & 0xFF)
    buffer.append(value >> 8)


def put_u24(buffer: bytearray, value: int) -> None:
    """Append three bytes. `value`: 0..2**24 - 1. Raises UsageError."""
    _check(value, 0xFFFFFF)
    for shift in (0, 8, 16):
        buffer.append((value >> shift) & 0xFF)


def put_u32(buffer: bytearray, value: int) -> None:
    """Append four bytes. `value`: 0..2**32 - 1. Raises UsageError."""
    _check(value, 0xFFFFFFFF)
    for shift in (0, 8, 16, 24):
        buffer.append((value >> shift) & 0xFF)


def put_varint(buffer: bytearray, value: int) -> None:
    """Append unsigned LEB128, the shortest form. `value`: 0..2**53. Raises UsageError."""
    _check(value, VARINT_MAX)
    while value > 0x7F:
        buffer.append((value & 0x7F) | 0x80)
        value >>= 7
    buffer.append(value)


def put_signed(buffer: bytearray, value: int) -> None:
    """Append a zigzag varint (0, -1, 1, -2 ... become 0, 1, 2, 3 ...).

    `value`: -(2**52)..2**52. Raises UsageError.
    """
    if not isinstance(value, int):
        raise UsageError(numbers.ERROR_NOT_AN_INTEGER)
    if value < -SIGNED_MAX or value > SIGNED_MAX:
        raise UsageError(numbers.ERROR_SIGNED_RANGE, value)
    put_varint(buffer, value << 1 if value >= 0 else (-value << 1) - 1)


class Reader:
    """Takes values from the front of `data[offset:end]`, in order.

    `offset` is where the next value begins; it does not move when a read raises. Every read
    raises ProtocolError when the data ends too early or is not the shortest form.
    """

    def __init__(
        self, data: "bytes | bytearray | memoryview", offset: int = 0, end: "int | None" = None
    ) -> None:
        """Read `data` from `offset` up to `end` (its length when None). Raises UsageError."""
        self._data = data
        self._end = len(data) if end is None else end
        if not 0 <= offset <= self._end <= len(data):
            raise UsageError(numbers.ERROR_READER_RANGE)
        self.offset = offset

    def at_end(self) -> bool:
        """Return whether nothing is left."""
        return self.offset == self._end

    def _little_endian(self, size: int) -> int:
        start = self.offset
        if self._end - start < size:
            raise ProtocolError(numbers.ERROR_DATA_ENDS, size - self._end + start)
        value = 0
        for index in range(size - 1, -1, -1):
            value = (value << 8) | self._data[start + index]
        self.offset = start + size
        return value

    def u8(self) -> int:
        """Return the next byte as 0..255."""
        return self._little_endian(1)

    def u16(self) -> int:
        """Return the next two bytes as 0..65535."""
        return self._little_endian(2)

    def u32(self) -> int:
        """Return the next four bytes as 0..2**32 - 1."""
        return self._little_endian(4)

    def varint(self) -> int:
        """Return the next unsigned LEB128 number, 0..2**53.

        A longer form of a number is refused, so that one value has one spelling (golden vectors,
        signatures).
        """
        value = 0
        position = self.offset
        for index in range(VARINT_MAX_BYTES):
            if position == self._end:
                raise ProtocolError(numbers.ERROR_NUMBER_CUT)
            byte = self._data[position]
            position += 1
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                if (byte == 0 and index > 0) or value > VARINT_MAX:
                    break
                self.offset = position
                return value
        raise ProtocolError(numbers.ERROR_NUMBER_LONG)

    def signed(self) -> int:
        """Return the next zigzag varint, -(2**52)..2**52."""
        value = self.varint()
        return -((value + 1) >> 1) if value & 1 else value >> 1

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes as a copy. Raises UsageError on a negative size."""
        if size < 0:
            raise UsageError(numbers.ERROR_NEGATIVE_SIZE)
        start = self.offset
        if self._end - start < size:
            raise ProtocolError(numbers.ERROR_DATA_ENDS, size - self._end + start)
        self.offset = start + size
        return bytes(self._data[start : start + size])
