"""A contact as the firmware meets it: interrupts that come late or not at all, and looks.

Stands for redband_hal.inputs.Contact where there is no pin; tests/field plays the same tables
on the real one. Times in microseconds unless a name says ms.
"""

from redband_core import limits
from redband_core.hit_filter import PRESS, HitFilter

MERGE_US = 8  # edges closer than this are one interrupt: its flag is one bit
REST_US = (limits.HOLD_MS + limits.TAP_GAP_MS) * 1000  # as input_task.REST_MS


class Machine:
    """How busy the interpreter is.

    latency_us: from an edge to its handler. phase_us: of looks each 10 ms; None: looks as the
    input task makes them, woken by an edge. lost: each n-th handler is lost, 0 for none.
    blocked: (from, to) in which nothing runs.
    """

    def __init__(self, latency_us=60, phase_us=0, lost=0, blocked=()):
        self.latency_us = latency_us
        self.phase_us = phase_us
        self.lost = lost
        self.blocked = blocked

    def runs_at(self, at_us):
        for begin_us, end_us in self.blocked:
            if begin_us <= at_us < end_us:
                return end_us
        return at_us


def handlers(edges, machine):
    """Return [(when it runs, level it reads, is late)] of the interrupts that come through."""
    found = []
    last_us = -MERGE_US
    number = 0
    for edge_us in edges:
        if edge_us - last_us < MERGE_US:
            continue
        last_us = edge_us
        run_us = machine.runs_at(edge_us + machine.latency_us)
        waiting = 0
        for other_us, _level, _is_late in found:
            if other_us > edge_us:
                waiting += 1
        number += 1
        if waiting >= limits.EDGE_QUEUE_DEPTH or (machine.lost and number % machine.lost == 0):
            continue
        is_late = run_us - edge_us - machine.latency_us >= limits.HANDLER_LATE_MS * 1000
        found.append((run_us, level_at(edges, run_us), is_late))
    return found


def level_at(edges, at_us):
    """Return whether the contact is closed at a time."""
    count = 0
    for edge_us in edges:
        if edge_us > at_us:
            break
        count += 1
    return count % 2 == 1


def latch(ran, look_us):
    """Return (edges, first ms, last ms, seen ms) of the handlers that ran since the last look."""
    if not ran:
        return 0, 0, -1, -1
    closed = [run_us for run_us, level, _is_late in ran if level]
    last_us, last_level, _is_late = ran[-1]
    seen_ms = 0
    if closed:
        end_us = look_us if last_level else last_us
        seen_ms = max(1, end_us // 1000 - closed[0] // 1000)
    if [one for one in ran if one[2]]:
        seen_ms = -1
    return len(ran), ran[0][0] // 1000, last_us // 1000, seen_ms


def new_filter(contact):
    """Return the filter that the input task uses for the contact."""
    if contact == "button":
        times_ms = (limits.BUTTON_SETTLE_MS, limits.BUTTON_REFRACTORY_MS)
        return HitFilter(*times_ms, limits.STUCK_MS, limits.BUTTON_CONTACT_MS)
    times_ms = (limits.IMPACT_SETTLE_MS, limits.IMPACT_REFRACTORY_MS)
    return HitFilter(*times_ms, limits.STUCK_MS, limits.IMPACT_CONTACT_MS)


def hits(contact, edges, machine):
    """Play the edges; return the ms of the hits that counted, and the filter."""
    found = []
    hit_filter = new_filter(contact)
    waiting = handlers(edges, machine)
    is_woken = machine.phase_us is None
    look_us = 0 if is_woken else machine.phase_us
    moved_us = -REST_US
    end_us = edges[-1] + 1_000_000
    while look_us <= end_us:
        ran = []
        while waiting and waiting[0][0] <= look_us:
            ran.append(waiting.pop(0))
        edge_count, first_ms, last_ms, seen_ms = latch(ran, look_us)
        level = level_at(edges, look_us)
        now_ms = look_us // 1000
        if hit_filter.sample(level, edge_count, first_ms, now_ms, last_ms, seen_ms) == PRESS:
            found.append(hit_filter.press_ms)
        if edge_count or hit_filter.is_closed:
            moved_us = look_us
        next_us = look_us + limits.INPUT_POLL_MS * 1000
        if is_woken and look_us - moved_us >= REST_US:
            next_us = look_us + limits.INPUT_IDLE_MS * 1000
            if waiting:
                woken_us = max(look_us, waiting[0][0]) + limits.INPUT_FIRST_LOOK_MS * 1000
                next_us = min(next_us, woken_us)
        look_us = machine.runs_at(next_us)
    return found, hit_filter


def longest_closed_us(edges):
    """Return for how long the contact stays closed at most."""
    return max([edges[i + 1] - edges[i] for i in range(0, len(edges) - 1, 2)])
