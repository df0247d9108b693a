"""Every number that means something to more than one part: each code of the badge once.

Guarantee: nobody else, badge or host, writes such a number down, and none is ever used again for
something else: they stand in journals, in answers by radio and in status lines. What people are
told for each is in the host's redband.number_texts. It costs the badge nothing: its build puts the
numbers where the names stand. Numbers with one user stay with it.
"""

# --- Roles (settings_check.ROLES has their names), and who may do what: bits 1 << role ---

ROLE_PLAYER = 0
ROLE_MEDIC = 1
ROLE_MARSHAL = 2
ROLE_GAME_MASTER = 3
ROLE_TECHNICIAN = 4

MAY_COMMAND = 0b11110  # anything by radio at all; each command has its own roles
MAY_DIRECT = 0b01100  # the game as a whole: marshal and game master
MAY_READ = 0b11100  # a badge's journal
MAY_UPDATE = 0b11000

# --- Notes: the code of a NOTE record; each says what its value is ---

NOTE_TORN_TAIL = 1  # bytes after the last whole record
NOTE_SHED = 2  # records left out because the journal was full
NOTE_TASK_RESTARTED = 3  # a TASK_ number
NOTE_SAFE_MODE = 4  # a REASON_ number
NOTE_INPUT_STUCK = 5  # number of the contact; -1 - number when it is free again
NOTE_EDGES_LOST = 6  # samples whose interrupts may have been lost
NOTE_RADIO_OFF = 7  # error number
NOTE_LOW_BATTERY = 8  # mV
NOTE_SETTINGS_REFUSED = 9  # a PROBLEM_ number
NOTE_TASK_SILENT = 32  # a TASK_ number
NOTE_INPUT_DROPPED = 33  # inputs so far that found the queue full
NOTE_NEW_GAME = 34  # 0; provisioned anew: the state before it was given up
NOTE_BOOT_CONTINUES = 35  # boot id that the records after it belong to; begins a segment
NOTE_PROVISIONED = 36  # CRC-32 of badge id, params and ruleset; begins a segment
NOTE_RAW_GESTURE = 37  # gesture code; counted in safe mode when there are no rules
NOTE_SHED_SEGMENT = 38  # records that were dropped with the oldest segment
NOTE_SENSOR = 40  # a SENSOR_ number
NOTE_PRESSES_IGNORED = 41  # presses within the refractory time, in about a second
NOTE_IMPACTS_IGNORED = 42  # blows within it, or while our own motor shook the sensor
NOTE_INPUT_SPIKES = 43  # looks at a contact that found spikes too short for one
NOTE_GESTURES_DROPPED = 44  # reports of gestures that nobody took
NOTE_TRANSPORT_ON = 56  # a SLEEP_ number; the badge goes to sleep
NOTE_TRANSPORT_WOKEN = 57  # 0; woken from transport mode by a long hold
NOTE_BATTERY_CRITICAL = 58  # mV
NOTE_GAME_ENDED = 59  # 0; from here on the badge may switch itself off
NOTE_GAME_BEGUN = 60  # 0
NOTE_SELF_TEST = 61  # steps that failed | steps tried << 16; STEP_ bits
NOTE_SELF_TEST_FLASH_MS = 62  # the slowest operation of the flash in the self-test
NOTE_HUNG_TASK = 63  # the TASK_ that ran or was silent when the watchdog ended the start before
NOTE_AUTH_REFUSED = 70  # proofs and commands refused for want of a key since the last such note
NOTE_KEYS_DAMAGED = 71  # bytes of /keys.bin, which is no key file: nobody is granted anything
NOTE_EMERGENCY = 72  # 1 somebody is really hurt, 0 it is over
NOTE_BROADCAST = 73  # number of a broadcast << 1 | 1 when its record follows
NOTE_SENT_BY = 74  # role of who asked by radio for what the next record says
NOTE_OBSERVER_OFF = 75  # error number; the controller does not let the badge listen
NOTE_UPDATE_BEGUN = 76  # kind of update | outcome << 8; an outcome says why it was refused
NOTE_UPDATE_APPLIED = 77  # kind of update; the next start takes it over
NOTE_UPDATE_CONFIRMED = 78  # starts on trial; the new firmware stays
NOTE_UPDATE_ROLLED_BACK = 79  # why, 1 a reset, 2 too many starts; the firmware before is back
NOTE_HEAP_SHORT = 80  # bytes left for Python; the badge starts again while its game is at rest
NOTE_OF_RULES = 256  # + number of the ruleset's own note; what the rules noted
NOTE_RETRACTED = 512  # + number of the ruleset's own note; one that was taken back

# Which sleep begins.
SLEEP_TRANSPORT = 1
SLEEP_AUTO_OFF = 2  # nobody needed the badge

# What is wrong with the accelerometer.
SENSOR_GOOD = 0
SENSOR_MISSING = 1  # nobody answers
SENSOR_WRONG_CHIP = 2  # somebody else answers
SENSOR_BUS = 3  # the bus does not work
SENSOR_RESET = 4  # the chip has lost its settings: its supply failed

# --- Why a badge started (cause of a BOOT record). Our own: a port may change its numbers ---

CAUSE_UNKNOWN = 0
CAUSE_POWER_ON = 1  # the ESP32 reports brownout and the EN pin as this too
CAUSE_RESET = 2  # machine.reset(), a panic and the external pin look alike
CAUSE_WATCHDOG = 3
CAUSE_DEEP_SLEEP = 4
CAUSE_SOFT_RESET = 5

# --- Why it is in safe mode, 0 when it is not; also how often its LED code flashes ---

REASON_SETTINGS = 1
REASON_RULESET = 2
REASON_TASKS = 3
REASON_BOOTS = 4
REASON_JOURNAL = 5
CODE_RADIO = 6  # no reason for safe mode, but an LED code all the same
CODE_SELF_TEST = 7  # as the one before

# --- What is broken, as bits; any of them sets the advert's FAULT flag ---

FAULT_RADIO = 1
FAULT_JOURNAL = 2
FAULT_TASK = 4
FAULT_SENSOR = 8
FAULT_SELF_TEST = 16
FAULT_OBSERVER = 32

# --- Tasks ---

TASK_NONE = 0  # failed outside of the tasks; hung while starting, or nobody knows
TASK_INPUT = 1
TASK_GAME = 2
TASK_LED = 3
TASK_RADIO = 4
TASK_POWER = 5
TASK_SENSOR = 6  # only with an accelerometer

# --- Steps of the self-test, as bits of its result ---

STEP_FLASH = 1
STEP_BATTERY = 2
STEP_LIGHTS = 4
STEP_RADIO = 8
STEP_SENSOR_CHIP = 16
STEP_BUTTON = 32
STEP_IMPACT = 64
STEP_CUT_OFF = 128  # no step: the power went, or the chip was reset, in the middle of the test

# --- Why it does not sleep lightly, in the order in which they are told ---

MAY_SLEEP = 0
AWAKE_USB = 1  # a host is at the USB port, which light sleep cuts off
AWAKE_CONNECTED = 2
AWAKE_ADVERTISING = 3
AWAKE_SENSOR = 4  # a blow is shorter than the sleep and would not be felt
AWAKE_RECENT_ACTION = 5  # an input a moment ago: somebody is at the badge
AWAKE_USB_LOOK = 6  # looking whether a host is there, which needs the port awake
AWAKE_INPUT_BUSY = 7
AWAKE_LED_ON = 8
AWAKE_TIMER_DUE = 9  # something is to be done too soon for a sleep to be worth it
AWAKE_NO_SLEEPER = 10  # safe mode: nobody asks

# --- Settings: what is wrong with them, and values (places in settings_check.CHOICES) ---

PROBLEM_NONE = 0
PROBLEM_MISSING = 1  # no settings file: never provisioned
PROBLEM_SYNTAX = 2  # not JSON, or not an object
PROBLEM_KEYS = 3  # a key is missing or unknown
PROBLEM_VALUE = 4  # a value has the wrong type or range
PROBLEM_READ = 5  # the flash would not read it
PROBLEM_RULES = 6  # the ruleset refuses the player's numbers

IMPACT_SWITCH = 0
IMPACT_OFF = 1
IMPACT_ACCELEROMETER = 2

TREATMENT_OPEN = 0
TREATMENT_BADGE = 1
TREATMENT_HOST = 2

# --- Commands to one badge, broadcasts to all, and answers to them ---

COMMAND_PAUSE = 1
COMMAND_RESUME = 2
COMMAND_GAME_BEGINS = 3
COMMAND_GAME_OVER = 4
COMMAND_EMERGENCY_OVER = 5
COMMAND_IDENTIFY = 6
COMMAND_TRANSPORT = 7

BROADCAST_PAUSE = 1
BROADCAST_RESUME = 2
BROADCAST_FIGHT_OVER = 3
BROADCAST_GAME_OVER = 4
BROADCAST_GAME_BEGINS = 5

# 1 and more: the refusal of the engine or of its ruleset.
ANSWER_DONE = 0
ANSWER_PAUSED = -1  # the game is paused, and the sender does not direct it
ANSWER_NO_RULES = -2  # the badge is in safe mode without a ruleset
ANSWER_UNKNOWN = -3  # no such event or command, or numbers that it does not take
ANSWER_ROLE = -4  # not for this role
ANSWER_BUSY = -5  # too much is waiting: again, later
ANSWER_OTHER_RULES = -6  # the broadcast, or the medic's offer, is about another ruleset
ANSWER_OLD = -7  # the badge has heard this broadcast, or a later one
ANSWER_IMPOSSIBLE = -8  # the board can't do that
ANSWER_FORGED = -9  # the broadcast is not of this game
ANSWER_ALREADY = -10  # another medic's offer was taken for this call
ANSWER_SELF = -11  # one's own button is no medic
ANSWER_FOLLOWS = -12  # the patient's next record of this event says it
ANSWER_ASKED = -13  # the medic's badge has offered; nothing more is known

REFUSED_PAUSED = 0  # reason of a REFUSED record beside the engine's, which begin with 1

# --- State of an update, first byte of /slot; slots.py, which no update replaces, has its own ---

UPDATE_TAKE = 1  # the next start takes it over
UPDATE_TRIAL = 2
UPDATE_BACK = 3  # being taken back
UPDATE_TOLD = 4  # taken back: to be noted in the journal
UPDATE_GOOD = 5  # stays: what ran before is being removed

# --- Errors that the core raises: the first argument of a RedbandError; others follow it ---

ERROR_NOT_A_RULESET = 1
ERROR_RULESET_CHECKSUM = 2
ERROR_RULESET_CUT = 3
ERROR_RULESET_LEFT_OVER = 4
ERROR_RULESET_SLOTS = 5
ERROR_RULESET_NO_VOID = 6
ERROR_RULESET_ARGUMENTS = 7
ERROR_RULESET_REFUSAL = 8
ERROR_RULESET_NO_SIGNAL = 9
ERROR_RULESET_COUNT = 10
ERROR_RULESET_INDEX = 11
ERROR_RULESET_SETS = 12
ERROR_RULESET_EFFECT = 13
ERROR_EXPRESSION_SLOT = 14
ERROR_EXPRESSION_DEEP = 15
ERROR_EXPRESSION_OPERATOR = 16
ERROR_EXPRESSION_OPERAND = 17
ERROR_EXPRESSION_VALUES = 18
ERROR_PARAM_COUNT = 19
ERROR_PARAM_RANGE = 20
ERROR_SNAPSHOT_DAMAGED = 21
ERROR_SNAPSHOT_RULESET = 22
ERROR_SNAPSHOT_STATE = 23
ERROR_SNAPSHOT_EVENT = 24
ERROR_SNAPSHOT_COUNTER = 25
ERROR_GAME_TIME = 26
ERROR_CLOCK_STOPPED = 27
ERROR_NOT_AN_INTEGER = 28
ERROR_NUMBER_RANGE = 29
ERROR_SIGNED_RANGE = 30
ERROR_READER_RANGE = 31
ERROR_DATA_ENDS = 32
ERROR_NUMBER_CUT = 33
ERROR_NUMBER_LONG = 34
ERROR_NEGATIVE_SIZE = 35
ERROR_PATTERN = 36
ERROR_RECORD_NUMBER = 37
ERROR_RECORD_KIND = 38
ERROR_RECORD_LONG = 39
ERROR_RECORD_OFFSET = 40
ERROR_IDENTITY_LENGTH = 41
ERROR_ADVERT_ROLE = 42
ERROR_ADVERT_SIGNAL = 43
ERROR_ADVERT_RECORD = 44
ERROR_ADVERT_LENGTH = 45
ERROR_ADVERT_VERSION = 46
ERROR_BLOCK_LEFT_OVER = 47
ERROR_MESSAGE_PARTS = 48
ERROR_FRAME_EMPTY = 49
ERROR_MESSAGE_BEGINNING = 50
ERROR_MESSAGE_NUMBER = 51
ERROR_MESSAGE_CHANGED = 52
ERROR_MESSAGE_LEFT_OVER = 53
ERROR_INFO_LENGTH = 54
ERROR_NONCE_LENGTH = 55
ERROR_TOO_MANY_ARGUMENTS = 56
ERROR_TAP_VERSION = 57
ERROR_BEGIN_LENGTH = 58
ERROR_BEGIN_SENSE = 59
ERROR_PIECE_EMPTY = 60
ERROR_ENTRY_SENSE = 61
ERROR_PATH_ASCII = 62
ERROR_MORE_THAN_MANIFEST = 63
ERROR_MANIFEST_OTHER = 64
ERROR_JOURNAL_RECORD = 65
