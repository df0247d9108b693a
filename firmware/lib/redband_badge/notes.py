"""Codes of NOTE records that only the app writes, beside those of redband_core.journal.

A note is (code, value). Numbers are part of the journal's format and are never used again.
"""

TASK_SILENT = 32  # value: number of the task
INPUT_DROPPED = 33  # value: inputs so far that found the queue full
NEW_GAME = 34  # value: 0; provisioned anew: the state before it was given up
BOOT_CONTINUES = 35  # value: boot id that the records after it belong to; begins a segment
PROVISIONED = 36  # value: CRC-32 of badge id, params and ruleset; begins a segment
RAW_GESTURE = 37  # value: gesture code; counted in safe mode when there are no rules
SHED_SEGMENT = 38  # value: records that were dropped with the oldest segment
SENSOR = 40  # value: what is wrong with the accelerometer, 0 when it works again
PRESSES_IGNORED = 41  # value: presses within the refractory time, in about a second
IMPACTS_IGNORED = 42  # value: blows within it, or while our own motor shook the sensor
INPUT_SPIKES = 43  # value: looks at a contact that found spikes too short for one
GESTURES_DROPPED = 44  # value: reports of gestures that nobody took
TRANSPORT_ON = 56  # the badge goes to sleep; value: a SLEEP_ number
TRANSPORT_WOKEN = 57  # value: 0; woken from transport mode by a long hold
BATTERY_CRITICAL = 58  # value: mV
GAME_ENDED = 59  # value: 0; from here on the badge may switch itself off
GAME_BEGUN = 60  # value: 0
SELF_TEST = 61  # value: steps that failed | steps tried << 16; bits of self_test
SELF_TEST_FLASH_MS = 62  # value: the slowest operation of the flash in the self-test
HUNG_TASK = 63  # value: task that ran or was silent when the watchdog ended the start before
AUTH_REFUSED = 70  # value: proofs and commands refused for want of a key since the last such note
KEYS_DAMAGED = 71  # value: bytes of /keys.bin, which is no key file: nobody is granted anything
EMERGENCY = 72  # value: 1 somebody is really hurt, 0 it is over
BROADCAST = 73  # value: number of a command to all << 1 | 1 when its record follows
SENT_BY = 74  # value: role of who asked by radio for what the next record says
OBSERVER_OFF = 75  # value: error number; the controller does not let the badge listen
UPDATE_BEGUN = 76  # value: kind of update | outcome << 8; an outcome says why it was refused
UPDATE_APPLIED = 77  # value: kind of update; the next start takes it over
UPDATE_CONFIRMED = 78  # value: starts on trial; the new firmware stays
UPDATE_ROLLED_BACK = 79  # value: why, 1 a reset, 2 too many starts; the firmware before is back
RULE_NOTE = 256  # + number of the ruleset's own note; value: what the rules noted

# Values of TRANSPORT_ON.
SLEEP_TRANSPORT = 1
SLEEP_AUTO_OFF = 2  # nobody needed the badge

# Reason in a REFUSED record beside the engine's, which begin with 1.
REFUSED_PAUSED = 0  # the game stood still when the input began
ANSWER_PAUSED = -1  # the same as a result: there 0 means done

# Reasons for safe mode (values of NOTE_SAFE_MODE); also how often the LED code flashes.
REASON_SETTINGS = 1
REASON_RULESET = 2
REASON_TASKS = 3
REASON_BOOTS = 4
REASON_JOURNAL = 5
CODE_RADIO = 6  # no reason for safe mode, but an LED code all the same
CODE_SELF_TEST = 7  # as the one before

# Task numbers of NOTE_TASK_RESTARTED, TASK_SILENT and HUNG_TASK.
TASK_NONE = 0  # failed outside of the tasks; hung while starting, or nobody knows
TASK_INPUT = 1
TASK_GAME = 2
TASK_LED = 3
TASK_RADIO = 4
TASK_POWER = 5
TASK_SENSOR = 6  # only with an accelerometer
