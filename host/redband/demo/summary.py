"""The end of a headless demo: three witnesses per badge, and whether they agree.

The badge's flash (read after power-off), the host's store, and the lamps as the pins drove them,
against what the host said it showed. Guarantee: pure; the findings come in as arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redband_core import led
from rich.table import Table

from redband.demo.evidence import Comparison


@dataclass(frozen=True, slots=True)
class LampFinding:
    """Patterns of red and green: as the pins showed them, and as the host's row said."""

    seen: tuple[int, int]
    told: tuple[int, int]
    state: str

    @property
    def is_equal(self) -> bool:
        """Return True when the host told what the pins showed."""
        return self.seen == self.told


@dataclass(frozen=True, slots=True)
class BadgeFinding:
    """Everything found out about one badge. lamps None: the picture never stood still.

    verified, mismatched: the badge's snapshots that agreed with the host's fold, or did not.
    """

    badge_id: int
    player: str
    journal: Comparison
    lamps: LampFinding | None
    verified: int
    mismatched: int

    @property
    def agrees(self) -> bool:
        """Return True when all witnesses say the same."""
        lamps_agree = self.lamps is not None and self.lamps.is_equal
        return self.journal.is_equal and lamps_agree and not self.mismatched


def _patterns(codes: tuple[int, int]) -> str:
    words = [
        f"{color} {led.PATTERN_NAMES[code].replace('_', ' ')}"
        for color, code in zip(("red", "green"), codes, strict=True)
        if code != led.OFF
    ]
    return ", ".join(words) or "dark"


def summary_table(findings: Sequence[BadgeFinding]) -> Table:
    """Return the table of what was found."""
    out = Table(title="Summary", title_justify="left")
    out.add_column("Badge", justify="right")
    out.add_column("Player")
    out.add_column("Events in the journal", justify="right")
    out.add_column("Events in the store", justify="right")
    out.add_column("Records in both", justify="right")
    out.add_column("LED pins show")
    out.add_column("Host state shows")
    out.add_column("Host state")
    out.add_column("Agree")
    for one in findings:
        lamps = one.lamps
        out.add_row(
            str(one.badge_id),
            one.player,
            str(one.journal.journal_events),
            str(one.journal.store_events),
            str(one.journal.agreeing),
            _patterns(lamps.seen) if lamps else "kept changing",
            _patterns(lamps.told) if lamps else "kept changing",
            lamps.state if lamps else "",
            "[green]yes[/green]" if one.agrees else "[bold red]NO[/bold red]",
        )
    return out


def verdict(findings: Sequence[BadgeFinding]) -> str:
    """Return one sentence: what was compared and how it came out."""
    events = sum(one.journal.journal_events for one in findings)
    wrong = [str(one.badge_id) for one in findings if not one.agrees]
    if not wrong:
        return (
            f"All {len(findings)} badges agree: {events} events in journals and store, LEDs as"
            " the host shows them."
        )
    return f"Badges that do not agree: {', '.join(wrong)}."
