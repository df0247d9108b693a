"""bleak's scanner over a virtual radio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from bleak.backends.scanner import AdvertisementDataCallback, BaseBleakScanner

from redband.virtual.bleak_backend.adverts import HeardDevice

if TYPE_CHECKING:
    from redband.virtual.bleak_backend.adapter import Adapter, HostRadio


class VirtualScanner(BaseBleakScanner):
    """One scanner; `radio` is set in the subclass that `backend()` makes."""

    radio: ClassVar[HostRadio]

    def __init__(
        self,
        detection_callback: AdvertisementDataCallback | None,
        service_uuids: list[str] | None,
        scanning_mode: Literal["active", "passive"],
        **_platform: Any,
    ) -> None:
        """`_platform`: arguments for BlueZ and Core Bluetooth, of no use here."""
        super().__init__(detection_callback, service_uuids)
        self._is_active = scanning_mode != "passive"
        self._adapter: Adapter | None = None

    async def start(self) -> None:
        """Start scanning; forgets the devices of an earlier scan."""
        self.seen_devices = {}
        self._adapter = await self.radio.adapter()
        await self._adapter.start_scan(self, self._is_active)

    async def stop(self) -> None:
        """Stop scanning; nothing happens if it is not."""
        if self._adapter is not None:
            await self._adapter.stop_scan(self)
            self._adapter = None

    def heard(self, key: str, device: HeardDevice) -> None:
        """The adapter has news of a device."""
        advert = device.merged
        if not self.is_allowed_uuid(advert.service_uuids):
            return
        ble_device = self.create_or_update_device(
            key, key, advert.local_name, device.address, advert
        )
        self.call_detection_callbacks(ble_device, advert)
