"""What a demo is asked to do; checked once, read everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEMO_DATA = Path("demo-data")
"""Where runs keep their data, each in a folder named by its start time."""

PLAYERS = ("Raven", "Wolf", "Fox", "Badger", "Lynx", "Heron", "Otter", "Viper", "Crane", "Marten")
"""Names given to the badges in turn."""

BADGES_MAX = 40
"""More real interpreters than this keep a two-core laptop from answering in time."""


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """One run. seconds: of the headless script; data: folder to use, None for a new one under
    demo-data; port: of the page, 0 for any free one; language: "en" or "ru".
    """

    is_headless: bool = False
    seconds: float = 60.0
    data: Path | None = None
    port: int = 8765
    seed: int = 1
    badges: int = 6
    has_page: bool = True
    language: str = "en"
    ruleset: str = "hits"

    def player(self, badge_id: int) -> str:
        """Return the name of the player who wears badge `badge_id` (1 up)."""
        return PLAYERS[(badge_id - 1) % len(PLAYERS)]
