"""The documents: every link leads somewhere, every page is listed, every pitfall has its test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`|^```.*?^```", re.MULTILINE | re.DOTALL)
PITFALLS = {"R": 21, "G": 14}
"""How many there are of a runtime's and of a game's; those about silicon and about rules."""
RULES_PAGES = "test_rules_*.py"
"""These name their tests by the numbers of the rules, not of the pitfalls."""


def anchors(text: str) -> set[str]:
    """Return what a page's headings are called in a link."""
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", head.lower()) for head in heads)
    return {word.strip().replace(" ", "-") for word in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page: Path) -> None:
    dead = []
    for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        is_there = target.exists()
        if is_there and anchor:
            is_there = anchor in anchors(target.read_text(encoding="utf-8"))
        if not is_there:
            dead.append(link)
    assert dead == []


def test_every_page_is_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        found = LINK.findall(page.read_text(encoding="utf-8"))
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in found]
    assert [page.name for page in PAGES[2:] if page not in seen] == []


@pytest.mark.parametrize("section", sorted(PITFALLS))
def test_every_pitfall_has_a_test_named_for_its_symptom(section: str) -> None:
    named: set[int] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        if path.match(RULES_PAGES):
            continue
        for name in re.findall(r"def test_((?:[RG]\d+_)+)", path.read_text(encoding="utf-8")):
            named |= {int(number) for number in re.findall(rf"{section}(\d+)_", name)}
    assert set(range(1, PITFALLS[section] + 1)) - named == set()
