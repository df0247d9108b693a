"""The gateway: follow adverts, fetch journals into the store, offer one live row per badge."""

from redband.gateway.rows import BadgeRow, LedView, Text

__all__ = ["BadgeRow", "LedView", "Text"]
