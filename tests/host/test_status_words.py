"""What a badge says of itself, in both tongues."""

from __future__ import annotations

from pathlib import Path

import pytest

from redband import number_texts
from redband.desk import self_test, settings_values, status_words
from redband.desk.status import Status
from redband.errors import RedbandUserError
from redband_core import settings_check

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware" / "lib"
FACTS = {
    "board": "xiao-esp32c3",
    "firmware": "0.1.0",
    "micropython": [1, 27, 0],
    "ruleset": [1, 2],
    "safe_mode": 3,
    "faults": 1 | 16,
    "update": [2, 3, 1, 0, 0, 0],
    "boots": 12,
    "failed_starts": 3,
    "failure_reason": 3,
    "reset_cause": 3,
    "uptime_ms": 125_000,
    "radio": [2, 1],
    "dropped_inputs": 4,
    "hung_task": 4,
    "failures": [[1, 0], [4, 5]],
    "test": [32, 127],
    "battery_mv": 3900,
    "sleep_refusal": 3,
    "journal": [0, 100, 2],
    "free_bytes": 1_000_000,
    "heap_free_bytes": 30_000,
    "system_heap_bytes": [62_000, 45_000],
}


def settings(**changes) -> settings_check.Settings:
    values: dict[str, object] = dict(settings_values.DEFAULTS) | {"badge_id": 7} | changes
    found = settings_check.check(values)
    assert isinstance(found, settings_check.Settings)
    return found


def test_status_tells_what_failed_and_since_when():
    text = dict(status_words.rows(Status(settings(player="Anna"), FACTS), is_russian=False))
    assert text["Badge"] == "7 Anna, player, xiao-esp32c3"
    assert text["Safe mode"] == "tasks kept failing"
    assert text["Faults"] == "radio, self-test"
    assert text["Starts"] == "12, failed in a row: 3 (tasks kept failing)"
    assert text["This start"] == "watchdog, 2 min ago, hung: radio"
    assert text["Task failures"] == "radio 5"
    assert text["Radio"] == "refused: 2, events lost: 1"
    assert text["Inputs"] == "lost: 4"
    assert text["Self-test"] == "failed: button and green light"
    assert text["Journal"] == "records 0-99, segments: 2"


def test_status_in_russian_has_no_english_word():
    rows = status_words.rows(Status(settings(), FACTS), is_russian=True)
    text = " ".join(label for label, _text in rows)
    assert not set("abcdefghijklmnopqrstuvwxyz") & set(text.lower())


def test_number_of_a_later_firmware_is_shown_as_it_is():
    assert number_texts.text_of(number_texts.REASONS, 77, 0) == "77"


MEMORY = ("free_bytes", "heap_free_bytes", "system_heap_bytes")


def test_status_of_files_only_leaves_out_what_it_does_not_know():
    known = (
        "board",
        "firmware",
        "micropython",
        "boots",
        "failed_starts",
        "failure_reason",
        "test",
    )
    facts = {name: FACTS[name] for name in (*known, *MEMORY)}
    labels = [label for label, _text in status_words.rows(Status(settings(), facts), False)]
    assert "Battery" not in labels
    assert "Starts" in labels


def test_steps_of_the_self_test_have_names_and_prompts_in_both_tongues():
    source = (FIRMWARE / "redband_badge" / "self_test.py").read_text(encoding="utf-8")
    for name, both in self_test.NAMES.items():
        assert f'"{name}"' in source
        assert len(both) == 2
    assert set(self_test.PROMPTS) == {"button", "impact", "red"}


@pytest.mark.parametrize("name", settings_values.NAMES)
def test_settings_are_shown_as_they_are_set(name):
    shown = dict(line.split("=", 1) for line in settings_values.shown(settings(player="Anna")))
    assert settings_values.is_good(name, settings_values.parsed([f"{name}={shown[name]}"])[name])


def test_every_key_of_the_check_can_be_set_or_says_where():
    keys = {*settings_check.REQUIRED, *settings_check.OPTIONAL}
    for key in keys - set(settings_values.NAMES):
        with pytest.raises(RedbandUserError, match="redband badge install"):
            settings_values.parsed([f"{key}=1"])


@pytest.mark.parametrize("text", ["on", "ON", "true", "off", "False"])
def test_radio_is_set_by_words(text):
    assert settings_values.parsed([f"radio={text}"]) == {"radio": text.lower() in ("on", "true")}
