"""Opcodes of the radio frames between a virtual badge and its owner (see silicon/bus.py).

silicon/radio_frames.py holds the same numbers, since MicroPython cannot import this file;
a test compares the two. Integers are little-endian; an address is 6 bytes as printed, first the
most significant; a handle is u16. A reply (0x80) is u8 error number (0 = done), then the answer.
"""

# Badge to owner, answered by REPLY.
POWER_ON = 0x01  # u16 preferred MTU -> address, u8 credits
POWER_OFF = 0x02
REGISTER = 0x03  # the service table (gatt_table.py) -> u16 handles in its order
ADVERTISE = 0x04  # u32 interval in us, u8 connectable, u8 length, advert, scan response
ADVERTISE_STOP = 0x05
SCAN = 0x06  # u32 duration in ms, u32 interval in us, u32 window in us, u8 active
SCAN_STOP = 0x07
DISCONNECT = 0x08  # u16 connection
SET_MTU = 0x09  # u16
SET_NAME = 0x0A  # the GAP device name
PAIR = 0x0B  # u16 connection

# Badge to owner, not answered.
NOTIFY = 0x10  # u16 connection, u16 handle, value; costs a credit
INDICATE = 0x11  # the same
UPDATE = 0x12  # u16 handle, value: to every subscriber (gatts_write with send_update)
WRITE_DONE = 0x13  # u16 number of the request
READ_DONE = 0x14  # u16 number, u8 ATT error (0 = readable), value

# Owner to badge.
REPLY = 0x80
CONNECTED = 0x81  # u16 connection, u8 address type, address
DISCONNECTED = 0x82  # the same
WRITTEN = 0x83  # u16 number of the request, u16 connection, u16 handle, value
READ = 0x84  # u16 number, u16 connection, u16 handle
SCAN_RESULT = 0x85  # u8 address type, address, u8 advert type, i8 RSSI, data
SCAN_DONE = 0x86
MTU_CHANGED = 0x87  # u16 connection, u16 MTU
INDICATE_DONE = 0x88  # u16 connection, u16 handle, u8 status
ENCRYPTED = 0x89  # u16 connection, u8 encrypted, authenticated, bonded, key size in bytes
CREDIT = 0xBF  # u8 packets that have left the stack
