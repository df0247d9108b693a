"""The badge's app: decides how to start, runs all tasks, and starts the chip again when it must.

Guarantee: run() never leaves the player without a counting badge: what fails at start is counted
and leads to safe mode, what fails later is restarted, and what keeps failing leads to safe mode.
"""

import asyncio
import gc

from redband_badge import limits
from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_badge.files import read_bytes
from redband_badge.on_demand import POWER_PARTS, RADIO_PARTS, SELF_TEST, WAKE_CHECK, Needed
from redband_badge.supervisor import attempt
from redband_core import numbers
from redband_hal import system


def run(root: str = "") -> None:
    """Start the badge whose files lie in `root`. Returns only by KeyboardInterrupt."""
    with Needed(WAKE_CHECK) as sleep:
        if not sleep.wake_check(root):
            return
    del sleep
    cause = system.reset_cause()
    boot = BootRecord(root + "/boot.cnt")
    reason = boot.begin(cause)
    watchdog = system.Watchdog(limits.WATCHDOG_MS)
    app = App(root, boot, cause, reason, watchdog)
    try:
        error = asyncio.run(attempt(app.run()))
    except KeyboardInterrupt:
        boot.stop_for_prompt(watchdog, app.radios)
        raise
    if error is None and app.badge is not None and app.badge.reason:
        from redband_badge.safe_mode import run_badge  # costs a healthy badge no memory

        run_badge(app.badge, boot, watchdog)
    boot.mark_failed(numbers.REASON_TASKS if error is None else numbers.REASON_BOOTS)
    system.reset()


async def test_itself(badge, radio, feed) -> None:
    """Run the self-test if one was asked for; the game begins afterwards."""
    # The file is the installer's wish, or the result of a test that failed.
    if read_bytes(badge.root + limits.SELF_TEST_PATH) is None:
        return
    parts = (badge.options, badge.boot, badge.game_journal)
    with Needed(SELF_TEST) as self_test:
        await self_test.at_start(badge.root, *parts, radio, feed)
    badge.state.set_fault(numbers.FAULT_SELF_TEST, badge.boot.test_failed != 0)
    badge.clock.start(system.ticks_ms())


class App:
    """All parts of a badge that is well."""

    def __init__(self, root: str, boot: BootRecord, cause: int, reason: int, watchdog) -> None:
        """See Badge; `watchdog`: already running."""
        self._arguments = (root, boot, cause, reason)
        self._watchdog = watchdog
        self.badge = None
        self.radios = []
        self.is_running = False

    async def run(self) -> None:
        """Run until tasks failed too often, or return at once when safe mode is called for."""
        badge = Badge(*self._arguments)
        self.badge = badge
        if badge.reason:
            return
        radio = None
        if badge.has_radio:
            # Before the heap grows into the memory that the controller needs (PITFALLS B9).
            with Needed(RADIO_PARTS) as radio_parts:
                radio = radio_parts.make_radio()
            self.radios.append(radio)
            self._try_start(radio)
        badge.load()
        if badge.reason:
            for started in self.radios:
                started.stop()
            return
        await test_itself(badge, radio, self._watchdog.feed)
        supervisor = badge.make_supervisor(self._watchdog.feed)
        if radio is not None:
            with Needed(RADIO_PARTS) as radio_parts:
                radio_parts.add_radio(badge, supervisor, radio)
            del radio_parts
        with Needed(POWER_PARTS) as power_parts:
            power_parts.add_power(badge, supervisor)
        del power_parts
        gc.collect()
        gc.threshold(limits.GC_THRESHOLD_BYTES)
        self.is_running = True
        await supervisor.run()

    def _try_start(self, radio) -> None:
        try:
            radio.start("Redband", limits.FIRMWARE_VERSION)
        except OSError:
            # The radio task tries again, counts and shows it; the game starts first.
            return
