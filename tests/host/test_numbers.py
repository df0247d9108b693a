"""Each number of `redband_core.numbers` stands once, and has its texts once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from redband import number_texts
from redband_core import numbers, settings_check
from redband_core.errors import JournalCorrupt, ProtocolError, UsageError
from redband_core.journal import decode_record
from redband_core.packing import put_u8

ROOT = Path(__file__).resolve().parents[2]
NAMES = {name: value for name, value in vars(numbers).items() if name.isupper()}
ALONE = {"firmware/slots.py"}  # no update replaces it, so it trusts no other file
HOMES = {"firmware/lib/redband_core/numbers.py", "host/redband/number_texts.py", *ALONE}
TABLES = {
    "ROLE_": number_texts.ROLES,
    "NOTE_": number_texts.NOTES,
    "SLEEP_": number_texts.SLEEP,
    "SENSOR_": number_texts.SENSOR,
    "CAUSE_": number_texts.CAUSES,
    "REASON_": number_texts.REASONS,
    "FAULT_": number_texts.FAULTS,
    "TASK_": number_texts.TASKS,
    "STEP_": number_texts.STEPS,
    "AWAKE_": number_texts.AWAKE,
    "PROBLEM_": number_texts.PROBLEMS,
    "BROADCAST_": number_texts.BROADCASTS,
    "ANSWER_": number_texts.ANSWERS,
    "UPDATE_": number_texts.UPDATES,
}
ZERO_IS_SAID = ("REASON_", "AWAKE_")  # 0: no safe mode; numbers.MAY_SLEEP
FAMILIES = (*TABLES, "ERROR_", "CODE_", "IMPACT_", "TREATMENT_", "COMMAND_", "MAY_", "REFUSED_")
# Words that hold such a number: compared with a plain one, it has a second home.
HOLDERS = re.compile(r"(^|_)(role|cause|reason|fault|faults|note_code|task_number)$")


def family(prefix: str) -> dict[str, int]:
    return {name: value for name, value in NAMES.items() if name.startswith(prefix)}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for folder in ("firmware", "host/redband"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name not in HOMES:
                yield name, ast.parse(path.read_text(encoding="utf-8"))


def is_plain(node: ast.AST) -> bool:
    """Return whether it is a whole number as digits; 0 and 1 mean too much to mean a code."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value not in (0, 1)


@pytest.mark.parametrize("prefix", TABLES)
def test_every_number_has_its_texts(prefix: str) -> None:
    spoken = {0} if prefix in ZERO_IS_SAID else set()
    assert spoken | set(family(prefix).values()) == set(TABLES[prefix])
    for english, russian in TABLES[prefix].values():
        assert english
        assert english.count("{}") == russian.count("{}")
        assert english == "{}" or re.search("[а-яё]", russian.lower()), russian


def test_every_error_of_the_core_has_its_text() -> None:
    assert set(family("ERROR_").values()) == set(number_texts.ERRORS)
    with pytest.raises(UsageError) as caught:
        put_u8(bytearray(), 256)
    assert number_texts.error_text(caught.value) == "256 is not in 0..255"
    with pytest.raises(JournalCorrupt) as torn:
        decode_record(b"\xff" * 3, 0, 1)
    assert number_texts.error_text(torn.value) == "journal record at byte 0 is not valid"
    assert number_texts.error_text(ProtocolError("by a host")) == "by a host"
    assert number_texts.error_text(TimeoutError()) == ""


def test_every_number_belongs_to_a_family() -> None:
    alone = [name for name in NAMES if not name.startswith(FAMILIES)]
    assert not alone


@pytest.mark.parametrize("prefix", FAMILIES)
def test_numbers_of_a_family_differ(prefix: str) -> None:
    assert len(set(family(prefix).values())) == len(family(prefix)) > 0


def test_no_number_stands_elsewhere() -> None:
    known = set(NAMES)
    found = []
    for name, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                if node.targets[0].id.lstrip("_") in known:
                    found.append(f"{name}:{node.lineno}: {node.targets[0].id} once more")
            elif isinstance(node, ast.Compare):
                sides = (node.left, *node.comparators)
                words = [getattr(side, "id", getattr(side, "attr", "")) for side in sides]
                if any(map(is_plain, sides)) and any(map(HOLDERS.search, words)):
                    found.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
    assert not found


def test_no_texts_stand_elsewhere() -> None:
    """A table from plain numbers to pairs of texts is one that belongs to number_texts."""
    found = [
        f"{name}:{node.lineno}"
        for name, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        and len([key for key in node.keys if key is not None and is_plain(key)]) > 1
        and all(isinstance(value, ast.Tuple | ast.Call) for value in node.values)
    ]
    assert not found


def test_places_of_settings_are_their_numbers() -> None:
    words = {
        "ROLE_": settings_check.ROLES,
        **{f"{name.upper()}_": choices for name, choices in settings_check.CHOICES},
    }
    for prefix in ("ROLE_", "IMPACT_", "TREATMENT_"):
        found = {
            name.removeprefix(prefix).lower(): value for name, value in family(prefix).items()
        }
        assert found == {word: place for place, word in enumerate(words[prefix])}


def test_the_loader_counts_as_the_firmware() -> None:
    """slots.py has its own numbers: it must not depend on what an update replaces."""
    tree = ast.parse((ROOT / "firmware/slots.py").read_text(encoding="utf-8"))
    own = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    states = {name.removeprefix("UPDATE_"): value for name, value in family("UPDATE_").items()}
    assert {name: own[name] for name in states} == states


@pytest.mark.parametrize(
    ("code", "value", "english", "russian"),
    [
        (
            numbers.NOTE_HUNG_TASK,
            numbers.TASK_RADIO,
            "hung before this start: radio",
            "зависла перед этим запуском: радио",
        ),
        (numbers.NOTE_EMERGENCY, 0, "the real emergency is over", "настоящая беда миновала"),
        (numbers.NOTE_BROADCAST, 5 << 1 | 1, "heard broadcast 5", "принят приказ 5 для всех"),
        (numbers.NOTE_SAFE_MODE, 77, "safe mode: 77", "аварийный режим: 77"),
        (200, -3, "note 200: -3", "отметка 200: -3"),
    ],
)
def test_notes_are_told_with_their_values_in_words(
    code: int, value: int, english: str, russian: str
) -> None:
    assert number_texts.note(code, value) == (english, russian)
