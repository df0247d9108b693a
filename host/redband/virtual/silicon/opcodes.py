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
FLASH_CUT = 0x49  # the flash operation is reached at which the owner wants the power cut
PULSE_DONE = 0x4A  # u16 id of the pulse or motion that is over, its rest too
SENSOR_REGISTERS = 0x4B  # all registers of the accelerometer, which a reset of the chip leaves
FLASH_COUNTS = 0x4C  # u32 bytes programmed, u32 programs, u32 blocks erased since the start
LIGHT_SLEEP = 0x4D  # begins, with the radio on
PIN_HOLD = 0x4E  # u8 pin, u8 1: it keeps its level through all but a lost supply; 0: no more
REST = 0x4F  # u64 us until which nothing happens here, u32 frames taken, u16 of them not handled
PROMPT = 0x50  # the program is over; the next thing that is printed is the prompt

# Owner to badge.
REPLY = 0xC0
PIN_DRIVE = 0xC1  # u8 pin, u8 level driven from outside (0, 1, or OPEN); ends the pin's pulses
ADC_MV = 0xC2  # u8 pin, u16 mV at the pin
BREAK = 0xC3  # Ctrl-C on the USB port while a program runs
BREAK_CANCEL = 0xC4  # the owner has interrupted the program in another way
PIN_PULSE = 0xC5  # u16 id, u8 pin, (u32 us to wait, u8 level driven then) each, u32 us of rest
MOTION = 0xC6  # u16 id, (u32 us from its begin, i16 x, i16 y, i16 z in mg) each
SENSOR_FAULT = 0xC7  # u8 errno that every transfer to the accelerometer fails with, 0 for none
FLASH_FAULTS = 0xC8  # as redband.virtual.flash_faults packs them
FLASH_ASK = 0xC9  # asks for FLASH_COUNTS
USB_HOST = 0xCA  # u8 1: somebody has the USB port open
ADC_FAULTS = 0xCB  # as redband.virtual.battery packs them
GO = 0xCC  # u64 us: the owner's time, u16: so many frames follow with it

NEVER = 0xFFFFFFFF  # of counts
OPEN = 0xFF  # nothing outside drives the pin: its own pull decides

# machine.reset_cause() of an ESP32.
PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
SOFT_RESET = 5

# machine.wake_reason() of an ESP32-C3.
GPIO_WAKE = 7
TIMER_WAKE = 4
