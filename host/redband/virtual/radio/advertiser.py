"""Legacy advertising as the specification has it: types, interval, delay and scan response.

Problem: Bumble's legacy advertiser takes units of 0.625 ms for milliseconds, knows one of the
advert types, and never sends a scan response.
Guarantee: an advert every `interval + 0..10 ms`, of the type asked for, with the scan response
to be had by active scanners.
Does not: directed or extended advertising; the controller refuses the first and masks the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from bumble import hci
from bumble.controller import LegacyAdvertiser

if TYPE_CHECKING:
    from redband.virtual.radio.controller import RadioController

ADVERT_UNIT_MS = 0.625
ADVERT_DELAY_MAX_MS = 10  # Core specification, volume 6, part B, 4.4.2.2.1 "advDelay"


class AdvertType(IntEnum):
    """Types of adverts in HCI (LE Set Advertising Parameters) that are modelled here."""

    ADV_IND = 0
    ADV_SCAN_IND = 2
    ADV_NONCONN_IND = 3


@dataclass(frozen=True)
class AdvertPdu:
    """One advert on the air."""

    sender: RadioController
    advertiser_address: hci.Address
    type: AdvertType
    data: bytes
    scan_response: bytes

    @property
    def is_connectable(self) -> bool:
        """A central may answer it with a connection."""
        return self.type == AdvertType.ADV_IND

    @property
    def is_scannable(self) -> bool:
        """An active scanner gets `scan_response` as well."""
        return self.type in (AdvertType.ADV_IND, AdvertType.ADV_SCAN_IND)


class Advertiser(LegacyAdvertiser):
    """Bumble's legacy advertiser with its clock and its adverts corrected."""

    controller: RadioController  # pyright: ignore[reportIncompatibleVariableOverride]

    def start(self) -> None:
        """Start, or start again with new parameters; the first advert comes at once."""
        self.stop()
        self.enabled = True
        self.timer_handle = self.controller.link.call_later_ms(0, self._on_timer_fired)

    def _on_timer_fired(self) -> None:
        ether = self.controller.link
        delay_ms = ether.random.random() * ADVERT_DELAY_MAX_MS
        self.timer_handle = ether.call_later_ms(
            self.advertising_interval_min * ADVERT_UNIT_MS + delay_ms, self._on_timer_fired
        )
        # Last, as a central that hears it connects at once, which stops this advertiser.
        ether.broadcast(
            self.controller,
            AdvertPdu(
                self.controller,
                self.address,
                AdvertType(self.advertising_type),
                self.advertising_data,
                self.scan_response_data,
            ),
        )
