"""A badge's status in words, English and Russian.

Guarantee: every number that the badge can say has its words here (a test compares the tables with
the firmware). Does not ask the badge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from redband.desk.status import Status
from redband_core.settings_check import ROLES

Words = Mapping[int, tuple[str, str]]

REASONS: Words = {
    0: ("no", "нет"),
    1: ("settings", "настройки"),
    2: ("ruleset", "правила"),
    3: ("tasks kept failing", "повторные сбои задач"),
    4: ("starts kept failing", "повторные сбои запуска"),
    5: ("journal", "журнал"),
}
PROBLEMS: Words = {
    0: ("good", "в порядке"),
    1: ("missing", "файла нет"),
    2: ("no JSON", "не JSON"),
    3: ("a key is missing or unknown", "ключа нет или он неизвестен"),
    4: ("a value is wrong", "неверное значение"),
    5: ("unreadable", "не читается"),
    6: ("numbers that the ruleset refuses", "числа, которых правила не допускают"),
}
TASKS: Words = {
    0: ("start", "запуск"),
    1: ("input", "ввод"),
    2: ("game", "игра"),
    3: ("lights", "свет"),
    4: ("radio", "радио"),
    5: ("power", "питание"),
    6: ("sensor", "датчик"),
}
FAULTS: Words = {
    1: ("radio", "радио"),
    2: ("journal", "журнал"),
    4: ("task", "задача"),
    8: ("sensor", "датчик"),
    16: ("self-test", "самопроверка"),
    32: ("listening", "приём"),
}
CAUSES: Words = {
    0: ("unknown", "неизвестно"),
    1: ("power on", "включение питания"),
    2: ("reset", "сброс"),
    3: ("watchdog", "сторожевой таймер"),
    4: ("deep sleep", "глубокий сон"),
    5: ("soft reset", "программный сброс"),
}
UPDATES: Words = {
    1: ("taken over at the next start", "вступит в силу при следующем запуске"),
    2: ("on trial", "на проверке"),
    3: ("being taken back", "откатывается"),
    4: ("taken back", "откачено"),
    5: ("stays, the old version is being removed", "принято, старая версия удаляется"),
}
STEPS: Words = {
    1: ("flash", "флеш-память"),
    2: ("battery", "батарея"),
    4: ("lights", "свет"),
    8: ("radio", "радио"),
    16: ("sensor chip", "микросхема датчика"),
    32: ("button and green light", "кнопка и зелёный свет"),
    64: ("impact sensor and red light", "датчик удара и красный свет"),
    128: ("cut off", "прервана"),
}
SLEEP: Words = {
    0: ("sleeps when it can", "спит, когда может"),
    1: ("a computer is at the USB port", "подключён USB"),
    2: ("a host is connected", "есть соединение"),
    3: ("it advertises", "передаёт по радио"),
    4: ("the impact sensor listens", "слушает датчик удара"),
    5: ("just used", "только что нажимали"),
    6: ("looks for a computer", "проверяет USB"),
    7: ("an input is going on", "идёт нажатие"),
    8: ("a light is on", "горит свет"),
    9: ("something is due soon", "скоро событие"),
    10: ("not in safe mode", "не в аварийном режиме"),
}
_LABELS = {
    "who": ("Badge", "Бейдж"),
    "version": ("Version", "Версия"),
    "ruleset": ("Ruleset", "Правила"),
    "settings": ("Settings", "Настройки"),
    "safe_mode": ("Safe mode", "Аварийный режим"),
    "faults": ("Faults", "Неисправности"),
    "update": ("Update", "Обновление"),
    "boots": ("Starts", "Запуски"),
    "cause": ("This start", "Этот запуск"),
    "tasks": ("Task failures", "Сбои задач"),
    "radio": ("Radio", "Радио"),
    "test": ("Self-test", "Самопроверка"),
    "battery": ("Battery", "Батарея"),
    "sleep": ("Light sleep", "Лёгкий сон"),
    "journal": ("Journal", "Журнал"),
    "memory": ("Free", "Свободно"),
}


def word(words: Words, number: int, language: int) -> str:
    """Return the words for a number; a later firmware's number as it is."""
    return words[number][language] if number in words else str(number)


def bits(words: Words, value: int, language: int) -> str:
    """Return the words for each bit of `value`, or a dash."""
    names = [words[bit][language] for bit in words if value & bit]
    return ", ".join(names) or "-"


def rows(status: Status, is_russian: bool) -> list[tuple[str, str]]:
    """Return (label, text) for a table."""
    language = int(is_russian)
    return [(_LABELS[key][language], text) for key, text in _texts(status, language)]


def _texts(status: Status, language: int) -> Iterator[tuple[str, str]]:
    settings, facts = status
    name = f" {settings.player}" if settings.player else ""
    yield "who", f"{settings.badge_id}{name}, {ROLES[settings.role]}, {facts['board']}"
    python = ".".join(str(part) for part in facts["micropython"])
    yield "version", f"Redband {facts['firmware']}, MicroPython {python}"
    if "ruleset" in facts:
        yield "ruleset", bytes(facts["ruleset"]).hex()
    yield "settings", word(PROBLEMS, settings.problem, language)
    if "safe_mode" in facts:
        yield "safe_mode", word(REASONS, facts["safe_mode"], language)
    if "faults" in facts:
        yield "faults", bits(FAULTS, facts["faults"], language)
    if facts.get("update"):
        yield "update", word(UPDATES, facts["update"][0], language)
    yield "boots", _boots(facts, language)
    if "reset_cause" in facts:
        yield "cause", _cause(facts, language)
    if "failures" in facts:
        yield "tasks", _failures(facts, language)
    if "radio" in facts:
        text = ("refused: {}, events lost: {}", "отказов: {}, потеряно событий: {}")[language]
        yield "radio", text.format(*facts["radio"])
    failed, tried = facts["test"]
    yield "test", self_test(failed, tried, language)
    if "battery_mv" in facts:
        yield "battery", f"{facts['battery_mv']} mV"
    if "sleep_refusal" in facts:
        yield "sleep", word(SLEEP, facts["sleep_refusal"], language)
    if "journal" in facts:
        first, end, segments = facts["journal"]
        text = ("records {}-{}, segments: {}", "записи {}-{}, сегментов: {}")[language]
        yield "journal", text.format(first, end - 1, segments)
    yield "memory", f"{facts['free_bytes'] // 1024} KiB, RAM {facts['heap_free_bytes']} B"


def _boots(facts: dict, language: int) -> str:
    text = str(facts["boots"])
    if facts["failed_starts"]:
        text += (", failed in a row: ", ", сбоев подряд: ")[language] + str(facts["failed_starts"])
    return text


def _cause(facts: dict, language: int) -> str:
    text = word(CAUSES, facts["reset_cause"], language)
    if facts["hung_task"] >= 0:
        text += (", hung: ", ", зависла: ")[language] + word(TASKS, facts["hung_task"], language)
    return text


def _failures(facts: dict, language: int) -> str:
    failed = [
        f"{word(TASKS, number, language)} {count}" for number, count in facts["failures"] if count
    ]
    return ", ".join(failed) or "-"


def self_test(failed: int, tried: int, language: int) -> str:
    """Return the result of a self-test in words. `failed`, `tried`: bits of STEPS."""
    if not tried:
        return ("never done", "не проводилась")[language]
    if not failed:
        return ("passed", "пройдена")[language]
    return ("failed: ", "не пройдена: ")[language] + bits(STEPS, failed, language)
