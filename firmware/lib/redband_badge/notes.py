"""Codes of NOTE records that only the app writes, beside those of redband_core.journal.

A note is (code, value). Numbers are part of the journal's format and are never used again.
"""

TASK_SILENT = 32  # value: number of the task
INPUT_DROPPED = 33  # value: inputs so far that found the queue full
NEW_GAME = 34  # value: 0; provisioned anew: the state before it was given up
BOOT_CONTINUES = 35  # value: boot id that the records behind it belong to; begins a segment
PROVISIONED = 36  # value: CRC-32 of badge id, params and ruleset; begins a segment
RAW_GESTURE = 37  # value: gesture code; counted in safe mode when there are no rules
SHED_SEGMENT = 38  # value: records that were dropped with the oldest segment

# Reasons for safe mode (values of NOTE_SAFE_MODE); also how often the LED code flashes.
REASON_SETTINGS = 1
REASON_RULESET = 2
REASON_TASKS = 3
REASON_BOOTS = 4
REASON_JOURNAL = 5
CODE_RADIO = 6  # no reason for safe mode, but an LED code all the same

# Task numbers of NOTE_TASK_RESTARTED and TASK_SILENT.
TASK_INPUT = 1
TASK_GAME = 2
TASK_LED = 3
TASK_RADIO = 4
TASK_POWER = 5
