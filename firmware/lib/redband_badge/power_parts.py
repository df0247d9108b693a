"""Puts power and sleep to a badge, for the app and for safe mode alike. Leaves the memory
then.
"""

from redband_badge.power_task import PowerTask, SleepParts
from redband_core import numbers
from redband_hal.battery import Battery


def install_sleep(badge):
    """Let the event loop of a badge sleep lightly; return its Sleeper."""
    from redband_badge import light_sleep  # costs a badge whose radio is always on nothing

    feels_blows = badge.options.impact != numbers.IMPACT_OFF
    return light_sleep.install(badge.state, badge.inputs, badge.has_radio, feels_blows)


def add_power(badge, supervisor) -> None:
    """Add the power task to the supervisor."""
    parts = SleepParts(
        badge.root, badge.boot, badge.store, badge.note_queue, badge.lights, badge.has_radio
    )
    task = PowerTask(Battery(), badge.state, badge.game_journal, badge.options.auto_off_min, parts)
    supervisor.add(numbers.TASK_POWER, task.run)
    if badge.reason:
        return  # safe mode never sleeps lightly: it only saves current
    badge.state.sleep_refusal = numbers.AWAKE_ADVERTISING
    if not badge.has_radio:
        install_sleep(badge)
