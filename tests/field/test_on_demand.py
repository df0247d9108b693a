"""What a badge loads when it is needed is gone again afterwards: a link, a command, a status."""

from __future__ import annotations

import asyncio

from tests.support.host_radio import Observer

from redband.build.firmware import firmware_files
from redband.radio import AdvertReader
from redband.virtual.field import BadgeSpec, Field

MAIN = b"""
import asyncio
import sys


async def tell():
    told = None
    while True:
        await asyncio.sleep_ms(50)
        names = sorted([name for name in sys.modules if name[:8] == "redband_"])
        if names != told:
            told = names
            print("LOADED", " ".join(names))


asyncio.create_task(tell())
with open("/real_main.py") as file:
    exec(file.read())
"""
LINK = {"redband_badge.link"}  # one bundle with all that a host needs


def loaded(badge) -> list[set[str]]:
    """Return the modules of ours in the badge's memory, each time that they changed."""
    text = bytes(badge.console.log).decode(errors="replace")
    lines = [line for line in text.splitlines() if line.startswith("LOADED ")]
    return [set(line.split()[1:]) for line in lines]


async def test_link_loads_its_modules_and_lets_them_go(field: Field):
    files = (("/main.py", MAIN), ("/real_main.py", firmware_files()["/main.py"]))
    badge = await field.add_badge(BadgeSpec(1, "Anna", files=files))
    observer = Observer(field, AdvertReader(field.keys))
    heard = await observer.next()
    before = loaded(badge)[-1]
    assert not before & LINK
    for _link in range(3):
        badge.console.log.clear()
        result = await observer.fetch(heard, field.keys)
        assert result.next_seq > 0
        async with asyncio.timeout(20):
            while not loaded(badge) or loaded(badge)[-1] & LINK:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert any(names >= LINK for names in loaded(badge)), loaded(badge)
        assert loaded(badge)[-1] == before
    await observer.close()
