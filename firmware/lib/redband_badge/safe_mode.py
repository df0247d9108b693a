"""Safe mode: what is left when the badge cannot run as it should. It counts on.

Guarantee: hits and timers go on and no state is forgiven; the LED code and the advert's flag say
that something is wrong; the prompt on USB works. The supervisor never gives up here. Radio and
battery are looked after when that works, and whatever is wrong with their modules stops nothing.
The radio stays off when safe mode itself keeps failing, since a controller that panics takes the
game with it.
"""

import asyncio

from redband_badge import limits
from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_badge.on_demand import POWER_PARTS, RADIO_PARTS, Needed
from redband_badge.supervisor import attempt
from redband_core import numbers
from redband_hal import system
from redband_hal.lights import Lights


def run(root: str = "") -> None:
    """Start safe mode because the app could not even be imported. Does not return."""
    cause = system.reset_cause()
    boot = BootRecord(root + "/boot.cnt")
    reason = boot.begin(cause) or numbers.REASON_BOOTS
    run_badge(Badge(root, boot, cause, reason), boot, system.Watchdog(limits.WATCHDOG_MS))


def run_badge(badge: Badge, boot: BootRecord, watchdog: system.Watchdog) -> None:
    """Run a badge in safe mode; reset when even that fails. Does not return."""
    radios = []
    try:
        error = asyncio.run(attempt(_supervise(badge, boot, watchdog, radios)))
    except KeyboardInterrupt:
        boot.stop_for_prompt(watchdog, radios)
        raise
    if error is not None:
        boot.mark_failed(numbers.REASON_BOOTS)
        asyncio.run(_show_and_wait(boot.reason))
    system.reset()


async def _supervise(badge: Badge, boot: BootRecord, watchdog, radios: list) -> None:
    if not badge.is_loaded:
        badge.load()
    supervisor = badge.make_supervisor(watchdog.feed)
    # A damaged file, or either of these, may be why we are here: the game goes on without them.
    if badge.has_radio and boot.failures < limits.FAILED_BOOTS_NO_RADIO:
        if await attempt(_add_radio(badge, supervisor, radios)):
            badge.state.set_fault(numbers.FAULT_RADIO, True)
    if await attempt(_add_power(badge, supervisor)):
        badge.state.set_fault(numbers.FAULT_TASK, True)
    await supervisor.run()


async def _add_radio(badge: Badge, supervisor, radios: list) -> None:
    with Needed(RADIO_PARTS) as radio_parts:
        radios.append(radio_parts.add_radio(badge, supervisor))


async def _add_power(badge: Badge, supervisor) -> None:
    with Needed(POWER_PARTS) as power_parts:
        power_parts.add_power(badge, supervisor)


async def _show_and_wait(code: int) -> None:
    """Flash the code once, without the app's parts, so that a reset loop can be seen and read."""
    lights = Lights()
    for step in range(2 * code):
        lights.show(1 - (step & 1), step & 1, 0)
        await asyncio.sleep_ms(limits.CODE_FLASH_MS)
    lights.show(0, 0, 0)
    await asyncio.sleep_ms(1000)
