"""Which Bluetooth to use. Nothing above this package knows whether it is a real one."""

from __future__ import annotations

from typing import Protocol

from bleak.backends.client import BaseBleakClient
from bleak.backends.scanner import BaseBleakScanner


class RadioBackend(Protocol):
    """Two classes for bleak's `backend=` argument, both of one radio."""

    @property
    def scanner(self) -> type[BaseBleakScanner]:
        """Class for `bleak.BleakScanner(backend=...)`."""
        ...

    @property
    def client(self) -> type[BaseBleakClient]:
        """Class for `bleak.BleakClient(backend=...)`."""
        ...
