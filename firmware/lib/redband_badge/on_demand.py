"""Modules that are in the memory only while somebody needs them: the one table of them.

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

# The first of a group is what `with` gives; names are below redband_.
BOOT_BEGIN = "badge.boot_begin"
LOADING = "badge.loading"
SETTINGS = "badge.settings core.settings_check"
RULESET_READER = "core.ruleset_reader core.expression_reader"
RECOVERY = "badge.journal_recovery core.segment_reader"
WAKE_CHECK = "badge.sleep"
RADIO_PARTS = "badge.radio_parts"
POWER_PARTS = "badge.power_parts"
SELF_TEST = "badge.self_test"
STATUS = "badge.status"
HEAP_KEEPER = "badge.heap_keeper"
DEEP_SLEEP = "badge.deep_sleep"
LINK = (
    "badge.link badge.journal_pages "
    "core.session core.log_stream core.log_frames core.proofs core.frames core.info"
)
COMMANDS = "badge.commands core.broadcasts"
EMERGENCY = "badge.emergency"
HOST_COMMANDS = "badge.host_commands badge.commands core.broadcasts core.command_frames"
BROADCAST = "badge.broadcast badge.commands core.broadcasts core.command_frames core.opening"
TAP_GESTURES = "badge.tap_gestures core.tap"
TAP_CALLS = "badge.tap_calls badge.commands core.tap core.broadcasts core.opening"
TAP_RECORDS = "badge.tap_records core.tap"
UPDATE = "badge.update badge.staging core.upload"
UPDATE_CHECK = (
    "badge.update_check badge.settings core.settings_check "
    "core.ruleset_reader core.expression_reader core.upload"
)
TRIAL = "badge.trial badge.staging core.upload"

_needed = []  # groups that are needed now, as often as they are


class Needed:
    """Somebody's need of a group; see the module's text."""

    def __init__(self, group: str) -> None:
        """`group`: of this module."""
        self._group = group

    def take(self):
        """Load the group; return its first module. Raises MemoryError, with nothing loaded."""
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
