"""The burst tables of tests/core/data on the real Contact and input task, at every phase."""

import unittest

import alone
import bus
from bursts import BURSTS, BUTTON
from input_bench import Bench, toggle

from redband_core import gestures, limits
from redband_hal import board

HANDLER_US = 60
LEVEL, HANDLER, LOOK = range(3)


def play(contact, edges, phase_ms):
    """Return the ms of the hits that came out of the input task."""
    bench = Bench()
    pin = board.PIN_BUTTON if contact == BUTTON else board.PIN_IMPACT
    moments = []
    for edge_us in edges:
        moments.append((edge_us, LEVEL))
        moments.append((edge_us + HANDLER_US, HANDLER))
    for look_ms in range(phase_ms, edges[-1] // 1000 + 1000, limits.INPUT_POLL_MS):
        moments.append((look_ms * 1000, LOOK))
    for at_us, kind in sorted(moments):
        alone.stall_until(bench.start_us + at_us)
        if kind == LEVEL:
            toggle(pin)
        elif kind == HANDLER:
            bus.dispatch()
        else:
            bench.look()
    wanted = gestures.PRESS if contact == BUTTON else gestures.IMPACT
    return [ms for code, _presses, ms in bench.taken() if code == wanted]


class Test(unittest.TestCase):
    def test_every_burst_gives_its_hits_at_every_phase(self):
        for name, contact, edges, expected in BURSTS:
            for phase_ms in range(limits.INPUT_POLL_MS):
                found = play(contact, edges, phase_ms)
                self.assertEqual(len(found), len(expected), "%s %r" % (name, found))
                for index in range(len(found)):
                    earliest_ms, latest_ms = expected[index]
                    what = "%s, phase %d: %r" % (name, phase_ms, found)
                    self.assertTrue(earliest_ms <= found[index] <= latest_ms + 1, what)
