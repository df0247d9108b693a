"""Safe mode without rules: gestures are kept as notes, the old state stays in the journal.

Guarantee: no press is lost and no state forgiven while the ruleset is missing or damaged. When it
is there again, the next start finds the last state; the notes show what came since.
"""

from redband_badge.game_journal import GameJournal
from redband_core import numbers


class RawGame(GameJournal):
    """A GameJournal that has no rules."""

    def take_gesture(
        self,
        code: int,
        first_ms: int,
        now_ms: int,  # noqa: ARG002
        is_in_pause: bool = False,  # noqa: ARG002
    ) -> None:
        """Note the gesture, in a pause as ever: no rules see it here. Raises OSError."""
        self.note(max(first_ms, self._store.last_ms), numbers.NOTE_RAW_GESTURE, code)
        self._state.acknowledged += 1
        self.show()

    def show(self) -> None:
        shown = (self._state.acknowledged, self.is_paused)
        if shown != self._state.shown:
            self._state.shown = shown
            self._state.is_paused = self.is_paused
            self._state.touch()
