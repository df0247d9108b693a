"""What host code is given instead of plain bleak: scanner and client classes of one socket."""

from __future__ import annotations

import asyncio

from redband.virtual.bleak_backend.adapter import Adapter
from redband.virtual.bleak_backend.client import VirtualClient
from redband.virtual.bleak_backend.scanner import VirtualScanner


class VirtualRadio:
    """A host radio on the ether behind `hci_path`.

    `scanner` and `client` are for bleak's `backend=` argument. The radio is opened at first use,
    in the event loop of that moment, and once more if another loop uses it later.
    """

    def __init__(self, hci_path: str) -> None:
        self.hci_path = hci_path
        self.scanner: type[VirtualScanner] = type("Scanner", (VirtualScanner,), {"radio": self})
        self.client: type[VirtualClient] = type("Client", (VirtualClient,), {"radio": self})
        self._opening: asyncio.Task[Adapter] | None = None

    async def adapter(self) -> Adapter:
        """Return the open radio of this loop. Raises BleakBluetoothNotAvailableError."""
        opening = self._opening
        if opening is None or opening.get_loop() is not asyncio.get_running_loop():
            opening = self._opening = asyncio.create_task(self._open())
        try:
            adapter = await asyncio.shield(opening)
        finally:
            if opening.done() and (opening.cancelled() or opening.exception() is not None):
                self._opening = None
        if adapter.lost.done():  # the field was restarted: join the new one
            self._opening = None
            return await self.adapter()
        return adapter

    async def _open(self) -> Adapter:
        adapter = Adapter(self.hci_path)
        await adapter.open()
        return adapter

    async def close(self) -> None:
        """Drop every connection and leave the ether; may be called again, and used again."""
        opening, self._opening = self._opening, None
        if opening is not None and opening.get_loop() is asyncio.get_running_loop():
            adapter = await opening
            await adapter.close()


def backend(hci_path: str) -> VirtualRadio:
    """Return bleak backends for the ether that serves HCI at `hci_path`."""
    return VirtualRadio(str(hci_path))
