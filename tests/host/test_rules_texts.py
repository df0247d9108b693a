"""What the states tell the player: rules that bind people and that no badge can enforce."""

from __future__ import annotations

import pytest

from redband.rules import load

# Rule, ruleset, track and state, what may or may not be done there, in both languages.
TEXTS = [
    ("W2", "wounds", "wound.light", "may", "cold weapon", "холодным оружием"),
    ("W2", "wounds", "wound.light", "may", "radio", "радиостанции"),
    ("W2", "wounds", "wound.light", "may", "lie or sit", "лежать или сидеть"),
    ("W2", "wounds", "wound.light", "may_not", "move unaided", "передвигаться самостоятельно"),
    ("W2", "wounds", "wound.light", "may_not", "any other game item", "другие игровые предметы"),
    ("W2", "wounds", "wound.light", "may_not", "suicide", "самоубийство"),
    (
        "W5",
        "wounds",
        "wound.patched",
        "may",
        "until a medic has helped",
        "до вмешательства медика",
    ),
    ("W7", "wounds", "wound.heavy", "may", "on the spot", "на месте"),
    ("W7", "wounds", "wound.armband", "may", "red armband", "красную повязку"),
    ("W8", "wounds", "wound.heavy", "may_not", "act or speak", "действовать и говорить"),
    ("W8", "wounds", "wound.heavy", "may", "light signal", "световой сигнал"),
    ("W9", "wounds", "wound.heavy", "may_not", "drop property", "сбрасывать имущество"),
    ("W9", "wounds", "wound.armband", "may_not", "drop property", "сбрасывать имущество"),
    ("W9", "wounds", "wound.escorted", "may_not", "drop property", "сбрасывать имущество"),
    ("W10", "wounds", "wound.heavy", "may_not", "before the wound", "перед ранением"),
    ("W10", "wounds", "wound.armband", "may_not", "before the wound", "перед ранением"),
    ("R2", "hospital", "stay.treatment", "may", "prescriptions, chat", "предписания, общаться"),
    ("R2", "hospital", "stay.treatment", "may_not", "game weapons", "игровое оружие"),
    ("R2", "hospital", "stay.treatment", "may_not", "before the wound", "перед ранением"),
    ("R10", "hospital", "stay.treatment", "may_not", "chief doctor", "Главного врача"),
    ("R10", "hospital", "stay.admitted", "may_not", "chief doctor", "Главного врача"),
    ("R11", "hospital", "stay.time_over", "may_not", "before payment", "оплата"),
]


@pytest.mark.parametrize(("rule", "name", "place", "key", "english", "russian"), TEXTS)
def test_state_says_it(
    rule: str, name: str, place: str, key: str, english: str, russian: str
) -> None:
    track_name, state_name = place.split(".")
    track = next(track for track in load(name).tracks if track.name == track_name)
    text = getattr(track.states[track.state(state_name)], key)
    assert english in text.en, rule
    assert russian in text.ru, rule


def test_W10_is_noted_under_its_name() -> None:
    assert load("wounds").model.note_names == ("amnesia",)
    assert load("wounds_hospital").model.note_names == ("amnesia", "new_character")
