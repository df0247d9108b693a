"""Opcodes and codes of the silicon half of the bus; the host's badge.py reads this file too.

All integers little-endian. The radio's opcodes are the radio's business.
"""

# Badge to owner.
PIN_OUT = 0x41  # u8 pin, u8 level
PIN_PWM = 0x42  # u8 pin, u16 duty (0 to 65535)
WATCHDOG = 0x43  # u32 timeout_ms: start it, or give it another time
WATCHDOG_FEED = 0x44
RESET = 0x45  # no answer: the owner ends this process
DEEP_SLEEP = 0x46  # u32 ms (0: for ever), then u8 pin, u8 level for each wake pin; no answer
BREAK_TAKEN = 0x47
NVS_SAVE = 0x48  # JSON: the whole of the non-volatile store; answered by an empty reply
FLASH_CUT = 0x49  # the flash operation is reached at which the owner wants the power cut

# Owner to badge.
REPLY = 0xC0
PIN_DRIVE = 0xC1  # u8 pin, u8 level driven from outside (0, 1, or OPEN)
ADC_MV = 0xC2  # u8 pin, u16 mV at the pin
BREAK = 0xC3  # Ctrl-C on the USB port while a program runs
BREAK_CANCEL = 0xC4  # the owner has interrupted the program in another way

OPEN = 0xFF  # nothing outside drives the pin: its own pull decides

# machine.reset_cause() of an ESP32.
PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
SOFT_RESET = 5

# machine.wake_reason() of an ESP32-C3.
PIN_WAKE = 7
TIMER_WAKE = 4
