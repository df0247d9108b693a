"""The virtual radio: ether, badge radios, controllers for hosts. See docs/virtual-radio.md."""

from redband.virtual.radio.badge_radio import BadgeRadio
from redband.virtual.radio.controller import RadioController
from redband.virtual.radio.ether import Ether, EtherStats

__all__ = ["BadgeRadio", "Ether", "EtherStats", "RadioController"]
