"""What the ESP32 port calls the block device under its file system; set by the runner."""

bdev = None
