"""How a badge is shown that is heard seldom: with its age, and nothing worse (PITFALLS B11)."""

import pytest
from tests.support.gateways import Rig

from redband.gateway import live
from redband.overview.table import seen
from redband.tent.words import ENGLISH, RUSSIAN

WINDOW_S = 5.3  # from one window of a badge to the next, with the start of its radio


async def test_B11_badge_heard_in_each_third_window_is_present(rig: Rig) -> None:
    async with rig.running():
        for _ in range(4):
            await rig.radio.advertise(7)
            for _missed in range(2):
                rig.clock.now_s += WINDOW_S
                assert rig.row(7).is_fresh
            rig.clock.now_s += WINDOW_S - 0.7


async def test_B11_silence_of_25_s_is_an_age_and_the_state_stays(rig: Rig) -> None:
    async with rig.running():
        await rig.radio.advertise(7)
        before = rig.row(7)
        rig.clock.now_s += 25
        row = rig.row(7)
    assert row.last_seen_age_s == pytest.approx(25)
    assert (row.is_fresh, row.problem) == (False, before.problem)
    assert seen(row, "en").plain == "25 s ago"
    assert seen(row, "ru").plain == "25 с назад"


def test_B11_three_windows_may_be_missed_before_an_age_is_shown() -> None:
    assert live.FRESH_S > 3 * WINDOW_S - 0.7
    assert (ENGLISH["seen_ago"], RUSSIAN["seen_ago"]) == ("seen {} ago", "видели {} назад")
