"""Modules that are in the memory only while somebody needs them.

Problem: a chip has no room for all that a badge can do, only for what it does all the time. Use:

    with Needed(STATUS) as status:
        status.answer(...)

or take() and end(), for what lasts. Guarantee: what is loaded gets a heap that was collected, so
that it lies in one piece; a module leaves when the last of the groups that need it has ended.
Nothing that stays in the memory may import one of these at its top (a test holds that).
"""

import gc
import sys

from redband_hal import system

# A group's name is its first module's: what `with` gives.
BOOT_BEGIN = "boot_begin"
LOADING = "loading"
SETTINGS = "settings"
RULESET_READER = "ruleset_reader"
RECOVERY = "journal_recovery"
WAKE_CHECK = "sleep"
RADIO_PARTS = "radio_parts"
POWER_PARTS = "power_parts"
SELF_TEST = "self_test"
STATUS = "status"
HEAP_KEEPER = "heap_keeper"
DEEP_SLEEP = "deep_sleep"
LINK = "link"
COMMANDS = "commands"
EMERGENCY = "emergency"
HOST_COMMANDS = "host_commands"
BROADCAST = "broadcast"
TAP_GESTURES = "tap_gestures"
TAP_CALLS = "tap_calls"
TAP_RECORDS = "tap_records"
UPDATE = "update"
UPDATE_CHECK = "update_check"
TRIAL = "trial"

_needed = []  # groups that are needed now, as often as they are


class Needed:
    """Somebody's need of a group; see the module's text."""

    def __init__(self, group: str) -> None:
        """`group`: of this module."""
        self._name = group
        self._group = ""

    def take(self):
        """Load the group; return its first module. Raises MemoryError, with nothing loaded."""
        if not self._group:
            from redband_badge import on_demand_groups

            self._group = on_demand_groups.GROUPS[self._name]
            system.forget("redband_badge.on_demand_groups")
        name = "redband_" + self._group.split()[0]
        _needed.append(self._group)
        if name not in sys.modules:
            gc.collect()
            try:
                __import__(name)
            except MemoryError:
                self.end()
                raise
        return sys.modules[name]

    def end(self) -> None:
        """Let the group's modules leave, but for those that others need."""
        _needed.remove(self._group)
        kept = " ".join(_needed).split()
        for name in self._group.split():
            if name not in kept:
                system.forget("redband_" + name)

    __enter__ = take

    def __exit__(self, *_error) -> None:
        self.end()
