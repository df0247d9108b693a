"""Every tunable number of the app, with its unit and its reason.

Those of inputs and checkpoints stand in redband_core.limits, those of a radio that is switched off
and on in radio_windows.
"""

FIRMWARE_VERSION = "0.1.0"

# Inputs.
SENSOR_STEP_MS = 1000  # the accelerometer's task reports so often
SENSOR_CHECK_MS = 10_000  # a chip that lost its supply is set up again after so long at most
SENSOR_RETRY_MS = 30_000  # a chip that is not there blocks the other tasks for 20 ms at most
INPUT_QUEUE_SIZE = 32  # two seconds of the fastest pressing, while a flash write stalls

# Game.
GAME_WAIT_MS = 1000  # the longest the game task sleeps, so that it reports in time
NOTE_QUEUE_SIZE = 16
COMMAND_QUEUE_SIZE = 8  # of game masters: one is done within a flash write
VAIN_WRITES_MAX = 3  # failed writes in a row after which safe mode counts in RAM
TIMERS_PER_WAKE_UP = 8  # each is a record; after a stall of hours the other tasks come between

# Journal. A segment's file is one littlefs block, from its first byte to its last.
SEGMENT_BYTES = 3900  # a new one begins when so much is written: the longest input still fits
SEGMENTS_MAX = 48  # 192 kB: about 16,000 hits not yet fetched
SHED_FROM_SEGMENTS = 42  # from here on refusals and notes are left out, and counted
FLASH_RESERVE_BYTES = 32_768  # for settings, a ruleset being replaced, and littlefs itself
BLOCK_SEARCHES_MAX = 3  # in vain, before each record goes through littlefs until the next start

# LED.
CODE_FLASH_MS = 150  # of the code that is flashed before a reset, without the app's parts

# Radio.
RADIO_WAIT_MS = 1000  # the longest the radio task waits, so that it reports in time
RADIO_LINK_WAIT_MS = 100  # the same while linked: times of the session are that exact
RADIO_TAP_WAIT_MS = 50  # the same while a tap goes on
RADIO_SEND_WAIT_MS = 5  # there is more to send, and the others run first
# Adverts: the controller repeats one at its interval; a new one has a new count.
ADVERT_FAST_INTERVAL_MS = 100
ADVERT_FAST_FOR_MS = 5000  # after a change: fifty packets, of which a gateway hears most
ADVERT_NORMAL_INTERVAL_MS = 200  # while a timer runs, or the last change is not long ago
ADVERT_NORMAL_FOR_MS = 60_000
ADVERT_IDLE_INTERVAL_MS = 1000
ADVERT_RENEW_MS = 10_000  # a host takes one that is older for a recording
ADVERT_TIMER_RENEW_MS = 5000  # the host counts a timer down itself; this corrects it
ADVERT_TURN_MS = 300  # state and a broadcast take turns
ADVERT_GUESTS_MAX = 4  # broadcasts at a time; the oldest makes room
# The observer. One window in five: of a call of 5 s, in turns with the state, five packets are
# heard.
OBSERVE_WINDOW_MS = 60
OBSERVE_PERIOD_MS = 300
OBSERVE_SAVING_MS = 2000  # the period on a battery that is nearly empty
OBSERVE_FULL_MS = 100  # window and period while somebody waits for an answer
OBSERVE_RENEW_MS = 60_000  # a scan that ended unnoticed is begun again after so long
OBSERVE_TAKE_MS = 50  # between two looks at what was heard
OBSERVE_CALLS_PER_TAKE = 2  # so a forger gets no more of the processor than 40 proofs a second
OBSERVE_REMEMBERED = 16  # calls that are not looked at again
BROADCAST_FOR_MS = 5000  # how long a broadcast is passed on
# The medic's tap. State and call take turns of 300 ms, so of a call some five packets a second.
TAP_WANTED_MS = 8000  # a patient calls for so long: time for two or three gestures of the medic
TAP_CALLING_TIMES = 8  # its light, a second each
TAP_PICK_MS = 8000  # a medic's badge looks for a patient for so long
TAP_LISTEN_MS = 1000  # after the first call it waits for those of others
TAP_OFFER_MS = 3000
TAP_RESULT_MS = 3000
AUTH_NOTE_MS = 60_000  # refused proofs are journalled this often at most
RADIO_RETRY_FIRST_MS = 250  # doubles with each failure
RADIO_RETRY_LONGEST_MS = 30_000
RADIO_FAULT_FAILURES = 3  # starts or adverts refused in a row before the FAULT flag is shown
RADIO_RESTART_FAILURES = 6  # adverts refused in a row: the controller is switched off and on
CLOSE_TIMEOUT_MS = 2000  # for the controller to say that a link is gone
BLOCKED_TIMEOUT_MS = 10_000  # the stack had no room for so long: the peer is gone
BURST_NOTIFICATIONS = 12  # sent before the radio task lets the others run

# Updates over the air.
UPLOAD_IDLE_MS = 20_000  # then the upload waits on the flash, and its modules leave the memory
UPLOAD_FLUSH_BYTES = 4096  # a block: what a reset can take back of an upload
UPLOAD_RESTART_MS = 1500  # for the answer to reach the host, and the notes the journal

# Power. Marks: docs/power.md. The converter is good for some 50 mV of the cell.
BATTERY_PERIOD_MS = 10_000
BATTERY_REST_MS = 200  # after the motor ran the cell recovers
BATTERY_FORCED_MS = 60_000  # a motor that never rests is no reason not to know
BATTERY_LOW_MV = 3700
BATTERY_FINE_MV = 3800  # 100 mV of hysteresis: jitter of 60 mV gives one warning, not fifty
BATTERY_CRITICAL_MV = 3500
BATTERY_BETTER_MV = 3600
BATTERY_EMPTY_MV = 3300  # less is no cell, or one that protects itself
POWER_PERIOD_MS = 1000
OFF_WARNING_MS = 10_000
SLEEP_NOTE_MS = 2000  # for the journal to take the note of a sleep

# Sleep.
TRANSPORT_PATH = "/transport"  # is there while transport mode is on
WOKEN_PATH = "/transport.woke"  # is there until the waking is in the journal
AWAKE_AFTER_INPUT_MS = 10_000
# Each light sleep cuts the USB port off, so a host that is plugged in can only be seen in a time
# that has none: long enough for it to notice the badge and send its first frames.
USB_LOOK_PERIOD_MS = 10_000
USB_LOOK_MS = 1000
USB_GONE_MS = 1500  # a host sends a frame each millisecond
LIGHT_SLEEP_SHORTEST_MS = 3  # falling asleep and waking take about one
TRANSPORT_HOLD_MS = 3000
TRANSPORT_WINDOW_MS = 5000  # after a reset, for a technician's Ctrl-C or a hold to begin
RELEASE_WAIT_MS = 10_000  # a button held for longer is jammed in its box
RELEASE_SHORT_MS = 1500  # the same with the watchdog running
JAMMED_SLEEP_MS = 60_000  # until it is looked at again

# Supervisor.
SUPERVISOR_PERIOD_MS = 500
SILENT_MS = 4000  # a task that has not reported for this long is named in the journal
RESTART_DELAY_MS = 100
RESTART_DELAY_SAFE_MODE_MS = 5000  # safe mode never gives up, so it must not spin
FAILURES_PER_WINDOW = 5
FAILURE_WINDOW_MS = 60_000
WATCHDOG_MS = 8000  # longer than the worst flash stall with a full heap collection on top
WATCHDOG_PROMPT_MS = 600_000  # for a technician at the prompt, where nobody feeds

# Boot.
FAILED_BOOTS_MAX = 3
FAILED_BOOTS_NO_RADIO = 6  # when safe mode keeps failing, the radio is the suspect
HEALTHY_AFTER_MS = 10_000  # a boot that came this far has not failed

# Self-test. A badge runs it once after an installation, before the game.
SELF_TEST_PATH = "/selftest"
SELF_TEST_STEP_MS = 20_000  # for a technician to press the button or to knock the sensor
SELF_TEST_BLINK_MS = 250
SELF_TEST_POLL_MS = 10
SELF_TEST_CONFIRM_MS = 300
SELF_TEST_RELEASE_MS = 3000  # for the finger to leave the button
SELF_TEST_FLASH_CHUNKS = 20  # of 250 bytes: more than one block, so that one is erased
SELF_TEST_FLASH_MAX_MS = 1000  # a block's erase takes 80 ms, now and then 400
SELF_TEST_BATTERY_MAX_MV = 4400  # a full cell on its charger, and the divider's tolerance

# Memory. Collecting early and often keeps the free heap in large pieces; main.py begins with half
# of this, since imports leave the most holes (measured: 192 kB are too few without, 178 do with).
GC_THRESHOLD_BYTES = 8192
HEAP_FIRST_LOOK_MS = 600_000  # a badge that is short from the start is not always starting
HEAP_LOOK_MS = 60_000
HEAP_NOTE_MS = 2000
UPLOAD_BLOCK_BYTES = 16 * 1024  # of the system, in one piece: below it Bluetooth starves
UPLOAD_AND_TAP_BYTES = 26 * 1024  # free for Python: then an update and a tap fit side by side
