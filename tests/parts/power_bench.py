"""What the power task needs of a badge, without the badge."""

from redband_badge.bounded_queue import BoundedQueue
from redband_badge.power_task import PowerTask
from redband_badge.state import BadgeState
from redband_core import numbers
from redband_hal.event_loop import Wakeup

MINUTE_MS = 60_000


class Options:
    impact = 0
    auto_off_min = 60


class GameJournal:
    """A game; `deadline_ms`: of its next timer, -1 for none."""

    def __init__(self):
        self.deadline_ms = -1
        self.engine = self

    def next_deadline_ms(self):
        return self.deadline_ms


class Inputs:
    """Contacts that nobody touches."""

    def is_quiet(self):
        return True


class Badge:
    """What the power task needs of a Badge."""

    inputs = Inputs()
    boot = store = lights = None

    def __init__(self):
        self.state = BadgeState()
        self.options = Options()
        self.options.auto_off_min = 60
        self.reason = 0
        self.note_queue = BoundedQueue(16, Wakeup())
        self.game_journal = GameJournal()
        self.has_radio = True
        self.root = ""

    def sleep_parts(self):
        """Return what light_sleep.install takes."""
        feels_blows = self.options.impact != numbers.IMPACT_OFF
        return self.state, self.inputs, self.has_radio, feels_blows

    def notes(self):
        """Return the notes so far, and take them."""
        found = []
        while self.note_queue.front() is not None:
            found.append(self.note_queue.front())
            self.note_queue.remove_front()
        return found


class Cell:
    """A battery whose voltage the test sets; counts measurements."""

    def __init__(self, millivolts=4000):
        self.millivolts = millivolts
        self.count = 0

    def read_mv(self):
        self.count += 1
        return self.millivolts


def make_task(cell=None):
    badge = Badge()
    rest = (badge.state, badge.game_journal, badge.options.auto_off_min, badge)
    task = PowerTask(cell or Cell(), *rest)
    task._uptime.start(0)
    return badge, task
