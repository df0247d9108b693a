"""How a start begins: the record of the starts before it is read and judged.

Guarantee: three failed starts lead to safe mode; a player who flips the switch twice does not. A
start has failed when the app said so, or when the chip was reset (not switched on) before the app
had run for HEALTHY_AFTER_MS. A new battery gives a badge in safe mode one new try. After a
watchdog reset this start knows which task was running or silent. Leaves the memory then.

File: version u8, boot count u32, failures u8, is pending u8, reason u8, steps of the self-test
that failed u8 and that were tried u8, CRC-32 of these, LE.

Mark in the RTC memory: version u8, task u8, its complement u8, boot count u32. That memory may
hold anything at a start (PITFALLS R10): a mark that is not whole, or of another start than the
last, says nothing, and no mark says anything about the game.
"""

import binascii

from redband_badge import boot_record, files, limits
from redband_core import numbers
from redband_hal import system

_LENGTH = 14
_MARK_LENGTH = 7


def load(record) -> None:
    """Read the file into a new BootRecord; never raises."""
    try:
        data = files.read_bytes(record.path)
    except OSError:
        data = None
    if data is None or len(data) != _LENGTH or data[0] != boot_record.VERSION:
        return
    if int.from_bytes(data[10:], "little") != binascii.crc32(data[:10]):
        return
    record.boot_count = int.from_bytes(data[1:5], "little")
    record.failures = data[5]
    record.is_pending = bool(data[6])
    record.reason, record.test_failed, record.test_tried = data[7], data[8], data[9]


def begin(record, cause: int) -> int:
    """See BootRecord.begin()."""
    if cause == numbers.CAUSE_WATCHDOG:
        record.hung_task = _marked_task(record)
    if record.is_pending and cause in (numbers.CAUSE_RESET, numbers.CAUSE_WATCHDOG):
        record.count_failure(numbers.REASON_BOOTS)
    elif cause == numbers.CAUSE_POWER_ON and record.failures >= limits.FAILED_BOOTS_MAX:
        record.failures = limits.FAILED_BOOTS_MAX - 1
    record.boot_count += 1
    record.is_pending = True
    record.save()
    record.mark[0] = boot_record.VERSION
    record.mark[3:] = record.boot_count.to_bytes(4, "little")
    record.write_mark(numbers.TASK_NONE)
    if record.failures < limits.FAILED_BOOTS_MAX:
        return 0
    return record.reason or numbers.REASON_BOOTS


def _marked_task(record) -> int:
    mark = system.kept()
    is_whole = (
        len(mark) == _MARK_LENGTH
        and mark[0] == boot_record.VERSION
        and mark[1] ^ mark[2] == 255
        and int.from_bytes(mark[3:], "little") == record.boot_count
    )
    if not is_whole:
        return numbers.TASK_NONE
    return boot_record.NO_TASK if mark[1] == boot_record.AT_PROMPT else mark[1]
