"""Transport mode: the badge sleeps in its box until its button is held for three seconds.

Guarantee: a shorter press, or one in a box that is jammed, lights nothing and lets it sleep on;
game time stops meanwhile. A badge that its button could not wake never begins. The work is
in redband_badge.deep_sleep, which a badge that is awake does not load.

File /transport: `1` when the journal says that the mode was entered, `0` when it does not.
"""

from redband_badge import files, limits
from redband_badge.on_demand import DEEP_SLEEP, Needed
from redband_core import numbers


def wake_check(root: str) -> bool:
    """Return True when the badge may start. Call it first of all.

    In transport mode it sleeps again, or, when it was woken, starts the chip anew: then it does
    not return.
    """
    try:
        if files.read_bytes(root + limits.TRANSPORT_PATH) is None:
            return True
    except OSError:
        return True  # a flash that can't be read is a reason to start and to say so
    with Needed(DEEP_SLEEP) as deep_sleep:
        return deep_sleep.stay_asleep(root)


def enter_transport(state) -> bool:
    """Ask the badge to enter transport mode, a moment later: an answer may still be sent.

    Returns False, and asks for nothing, when its button could not wake it.
    """
    from redband_hal import power

    if not power.can_wake():
        return False
    state.sleep_request = numbers.SLEEP_TRANSPORT
    return True


def begin_transport(root: str = "") -> bool:
    """Enter transport mode from the prompt, where no badge runs. Raises OSError.

    Returns False when the button could not wake the badge; else the chip starts anew and sleeps
    after TRANSPORT_WINDOW_MS, in which Ctrl-C still stops it.
    """
    from redband_hal import power, system

    if not power.can_wake():
        return False
    files.replace(root + limits.TRANSPORT_PATH, b"0")
    system.reset()
    return True
