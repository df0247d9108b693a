"""Waits until a badge is heard, so that it can be connected to."""

from __future__ import annotations

import asyncio

from redband.errors import RedbandUserError
from redband.gateway.bleak_radio import BleakRadio
from redband.radio import Heard


async def reach(observer: BleakRadio, badge_id: int, seconds: float) -> Heard:
    """Return the first advert of a badge that is heard. Raises RedbandUserError for none."""
    found: asyncio.Future[Heard] = asyncio.get_running_loop().create_future()

    def note(sighting: Heard) -> None:
        # A doubtful one serves as well: the session proves who it is.
        if sighting.advert.badge_id == badge_id and not found.done():
            found.set_result(sighting)

    scan = asyncio.ensure_future(observer.scan(note))
    try:
        async with asyncio.timeout(seconds):
            await asyncio.wait({found, scan}, return_when=asyncio.FIRST_COMPLETED)
    except TimeoutError as error:
        raise RedbandUserError(
            f"Badge {badge_id} was not heard in {seconds:g} s; go nearer, or see which are in"
            " range with: redband scan."
        ) from error
    finally:
        scan.cancel()
        ended = await asyncio.gather(scan, return_exceptions=True)
    if not found.done():
        raise next(one for one in ended if isinstance(one, Exception))
    return found.result()
