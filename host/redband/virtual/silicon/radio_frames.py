"""Opcodes between this badge's radio and its owner; redband/virtual/radio/badge_frames.py explains
each. A test keeps the two files equal.
"""

# Badge to owner, answered by REPLY.
POWER_ON = 0x01
POWER_OFF = 0x02
REGISTER = 0x03
ADVERTISE = 0x04
ADVERTISE_STOP = 0x05
SCAN = 0x06
SCAN_STOP = 0x07
DISCONNECT = 0x08
SET_MTU = 0x09
SET_NAME = 0x0A
PAIR = 0x0B

# Badge to owner, not answered.
NOTIFY = 0x10
INDICATE = 0x11
UPDATE = 0x12
WRITE_DONE = 0x13
READ_DONE = 0x14

# Owner to badge.
REPLY = 0x80
CONNECTED = 0x81
DISCONNECTED = 0x82
WRITTEN = 0x83
READ = 0x84
SCAN_RESULT = 0x85
SCAN_DONE = 0x86
MTU_CHANGED = 0x87
INDICATE_DONE = 0x88
ENCRYPTED = 0x89
CREDIT = 0xBF
