"""Name the machine a measurement ran on, so that a figure is never without it."""

import os
import platform
from pathlib import Path


def describe() -> str:
    """Return processor, cores, memory, system and Python in one line."""
    cpu = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    release = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    python = platform.python_version()
    return f"{cpu}, {os.cpu_count()} cores, {memory_gib:.0f} GiB, {release}, Python {python}"
