"""Brings an update to several badges over the air, one after the other.

Guarantee: a link that breaks is taken up again where it broke; each badge ends with one sentence,
good or bad; one that fails keeps no other from its update. An update counts as done when the
badge has come back with it, and firmware only when the badge says that it stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bleak.backends.device import BLEDevice

from redband.build.packages import Package, firmware_version, is_older
from redband.errors import RedbandUserError
from redband.keys import Keys
from redband.radio import AdvertReader, Heard, RadioBackend, SyncError, SyncFailure, scan
from redband.radio.update import UpdateResult, role_of, send_update
from redband_core import upload

BREAKS_MAX = 20
"""Links that may break in a row without one new byte, before a badge is given up."""
RETRY_PAUSE_S = 1.0
RESTART_S = 3.0
"""Until a badge that takes an update over is back on the air, at the earliest."""
VERDICT_S = 90.0
"""Until a badge must have said whether its new firmware stays: it runs on trial for 10 s, and
three starts that hang until the watchdog bites are counted in."""
TRIAL_STATES = (1, 2, 3)
_LASTING = (
    SyncFailure.WRONG_BADGE,
    SyncFailure.VERSION,
    SyncFailure.ACCESS,
    SyncFailure.FORGED,
    SyncFailure.ROLE,
    SyncFailure.REFUSED,
    SyncFailure.STALE_SERVICES,
)

REFUSALS = {
    upload.NO_ROOM: "it has no room for the update; sync its journal first",
    upload.DAMAGED: "what arrived is damaged, and was dropped; update again",
    upload.BAD_MANIFEST: "it does not take this update; is its firmware of another version?",
    upload.OTHER_BADGE: "the update is for another badge",
    upload.BUSY: "an update is on trial there; wait a minute and update again",
    upload.NOT_BEGUN: "it has forgotten the upload; update again",
    upload.INCOMPLETE: "it has not everything; update again",
    upload.OTHER_LOADER: "this firmware needs another main.py; install it over USB with redband"
    " badge install",
    upload.BAD_RULESET: "its firmware does not take this ruleset; update its firmware first",
    upload.BAD_PARAMS: "the ruleset does not take its player's numbers; give them with --param",
    upload.BAD_SETTINGS: "its settings check refuses the change",
    upload.NEW_GAME: "the update would begin a new game there, with a new character; sync its"
    " journal, then add --force if that is meant",
    upload.FLASH_FAILED: "its flash failed; update again, or install over USB",
    upload.NO_MEMORY: "its memory is too full to check the update; restart it and update again",
    upload.NO_MEMORY_LEFT: "it has too little memory left for an update; restart it, update again",
    upload.TAP_GOES_ON: "a medic's tap is going on there; update again in a minute",
}


@dataclass(frozen=True)
class Outcome:
    """What became of one badge's update. sentence: for people, without the badge's name."""

    badge_id: int
    is_good: bool
    sentence: str


def update_keys(keys: Keys | None) -> Keys:
    """Return `keys`; raise RedbandUserError unless they may update badges."""
    if keys is None:
        raise RedbandUserError("An update needs the game's key; name it with --key FILE.")
    role_of(keys)
    return keys


async def listen(
    keys: Keys,
    radio: RadioBackend | None,
    wanted: frozenset[int],
    listen_s: float,
) -> dict[int, BLEDevice]:
    """Return the badges heard within `listen_s`, sooner when all that are wanted were.

    wanted: badge ids, empty for all. Raises RedbandUserError without Bluetooth.
    """
    found: dict[int, BLEDevice] = {}
    is_all = asyncio.Event()

    def take(heard: Heard) -> None:
        badge_id = heard.advert.badge_id
        if not wanted or badge_id in wanted:
            found[badge_id] = heard.device
        if wanted and wanted <= found.keys():
            is_all.set()

    async def end() -> None:
        try:
            async with asyncio.timeout(listen_s):
                await is_all.wait()
        except TimeoutError:
            return

    scanning = asyncio.create_task(scan(take, AdvertReader(keys), radio))
    ending = asyncio.create_task(end())
    done, _ = await asyncio.wait({scanning, ending}, return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if scanning in done:
        await scanning  # raises why
    scanning.cancel()
    await asyncio.gather(scanning, ending, return_exceptions=True)
    return found


async def abort(
    keys: Keys, radio: RadioBackend | None, devices: Mapping[int, BLEDevice]
) -> list[Outcome]:
    """Let badges forget the uploads that they have not all of."""
    outcomes = []
    for badge_id, device in sorted(devices.items()):
        try:
            await send_update(device, badge_id, keys, radio, bytes((upload.ABORT,)))
            outcomes.append(Outcome(badge_id, True, "has nothing of an unfinished upload"))
        except SyncError as error:
            outcomes.append(Outcome(badge_id, False, str(error)))
    return outcomes


class Updater:
    """Updates badges. say(badge id, text): told of progress."""

    def __init__(
        self,
        keys: Keys,
        radio: RadioBackend | None,
        package: Package,
        may_begin_game: bool,
        say: Callable[[int, str], None],
    ) -> None:
        self._keys = keys
        self._radio = radio
        self._package = package
        self._may_begin_game = may_begin_game
        self._say = say
        self._reached = 0

    async def update_all(self, devices: Mapping[int, BLEDevice]) -> list[Outcome]:
        """Return what became of each badge, in the order of their numbers."""
        return [await self.update(badge_id, devices[badge_id]) for badge_id in sorted(devices)]

    async def update(self, badge_id: int, device: BLEDevice) -> Outcome:
        """Update one badge; raises for nothing that is wrong with it."""
        self._reached = 0
        try:
            result = await self._upload(badge_id, device)
            if result.answer.outcome:
                return Outcome(badge_id, False, REFUSALS[result.answer.outcome])
            if result.asked_again:
                self._say(badge_id, f"lost on the way and sent again {result.asked_again} times")
            self._say(badge_id, "has everything, and starts again with it")
            return await self._verdict(badge_id, device)
        except SyncError as error:
            return Outcome(badge_id, False, str(error))

    async def _upload(self, badge_id: int, device: BLEDevice) -> UpdateResult:
        package, shown = self._package, -1
        # Once only, so that a badge hears what it is about to get before it gets it.
        status = await self._patiently(badge_id, device, bytes((upload.STATUS,)))
        version = status.welcome.firmware_version.removesuffix(" trial")
        if package.kind == upload.FIRMWARE and is_older(firmware_version(), version):
            self._say(badge_id, f"goes back from {version} to {firmware_version()}, an older one")

        def progress(count: int) -> None:
            nonlocal shown
            self._reached = max(self._reached, count)
            tenth = 10 * count // len(package.stream)
            if tenth > shown:
                shown = tenth
                self._say(badge_id, f"{10 * tenth} % of {len(package.stream)} bytes")

        begin = package.begin(badge_id, self._may_begin_game)
        return await self._patiently(badge_id, device, begin, progress)

    async def _patiently(
        self,
        badge_id: int,
        device: BLEDevice,
        begin: bytes,
        progress: Callable[[int], None] = lambda _: None,
    ) -> UpdateResult:
        breaks = 0
        while True:
            reached = self._reached
            try:
                stream = self._package.stream
                return await send_update(
                    device, badge_id, self._keys, self._radio, begin, stream, progress
                )
            except SyncError as error:
                breaks = 0 if self._reached > reached else breaks + 1
                if error.reason in _LASTING or breaks > BREAKS_MAX:
                    raise
                self._say(badge_id, f"{error} Trying again.")
                await asyncio.sleep(RETRY_PAUSE_S)

    async def _verdict(self, badge_id: int, device: BLEDevice) -> Outcome:
        """Wait for the badge to come back, and to say what became of the update."""
        package = self._package
        clock = asyncio.get_running_loop().time
        ends_s = clock() + VERDICT_S
        while clock() < ends_s:
            await asyncio.sleep(RESTART_S)
            try:
                result = await send_update(
                    device, badge_id, self._keys, self._radio, deadline_s=15
                )
            except SyncError as error:
                if error.reason in _LASTING:
                    raise
                continue
            answer, welcome = result.answer, result.welcome
            if answer.state in TRIAL_STATES:
                continue
            if package.kind != upload.FIRMWARE and answer.cause in REFUSALS:
                return Outcome(badge_id, False, REFUSALS[answer.cause])
            if package.kind == upload.FIRMWARE and answer.build != package.build:
                return Outcome(
                    badge_id,
                    False,
                    "the new firmware failed there, and the badge went back to"
                    f" {welcome.firmware_version} by itself",
                )
            if package.identity and welcome.ruleset_identity != package.identity:
                return Outcome(badge_id, False, "the badge runs another ruleset all the same")
            return Outcome(badge_id, True, f"runs the new {package.title}")
        return Outcome(
            badge_id,
            False,
            f"it has the update, and was not heard of again within {VERDICT_S:.0f} s; look at it"
            " with redband badge status",
        )
