"""Both languages say the same things."""

import pytest

from redband.overview.rows import FLAG_NAMES
from redband.tent.view import ACTIONS
from redband.tent.words import ENGLISH, RUSSIAN, choose_language, words
from redband_core import led


def test_both_languages_have_the_same_words():
    assert ENGLISH.keys() == RUSSIAN.keys()
    for key, text in ENGLISH.items():
        assert text.count("{}") == RUSSIAN[key].count("{}"), key
        assert text.strip()
        assert RUSSIAN[key].strip()


@pytest.mark.parametrize("language", ["en", "ru"])
def test_everything_that_can_be_shown_has_a_word(language):
    have = words(language)
    assert set(led.PATTERN_NAMES) <= have.keys()
    assert {f"flag_{bit}" for bit, _name in FLAG_NAMES} <= have.keys()
    assert set(ACTIONS) <= have.keys()
    assert {f"{action}_help" for action in ACTIONS} <= have.keys()


@pytest.mark.parametrize(
    ("asked", "remembered", "accepted", "language"),
    [
        ("ru", "en", "en", "ru"),
        (None, "ru", "en-GB", "ru"),
        (None, None, "ru-RU,ru;q=0.9,en;q=0.8", "ru"),
        (None, None, "de", "en"),
        (None, None, "", "en"),
        ("xx", "ru", "en", "ru"),
        ("xx", "yy", "en", "en"),
    ],
)
def test_the_language_is_the_asked_then_the_remembered_then_the_browsers(
    asked, remembered, accepted, language
):
    assert choose_language(asked, remembered, accepted) == language
