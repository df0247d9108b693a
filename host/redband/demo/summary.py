"""The end of a headless demo: three witnesses per badge, and whether they agree.

The badge's flash (read after power-off), the host's store, and the lamps as the pins drove them,
against what the host said it showed. Guarantee: pure; the findings come in as arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from redband.demo.evidence import Comparison
from redband_core import led


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
    """Everything found out about one badge. lamps None: the picture never came to rest.

    mismatched: answers and snapshots of the badge that differ from the host's fold. problem: what
    the gateway has to say against the badge.
    """

    badge_id: int
    player: str
    journal: Comparison
    lamps: LampFinding | None
    mismatched: int
    problem: str | None = None

    @property
    def complaints(self) -> list[str]:
        """Return what is wrong, one clause each; empty when all witnesses agree."""
        journal, lamps = self.journal, self.lamps
        found = []
        if journal.missing:
            found.append(f"{journal.missing} journal records are not in the store")
        if journal.unknown:
            found.append(f"{journal.unknown} stored records are not in the journal")
        if journal.differing:
            found.append(f"{journal.differing} records differ")
        if lamps is None:
            found.append("the LEDs did not keep still")
        elif not lamps.is_equal:
            found.append(f"the pins show {_patterns(lamps.seen)}")
        if self.mismatched:
            found.append(f"{self.mismatched} times the host's fold came to another state")
        return found


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
    out.add_column("Events:\njournal", justify="right")
    out.add_column("\nstore", justify="right")
    out.add_column("Equal\nrecords", justify="right")
    out.add_column("LED pins")
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
            f"{_patterns(lamps.told)} ({lamps.state})" if lamps else "kept changing",
            "[green]yes[/green]" if not one.complaints else "[bold red]NO[/bold red]",
        )
    return out


def verdict(findings: Sequence[BadgeFinding]) -> list[str]:
    """Return in lines what was compared and how it came out."""
    events = sum(one.journal.journal_events for one in findings)
    wrong = [one for one in findings if one.complaints]
    if not wrong:
        return [
            f"All {len(findings)} badges agree: {events} events in journals and store, LEDs as"
            " the host shows them."
        ]
    lines = [f"Badges that do not agree: {', '.join(str(one.badge_id) for one in wrong)}."]
    for one in wrong:
        reason = f" ({one.problem})" if one.problem else ""
        lines.append(f"Badge {one.badge_id}: {'; '.join(one.complaints)}{reason}.")
    return lines
