"""How often the badge has started, how many starts in a row have failed, and what hung.

Guarantee: what is noted here is on the flash, or in the RTC memory, when the call returns; a flash
that fails does not stop the badge. How the next start reads it: redband_badge.boot_begin, which
also has the bytes.
"""

import binascii

from redband_badge import files, limits
from redband_badge.on_demand import BOOT_BEGIN, Needed
from redband_core import numbers
from redband_hal import system

VERSION = 2

# Marks that are no TASK_ number.
NO_TASK = -1
AT_PROMPT = 255  # nobody feeds there, and nobody hangs


class BootRecord:
    """The file /boot.cnt. An unreadable one counts as new: the journal knows better anyway.

    `hung_task`: of the start before, when the watchdog ended it, else NO_TASK. `test_failed`,
    `test_tried`: bits of redband_badge.self_test; nothing tried: it never ran.
    """

    def __init__(self, path: str) -> None:
        """Load `path`; never raises."""
        self.path = path
        self.boot_count = 0
        self.failures = 0
        self.reason = 0
        self.test_failed = 0
        self.test_tried = 0
        self.is_pending = False
        self.hung_task = NO_TASK
        self.mark = bytearray(7)
        self._is_held = False
        with Needed(BOOT_BEGIN) as boot_begin:
            boot_begin.load(self)

    def begin(self, cause: int) -> int:
        """Count this start; return 0 for a normal one or the REASON_ to go to safe mode.

        `cause`: a CAUSE_ number.
        """
        with Needed(BOOT_BEGIN) as boot_begin:
            return boot_begin.begin(self, cause)

    def save(self) -> None:
        """Write the file, if the flash takes it."""
        data = bytearray((VERSION,))
        data += self.boot_count.to_bytes(4, "little")
        data += bytes((min(self.failures, 255), int(self.is_pending), self.reason))
        data += bytes((self.test_failed, self.test_tried))
        data += binascii.crc32(data).to_bytes(4, "little")
        try:
            files.replace(self.path, data)
        except OSError:
            pass  # a full or dead flash may not keep the badge from counting hits

    def write_mark(self, number: int) -> None:
        """Keep what runs where a watchdog reset leaves it alone."""
        self.mark[1] = number
        self.mark[2] = number ^ 255
        system.keep(self.mark)

    def mark_running(self, number: int) -> None:
        """This task runs now: the suspect, should the watchdog bite before another one does."""
        if number == self.mark[1]:
            self._is_held = False
        elif not self._is_held:
            self.write_mark(number)

    def mark_silent(self, number: int) -> None:
        """This task hangs while others run: it stays the suspect until it reports again."""
        if not self._is_held:
            self.write_mark(number)
            self._is_held = True

    def count_failure(self, reason: int) -> None:
        """One failed start more; the first reason stays, unless there is a better one."""
        self.failures += 1
        if self.failures == 1 or reason != numbers.REASON_BOOTS:
            self.reason = reason

    def mark_healthy(self, is_safe_mode: bool) -> None:
        """The app has run long enough. Safe mode keeps its count: being alive proves no cure."""
        self.is_pending = False
        if not is_safe_mode:
            self.failures = 0
            self.reason = 0
        self.save()

    def keep_self_test(self, failed: int, tried: int) -> None:
        """Remember the newest result."""
        self.test_failed, self.test_tried = failed, tried
        self.save()

    def mark_failed(self, reason: int) -> None:
        """The app is about to give up; after REASON_TASKS the next start is in safe mode."""
        self.is_pending = False
        if reason == numbers.REASON_TASKS:
            self.failures = limits.FAILED_BOOTS_MAX - 1
        self.count_failure(reason)
        self.save()

    def stop_for_prompt(self, watchdog, radios: list) -> None:
        """Leave the badge to a technician at the prompt: neither healthy nor failed, no reset for
        a while, radio off.
        """
        self.is_pending = False
        self.save()
        self.write_mark(AT_PROMPT)
        watchdog.relax(limits.WATCHDOG_PROMPT_MS)
        for radio in radios:
            radio.stop()
