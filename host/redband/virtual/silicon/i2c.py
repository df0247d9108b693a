"""`machine.I2C` and `machine.SoftI2C` of an ESP32-C3 (MicroPython 1.26 and later).

Guarantee: arguments and errors as on a board: nobody at an address is OSError(ENODEV), a stuck
bus OSError(ETIMEDOUT). Does not model clock rates, and offers no start, stop, readinto or write
of single bytes.
"""

import errno

_FIRST_ADDRESS = 0x08
_LAST_ADDRESS = 0x77
_DEFAULT_SCL = 9
_DEFAULT_SDA = 8

wires = {}  # (SDA pin, SCL pin) -> {address: device}


def attach(sda: int, scl: int, address: int, device) -> None:
    """Put a device on the wires: it has receive(data), transmit(count) and `fault`."""
    wires.setdefault((sda, scl), {})[address] = device


def number_of(pin) -> int:
    """Return the GPIO number of a Pin or int; who owns the pins puts its own in place."""
    return pin


def look() -> None:
    """Take in what has happened to the devices; who plays it puts its own in place."""


class _Wire:
    """What both kinds can do."""

    def _init(self, scl, sda, freq, timeout):
        if freq <= 0:
            raise ValueError("invalid freq")
        self._scl = number_of(scl)
        self._sda = number_of(sda)
        self._freq = freq

    def _device(self, address):
        if not 0 <= address <= 0x7F:
            raise ValueError("invalid address")
        look()
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
                self._device(address)
            except OSError:
                continue
            found.append(address)
        return found

    def readfrom(self, addr, nbytes, stop=True):
        return self._device(addr).transmit(nbytes)

    def readfrom_into(self, addr, buf, stop=True):
        buf[:] = self._device(addr).transmit(len(buf))

    def writeto(self, addr, buf, stop=True):
        data = bytes(buf)
        self._device(addr).receive(data)
        return len(data)

    def writevto(self, addr, vector, stop=True):
        return self.writeto(addr, b"".join([bytes(part) for part in vector]))

    def readfrom_mem(self, addr, memaddr, nbytes, *, addrsize=8):
        device = self._device(addr)
        device.receive(self._memory_address(memaddr, addrsize))
        return device.transmit(nbytes)

    def readfrom_mem_into(self, addr, memaddr, buf, *, addrsize=8):
        buf[:] = self.readfrom_mem(addr, memaddr, len(buf), addrsize=addrsize)

    def writeto_mem(self, addr, memaddr, buf, *, addrsize=8):
        self._device(addr).receive(self._memory_address(memaddr, addrsize) + bytes(buf))

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
