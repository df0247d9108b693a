"""The process of one virtual badge, before it becomes MicroPython.

Run as a script (`python -I -S launcher.py SITE_DIRECTORY micropython-arguments...`), never
imported. Guarantee: the pseudo-terminal on its standard input becomes its controlling terminal,
so that the kernel ends it (SIGHUP) when the owner dies in whatever way; signals have their default
meaning even below `nohup`.
"""

import fcntl
import signal
import sys
import termios

fcntl.ioctl(0, termios.TIOCSCTTY, 0)
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)
sys.path.append(sys.argv.pop(1))

import micropython_unix  # noqa: E402 (found only now)

sys.exit(micropython_unix.main())
