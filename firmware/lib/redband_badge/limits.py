"""Every tunable number of the app, with its unit and its reason.

Those of inputs and checkpoints stand in redband_core.limits.
"""

FIRMWARE_VERSION = "0.1.0"

# Inputs.
INPUT_QUEUE_SIZE = 32  # two seconds of the fastest pressing, while a flash write stalls

# Game.
GAME_WAIT_MS = 1000  # the longest the game task sleeps, so that it reports in time
NOTE_QUEUE_SIZE = 16

# Journal. A segment fills one littlefs block, so that appending copies half a block on average.
SEGMENT_BYTES = 4000
SEGMENTS_MAX = 48  # 192 kB: about 12,000 hits not yet fetched
SHED_FROM_SEGMENTS = 42  # from here on refusals and notes are left out, and counted
FLASH_RESERVE_BYTES = 32_768  # for settings, a ruleset being replaced, and littlefs itself
# The tail is a file that littlefs keeps inside the directory (up to 128 bytes with the ESP32's
# cache), where an append erases no block: measured 186 erases per 1000 events, against 980.
TAIL_BYTES = 120

# LED.
LED_REFRESH_MS = 1000  # one corrupted output heals itself
ACKNOWLEDGE_MS = 50  # a counted hit blinks both LEDs; 12 hits a second leave a gap between
CODE_PERIOD_MS = 8000
CODE_FLASH_MS = 150

# Radio.
RADIO_IDLE_POLL_MS = 50  # only a connect waits for it; each wake-up costs an idle badge
RADIO_CONNECTED_POLL_MS = 5
ADVERT_INTERVAL_MS = 200
ADVERT_REFRESH_MS = 1000  # while a timer runs
RADIO_RETRY_FIRST_MS = 250  # doubles with each failure
RADIO_RETRY_LONGEST_MS = 30_000
RADIO_FAULT_FAILURES = 3  # starts or adverts refused in a row before the FAULT flag is shown
CLOSE_TIMEOUT_MS = 2000  # for the controller to say that a link is gone
BLOCKED_TIMEOUT_MS = 10_000  # the stack had no room for so long: the peer is gone
BURST_NOTIFICATIONS = 12  # sent before the radio task lets the others run

# Power.
BATTERY_PERIOD_MS = 10_000
BATTERY_LOW_MV = 3500
BATTERY_FINE_MV = 3600  # 100 mV of hysteresis: jitter of 60 mV gives one warning, not fifty
BATTERY_EMPTY_MV = 3300
BATTERY_FULL_MV = 4150

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

# Memory. Collecting early and often keeps the free heap in large pieces; main.py begins with half
# of this, since imports leave the most holes (measured: 192 kB are too few without, 178 do with).
GC_THRESHOLD_BYTES = 8192
