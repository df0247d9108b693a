"""A player in a test: events and states by name, times in readable units, on both Pythons."""

import sys

from redband_core.engine import Engine
from redband_core.ruleset import Ruleset

HERE = "/".join(__file__.split("/")[:-1])
S = 1000
MIN = 60 * S


def compiled(ruleset_id):
    """Return the compiled bytes of a shipped ruleset."""
    with open(HERE + "/" + ruleset_id + ".bin", "rb") as file:
        return file.read()


class Player:
    """One engine with names. `do` gives the refusal's name or "applied"."""

    def __init__(self, ruleset_id="hits", **params):
        if HERE not in sys.path:
            sys.path.append(HERE)
        self.names = __import__(ruleset_id + "_names")
        self.ruleset = Ruleset.from_bytes(compiled(ruleset_id))
        values = list(self.ruleset.defaults())
        for name in params:
            values[self.names.PARAMS.index(name)] = params[name]
        self.engine = Engine(self.ruleset, values)

    def do(self, event, *args):
        """Send an event now."""
        number = self.names.EVENTS.index(event)
        return self.names.REFUSALS[self.engine.step(self.engine.now_ms, number, args)]

    def wait(self, ms):
        """Let time pass; return how many timers fired."""
        return self.engine.advance(self.engine.now_ms + ms)

    def state(self, track="health"):
        """Return the name of the track's state."""
        number = self.names.TRACKS.index(track)
        return self.names.STATES[number][self.engine.track_state(number)]

    def count(self, counter="hits"):
        """Return the counter's value."""
        return self.engine.counter(self.names.COUNTERS.index(counter))

    def left(self, track="health"):
        """Return ms left of the track's timer."""
        return self.engine.timer_left_ms(self.names.TRACKS.index(track))

    def view(self):
        """Return all that can be seen of the state."""
        engine = self.engine
        tracks = range(len(self.names.TRACKS))
        return (
            engine.now_ms,
            [engine.track_state(track) for track in tracks],
            [engine.counter(index) for index in range(len(self.names.COUNTERS))],
            [engine.timer_left_ms(track) for track in tracks],
            engine.signal(),
        )

    def signal(self):
        """Return the name of the signal."""
        return self.names.SIGNALS[self.engine.signal()]

    def lights(self):
        """Return (red, green, vibration) pattern codes."""
        return self.ruleset.signals[self.engine.signal()]
