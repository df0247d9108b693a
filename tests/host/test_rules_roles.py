"""Who may send which event of the shipped systems, and how large its numbers may be.

Whoever changes that in a ruleset means it, and writes it here, too: a role too many lets players
decide what is not theirs, and the play itself does not show it.
"""

from __future__ import annotations

import pytest

from redband.rules import load, shipped
from redband.rules.model import EventInfo

LETTERS = {"player": "p", "medic": "m", "marshal": "j", "game_master": "g", "technician": "t"}
COMMON = """
sudden g 0-2 0-1440
sudden_end mg 0-1
place pjg 0-1
foul jg 0-2 0-65535
exclude jg
"""
OWN = {
    "hits": """
void pjg 1-32
hit pjg 1-9 0-2
stun pjg
knock_out pjg
treat pmjg
bandage mjg
operation_start mjg 0-1
operation pmjg 0-1 0-1
trauma pjg 0-1
diagnose mg 0-1 0-99 0-1
treat_trauma mg 0-1
operation_break_off mjg
""",
    "wounds": """
void pmjg 1-32
hit pjg 0-3 0-2
kit pmjg 0-1
treat pmjg
escort pmjg
fight_over jg 0-1
admit jg
discharge g
""",
    "hospital": """
void pmjg 1-32
game_death pjg 0-1
roll g 1-6
examine g 1-6 0-2
prescribe g 0-1 0-600
pay g 0-2
infect pjg
identify g
use_resource g
implant_broken pjg 1-2
implant_repaired jgt 1-2 0-1
admit jg
discharge g
""",
    "unconscious": """
void pmjg 1-32
damage pg 1-999 0-1 0-1 0-1
sleep pg 0-2 0-1 0-1
heal pmg 1-999 0-1
stabilise mg
set_time g 10-720
interact pmjg
noise pg 1-99 0-1
turn pg 1-20
master_wakes g
stand_up pg
pick_up pg
""",
}
OWN["wounds_hospital"] = OWN["wounds"] + OWN["hospital"]


def told(event: EventInfo) -> str:
    roles = "".join(LETTERS[role] for role in event.roles)
    return " ".join([event.name, roles, *[f"{arg.low}-{arg.high}" for arg in event.args]])


@pytest.mark.parametrize("name", shipped())
def test_who_may_send_what_and_how_much(name: str) -> None:
    wanted = {*COMMON.split("\n"), *OWN[name].split("\n")} - {""}
    assert {told(event) for event in load(name).events} == wanted
