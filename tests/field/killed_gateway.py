"""A gateway that kills itself: `killed_gateway.py FIELD HCI PLACE PAGE`.

PLACE: before (a page was received), inside (the transaction that stores it), after (it is on the
disk, and the badge does not know).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.gateway import Gateway
from redband.keys import KEY_FILE, find_keys
from redband.overview.names import open_rulesets
from redband.store import store as store_module
from redband.store.store import STORE_FILE, Store
from redband.virtual.bleak_backend import backend


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def main(folder: Path, hci: str, place: str, at_page: int) -> None:
    store = Store(folder / STORE_FILE)
    pages = 0
    real_page, real_take = store.ingest_page, store_module.ingest.take_page

    def ingest_page(page):
        nonlocal pages
        pages += 1
        if place == "before" and pages == at_page:
            die()
        held = real_page(page)
        if place == "after" and pages == at_page:
            die()
        return held

    def take_page(*arguments):
        held = real_take(*arguments)
        if place == "inside" and pages == at_page:
            die()
        return held

    store.ingest_page = ingest_page
    store_module.ingest.take_page = take_page
    radio = BleakRadio(backend(hci), find_keys(folder / KEY_FILE))
    gateway = Gateway(radio, store, open_rulesets(store), name="killed")
    await gateway.load()
    await gateway.run()


asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
