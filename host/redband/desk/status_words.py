"""A badge's status in words, English and Russian.

Does not ask the badge. The numbers' own texts: `redband.number_texts`.
"""

from __future__ import annotations

from collections.abc import Iterator

from redband.desk.status import Status
from redband.number_texts import (
    AWAKE,
    CAUSES,
    FAULTS,
    PROBLEMS,
    REASONS,
    STEPS,
    TASKS,
    UPDATES,
    bits,
    text_of,
)
from redband_core.settings_check import ROLES

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
    "inputs": ("Inputs", "Входы"),
    "test": ("Self-test", "Самопроверка"),
    "battery": ("Battery", "Батарея"),
    "sleep": ("Light sleep", "Лёгкий сон"),
    "journal": ("Journal", "Журнал"),
    "memory": ("Free", "Свободно"),
}


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
    yield "settings", text_of(PROBLEMS, settings.problem, language)
    if "safe_mode" in facts:
        yield "safe_mode", text_of(REASONS, facts["safe_mode"], language)
    if "faults" in facts:
        yield "faults", bits(FAULTS, facts["faults"], language)
    if facts.get("update"):
        yield "update", text_of(UPDATES, facts["update"][0], language)
    yield "boots", _boots(facts, language)
    if "reset_cause" in facts:
        yield "cause", _cause(facts, language)
    if "failures" in facts:
        yield "tasks", _failures(facts, language)
    if "radio" in facts:
        text = ("refused: {}, events lost: {}", "отказов: {}, потеряно событий: {}")[language]
        yield "radio", text.format(*facts["radio"])
    if "dropped_inputs" in facts:
        yield "inputs", f"{('lost', 'потеряно')[language]}: {facts['dropped_inputs']}"
    failed, tried = facts["test"]
    yield "test", self_test(failed, tried, language)
    if "battery_mv" in facts:
        yield "battery", f"{facts['battery_mv']} mV"
    if "sleep_refusal" in facts:
        yield "sleep", text_of(AWAKE, facts["sleep_refusal"], language)
    if "journal" in facts:
        first, end, segments = facts["journal"]
        text = ("records {}-{}, segments: {}", "записи {}-{}, сегментов: {}")[language]
        yield "journal", text.format(first, end - 1, segments)
    free, largest = facts["system_heap_bytes"]
    text = ("{} KiB, RAM {} B, system {} B, largest piece {} B",)
    text += ("{} КиБ, ОЗУ {} Б, у системы {} Б, наибольший кусок {} Б",)
    room = facts["free_bytes"] // 1024, facts["heap_free_bytes"], free, largest
    yield "memory", text[language].format(*room)


def _boots(facts: dict, language: int) -> str:
    text = str(facts["boots"])
    if facts["failed_starts"]:
        text += (", failed in a row: ", ", сбоев подряд: ")[language] + str(facts["failed_starts"])
        text += f" ({text_of(REASONS, facts['failure_reason'], language)})"
    return text


def _cause(facts: dict, language: int) -> str:
    minutes = facts["uptime_ms"] // 60_000
    text = text_of(CAUSES, facts["reset_cause"], language)
    text += (", {} min ago", ", {} мин назад")[language].format(minutes)
    if facts["hung_task"] >= 0:
        text += (", hung: ", ", зависла: ")[language] + text_of(
            TASKS, facts["hung_task"], language
        )
    return text


def _failures(facts: dict, language: int) -> str:
    failed = [
        f"{text_of(TASKS, number, language)} {count}"
        for number, count in facts["failures"]
        if count
    ]
    return ", ".join(failed) or "-"


def self_test(failed: int, tried: int, language: int) -> str:
    """Return the result of a self-test in words. `failed`, `tried`: STEP_ bits."""
    if not tried:
        return ("never done", "не проводилась")[language]
    if not failed:
        return ("passed", "пройдена")[language]
    return ("failed: ", "не пройдена: ")[language] + bits(STEPS, failed, language)
