"""`machine.I2C` and `machine.SoftI2C` of an ESP32-C3 (MicroPython 1.26 and later).

Guarantee: arguments and errors as on a board: nobody at an address is OSError(ENODEV), a stuck
bus OSError(ETIMEDOUT); a transfer takes the time of its bits. Offers no start, stop, readinto or
write of single bytes.
"""

import errno

_FIRST_ADDRESS = 0x08
_LAST_ADDRESS = 0x77
_DEFAULT_SCL = 9
_DEFAULT_SDA = 8
_BYTE_BITS = 9  # and its acknowledgement

wires = {}  # (SDA pin, SCL pin) -> {address: device}


def attach(sda: int, scl: int, address: int, device) -> None:
    """Put a device on the wires: it has receive(data), transmit(count) and `fault`."""
    wires.setdefault((sda, scl), {})[address] = device


def number_of(pin) -> int:
    """Return the GPIO number of a Pin or int; who owns the pins puts its own in place."""
    return pin


def take_time(span_us: int) -> None:
    """Let a transfer take its time, and take in what has happened to the devices.

    Who plays it puts its own in place.
    """


class _Wire:
    """What both kinds can do."""

    def _init(self, scl, sda, freq, timeout):
        if freq <= 0:
            raise ValueError("invalid freq")
        self._scl = number_of(scl)
        self._sda = number_of(sda)
        self._freq = freq

    def _device(self, address, count):
        """Return the device after a transfer of `count` bytes and the address to or from it."""
        if not 0 <= address <= 0x7F:
            raise ValueError("invalid address")
        take_time((count + 1) * _BYTE_BITS * 1000000 // self._freq)
        device = wires.get((self._sda, self._scl), {}).get(address)
        if device is None:
            raise OSError(errno.ENODEV)
        if device.fault:
            raise OSError(device.fault)
        return device

    def scan(self):
        found = []
        for address in range(_FIRST_ADDRESS, _LAST_ADDRESS + 1):
            try:
                self._device(address, 0)
            except OSError:
                continue
            found.append(address)
        return found

    def readfrom(self, addr, nbytes, stop=True):
        return self._device(addr, nbytes).transmit(nbytes)

    def readfrom_into(self, addr, buf, stop=True):
        buf[:] = self._device(addr, len(buf)).transmit(len(buf))

    def writeto(self, addr, buf, stop=True):
        data = bytes(buf)
        self._device(addr, len(data)).receive(data)
        return len(data)

    def writevto(self, addr, vector, stop=True):
        return self.writeto(addr, b"".join([bytes(part) for part in vector]))

    def readfrom_mem(self, addr, memaddr, nbytes, *, addrsize=8):
        address = self._memory_address(memaddr, addrsize)
        device = self._device(addr, len(address) + 1 + nbytes)  # addressed once more to read
        device.receive(address)
        return device.transmit(nbytes)

    def readfrom_mem_into(self, addr, memaddr, buf, *, addrsize=8):
        buf[:] = self.readfrom_mem(addr, memaddr, len(buf), addrsize=addrsize)

    def writeto_mem(self, addr, memaddr, buf, *, addrsize=8):
        data = self._memory_address(memaddr, addrsize) + bytes(buf)
        self._device(addr, len(data)).receive(data)

    @staticmethod
    def _memory_address(memaddr, addrsize):
        if addrsize & 7 or not 8 <= addrsize <= 32:
            raise ValueError("invalid addrsize")
        return bytes(memaddr >> shift & 0xFF for shift in range(addrsize - 8, -1, -8))


class I2C(_Wire):
    """The one controller of an ESP32-C3."""

    def __init__(self, id, *, scl=_DEFAULT_SCL, sda=_DEFAULT_SDA, freq=400000, timeout=50000):
        if id != 0:
            raise ValueError("I2C(%d) doesn't exist" % id)
        self._init(scl, sda, freq, timeout)

    def __repr__(self):
        return "I2C(0, scl=%d, sda=%d, freq=%d)" % (self._scl, self._sda, self._freq)


class SoftI2C(_Wire):
    """Bit banging on any two pins."""

    def __init__(self, scl, sda, *, freq=400000, timeout=50000):
        self._init(scl, sda, freq, timeout)

    def __repr__(self):
        return "SoftI2C(scl=%d, sda=%d, freq=%d)" % (self._scl, self._sda, self._freq)
