"""The page's own words in English and Russian. Words of the game come with the rows.

Guarantee: both languages have the same keys (a test compares them).
"""

from __future__ import annotations

LANGUAGES = ("en", "ru")

ENGLISH: dict[str, str] = {
    "subtitle": "Game master",
    "all": "All",
    "badges": "Badges",
    "log": "Event log",
    "log_empty": "Nothing has happened yet.",
    "skip_log": "Skip to the event log",
    "link_live": "Live",
    "link_lost": "Connection lost: what you see is old",
    "link_wait": "Connecting",
    "heard": "badges heard",
    "to_sync": "to sync",
    "all_synced": "all events stored",
    "theme": "Day or night colours",
    "language": "Language",
    "hits": "Hits",
    "seen_now": "heard now",
    "seen_ago": "seen {} ago",
    "seen_never": "not heard yet",
    "no_power": "battery out",
    "unsynced": "{} to sync",
    "synced": "{} stored",
    "unsynced_help": "Events the badge has that this host has not fetched yet",
    "synced_help": "Events of this badge stored on this host",
    "battery": "Battery",
    "last_event": "Last event",
    "no_event": "no event yet",
    "timer": "Running timer",
    "red": "red",
    "green": "green",
    "vibration": "vibrates",
    "dark": "no light",
    "no_badges": "No badge has been heard yet. Badges appear here by themselves.",
    "sec": "s",
    "min": "min",
    "hour": "h",
    "press": "Hit",
    "shake": "Shake",
    "hold": "Hold",
    "pull": "Pull battery",
    "restore": "Put battery back",
    "pull_short": "Pull",
    "press_help": "Press the badge's button once: one hit",
    "shake_help": "Shake the impact sensor: a blow was felt",
    "hold_help": "Hold the button for two seconds: first aid",
    "pull_help": "Take the battery out: the badge loses power at once",
    "restore_help": "Put the battery back: the badge starts again",
    "off": "off",
    "steady": "steady",
    "slow_blink": "slow blink",
    "fast_blink": "fast blink",
    "double_flash": "double flash",
    "short_flash": "short flash",
    "heartbeat": "heartbeat",
    "triple_flash": "triple flash",
    "flag_1": "safe mode",
    "flag_2": "input stuck",
    "flag_4": "journal full",
    "flag_8": "battery low",
    "flag_16": "fault",
}

RUSSIAN: dict[str, str] = {
    "subtitle": "Мастер игры",
    "all": "Все",
    "badges": "Повязки",
    "log": "Журнал событий",
    "log_empty": "Пока ничего не произошло.",
    "skip_log": "К журналу событий",
    "link_live": "На связи",
    "link_lost": "Связь потеряна: данные устарели",
    "link_wait": "Подключение",
    "heard": "повязок слышно",
    "to_sync": "не получено",
    "all_synced": "все события получены",
    "theme": "Дневные или ночные цвета",
    "language": "Язык",
    "hits": "Хиты",
    "seen_now": "слышно сейчас",
    "seen_ago": "видели {} назад",
    "seen_never": "ещё не слышно",
    "no_power": "батарея вынута",
    "unsynced": "не получено: {}",
    "synced": "получено: {}",
    "unsynced_help": "События, которые есть на повязке, но ещё не получены этим компьютером",
    "synced_help": "События этой повязки, сохранённые на этом компьютере",
    "battery": "Батарея",
    "last_event": "Последнее событие",
    "no_event": "событий ещё не было",
    "timer": "Идёт таймер",
    "red": "красный",
    "green": "зелёный",
    "vibration": "вибрация",
    "dark": "огни погашены",
    "no_badges": "Пока не слышно ни одной повязки. Они появятся здесь сами.",
    "sec": "с",
    "min": "мин",
    "hour": "ч",
    "press": "Хит",
    "shake": "Удар",
    "hold": "Держать",
    "pull": "Вынуть батарею",
    "restore": "Вставить батарею",
    "pull_short": "Вынуть",
    "press_help": "Нажать кнопку повязки один раз: один хит",
    "shake_help": "Встряхнуть датчик удара: повязка почувствует удар",
    "hold_help": "Держать кнопку две секунды: первая помощь",
    "pull_help": "Вынуть батарею: повязка сразу теряет питание",
    "restore_help": "Вставить батарею: повязка включится снова",
    "off": "выключен",
    "steady": "горит",
    "slow_blink": "мигает медленно",
    "fast_blink": "мигает часто",
    "double_flash": "двойная вспышка",
    "short_flash": "короткая вспышка",
    "heartbeat": "пульс",
    "triple_flash": "тройная вспышка",
    "flag_1": "безопасный режим",
    "flag_2": "вход залип",
    "flag_4": "журнал полон",
    "flag_8": "батарея разряжена",
    "flag_16": "неисправность",
}


def words(language: str) -> dict[str, str]:
    """Return all words of a language ("ru", else English)."""
    return RUSSIAN if language == "ru" else ENGLISH


def choose_language(asked: str | None, remembered: str | None, accepted: str) -> str:
    """Return the language of a page.

    asked: of the address (?lang=), remembered: of the cookie, accepted: the browser's
    Accept-Language header. The first of them that names a language we have wins; else English.
    """
    for choice in (asked, remembered):
        if choice in LANGUAGES:
            return choice
    return "ru" if accepted.strip().lower().startswith("ru") else "en"
