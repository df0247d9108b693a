"""How often the badge has started, and how many starts in a row have failed.

Guarantee: three failed starts lead to safe mode; a player who flips the switch twice does not.
A start has failed when the app said so, or when the chip was reset (not switched on) before the
app had run for HEALTHY_AFTER_MS. A new battery gives a badge in safe mode one new try.

File: version u8, boot count u32, failures u8, is pending u8, reason u8, CRC-32 of these, LE.
"""

import binascii

from redband_badge import files, limits, notes
from redband_hal import system

_VERSION = 1
_LENGTH = 12


class BootRecord:
    """The file /boot.cnt. An unreadable one counts as new: the journal knows better anyway."""

    def __init__(self, path: str) -> None:
        """Load `path`; never raises."""
        self._path = path
        self.boot_count = 0
        self.failures = 0
        self.reason = 0
        self._is_pending = False
        self.is_writable = True
        self._load()

    def _load(self) -> None:
        try:
            data = files.read_bytes(self._path)
        except OSError:
            data = None
        if data is None or len(data) != _LENGTH or data[0] != _VERSION:
            return
        if int.from_bytes(data[8:], "little") != binascii.crc32(data[:8]):
            return
        self.boot_count = int.from_bytes(data[1:5], "little")
        self.failures = data[5]
        self._is_pending = bool(data[6])
        self.reason = data[7]

    def _save(self) -> None:
        data = bytearray((_VERSION,))
        data += self.boot_count.to_bytes(4, "little")
        data += bytes((min(self.failures, 255), int(self._is_pending), self.reason))
        data += binascii.crc32(data).to_bytes(4, "little")
        try:
            files.replace(self._path, data)
        except OSError:
            # A full or dead flash may not keep the badge from counting hits.
            self.is_writable = False

    def begin(self, cause: int) -> int:
        """Count this start; return 0 for a normal one or the REASON_ to go to safe mode.

        `cause`: a system.RESET_ number.
        """
        if self._is_pending and cause in (system.RESET_HARD, system.RESET_WATCHDOG):
            self._fail(notes.REASON_BOOTS)
        elif cause == system.RESET_POWER_ON and self.failures >= limits.FAILED_BOOTS_MAX:
            self.failures = limits.FAILED_BOOTS_MAX - 1
        self.boot_count += 1
        self._is_pending = True
        self._save()
        if self.failures < limits.FAILED_BOOTS_MAX:
            return 0
        return self.reason or notes.REASON_BOOTS

    def _fail(self, reason: int) -> None:
        self.failures += 1
        if self.failures == 1 or reason != notes.REASON_BOOTS:
            self.reason = reason

    def mark_healthy(self, is_safe_mode: bool) -> None:
        """The app has run long enough. Safe mode keeps its count: being alive proves no cure."""
        self._is_pending = False
        if not is_safe_mode:
            self.failures = 0
            self.reason = 0
        self._save()

    def mark_failed(self, reason: int) -> None:
        """The app is about to give up; after REASON_TASKS the next start is in safe mode."""
        self._is_pending = False
        if reason == notes.REASON_TASKS:
            self.failures = limits.FAILED_BOOTS_MAX - 1
        self._fail(reason)
        self._save()

    def stop_for_prompt(self, watchdog, radios: list) -> None:
        """Leave the badge to a technician at the prompt: neither healthy nor failed, no reset for
        a while, radio off.
        """
        self._is_pending = False
        self._save()
        watchdog.relax(limits.WATCHDOG_PROMPT_MS)
        for radio in radios:
            radio.stop()
