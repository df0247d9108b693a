"""bleak over the virtual radio.

`radio = backend(hci_path)`, then `BleakClient(device, backend=radio.client)`.

No D-Bus, no Bluetooth of the machine; see docs/virtual-radio.md for what is not modelled.
"""

from redband.virtual.bleak_backend.radio import VirtualRadio, backend

__all__ = ["VirtualRadio", "backend"]
