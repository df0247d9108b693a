"""The part of a replay that runs on both Pythons: inputs as ints in, rows of ints out.

Problem: `redband rules replay` must print the same bytes whichever interpreter ran the rules.
Guarantee: a row is (time ms, trigger, number, outcome, signal, track states..., counters..., ms
left of each track's timer...); trigger is EVENT, TIMER (number: track * 256 + state) or TIME.
It knows no names and does no input or output.
"""

EVENT = 0
TIMER = 1
TIME = 2


def steps(engine, now_ms, event_id, args):
    """Yield a row for each timer due until `now_ms`, then one for the event (-1: none)."""
    while True:
        states = [engine.track_state(track) for track in range(len(engine.ruleset.state_counts))]
        track = engine.advance_one(now_ms)
        if track < 0:
            break
        yield _row(engine, TIMER, track * 256 + states[track], 0)
    if event_id < 0:
        yield _row(engine, TIME, 0, 0)
    else:
        outcome = engine.step(now_ms, event_id, args)
        yield _row(engine, EVENT, event_id, outcome)


def _row(engine, trigger, number, outcome):
    tracks = range(len(engine.ruleset.state_counts))
    row = [engine.now_ms, trigger, number, outcome, engine.signal()]
    row.extend([engine.track_state(track) for track in tracks])
    row.extend([engine.counter(i) for i in range(engine.ruleset.counter_count)])
    row.extend([engine.timer_left_ms(track) for track in tracks])
    return row
