"""What the ESP32 port calls the block device under its file system; a test sets it."""

bdev = None
