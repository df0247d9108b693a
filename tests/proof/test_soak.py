"""A weekend on one battery and many pulls, in the heap that an ESP32 leaves free beside Bluetooth.

48 hours of virtual time, 5,000 presses and blows, 300 syncs, 20 pulled batteries, on the real
MicroPython and the real littlefs, with the program that ships (see programs/soak_badge.py). The
battery is pulled often at first and at the end; thirty hours in between are one life.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.proof.soak_host import (
    HEAP_BYTES,
    BadgeProcess,
    Host,
    Memory,
    bench_bytes,
    make_badge,
)
from tests.support import proof

from redband import rules
from redband_core import gestures, journal, numbers
from redband_core.engine import Engine
from redband_core.limits import CHECKPOINT_MS
from redband_core.ruleset import Ruleset
from redband_core.ruleset_codes import VOID

HOUR_MS = 3_600_000
GAME_HOURS = proof.of(48, 18)
EARLY_HOURS = proof.of(10, 3)
LONG_LIFE_HOURS = proof.of(30, 12)
PULLS = 20
INPUTS = proof.of(5000, 1000)
SYNCS = proof.of(300, 100)
STRIDE_MS = 3000
FLAT_BYTES = 1024
"""What may come and go from hour 2 on: a page of the journal, a handful of records."""
SAMPLES = 3
"""An hour: one now and then holds a dead object, the least of them does not."""
FLOOR_HOURS = proof.of(6, 4)
"""At the beginning and at the end of the long life."""
LARGEST_BYTES = 4096
"""One piece of at least this must stay free; the program asks for 1.1 kB at most at a time."""
FREE_BYTES = 12 * 1024
MANY_HITS = str(Path(__file__).parents[2] / "tools" / "bench" / "many_hits.toml")
PARAMS = {MANY_HITS: (250, 24 * HOUR_MS, 900_000, 1_500_000, 60_000, 15_000, 5, 0, 0)}
"""A player of the hits rules who is not dead for good after the first hour."""
FINAL = {"exclude", "foul", "sudden", "trauma", "place"}
"""Words of a marshal that end the game for a player."""
IMPACTS_IGNORED = 42  # of redband_badge.notes
ENDS = {"dead", "excluded"}
WRAP_TICKS = 1 << 30
BURST = 12  # contacts that come together
BETWEEN_MS = 700  # longer than the gap that ends a row of taps


@dataclass
class Game:
    """What happened to the badge, by our own count. `words`: events that others tell it; `ends`:
    signals of a player for whom the game is over.
    """

    ruleset: Ruleset
    words: list[int]
    ends: set[int]
    given: Counter = field(default_factory=Counter)
    contacts: int = 0
    syncs: int = 0
    lost_ms: int = 0
    powered_ms: int = 0
    memory: list[list[Memory]] = field(default_factory=list)

    def count(self, code: int, times: int = 1) -> None:
        """Remember inputs of a gesture code that the badge has to compare."""
        bound = self.ruleset.gesture_event(code)
        if bound is not None:
            self.given[bound] += times


def lives(rng: random.Random) -> list[tuple[int, int]]:
    """Return (first ms, last ms) of each life; the times between are without power."""
    early_ms = EARLY_HOURS * HOUR_MS
    late_ms = early_ms + LONG_LIFE_HOURS * HOUR_MS
    cuts = sorted(rng.sample(range(300_000, early_ms, 1000), 13)) + [early_ms, late_ms]
    cuts += sorted(rng.sample(range(late_ms + 300_000, GAME_HOURS * HOUR_MS - 300_000, 1000), 5))
    starts = [0] + [cut + rng.randrange(1000, 120_000) for cut in cuts]
    return [
        (start, max(start + 10_000, end))
        for start, end in zip(starts, [*cuts, GAME_HOURS * HOUR_MS], strict=True)
    ]


def act(badge: BadgeProcess, game: Game, rng: random.Random, most: int) -> None:
    """Let one thing happen to the wearer: `most` contacts at most."""
    kind = rng.random()
    if kind < 0.6:
        count = min(most, rng.randrange(1, 24))
        badge.say(f"press {rng.randrange(30, 90)} {rng.randrange(70, 150)} {count}")
    elif kind < 0.9 or most < 7:
        count = min(most, rng.randrange(1, 4))
        badge.say(f"shake 20 {rng.randrange(1200, 2500)} {count}")
        game.count(gestures.IMPACT, count)
        game.contacts += count
        return
    else:
        taps = rng.choice((0, 2, 3, 4))  # five are a real emergency
        if taps:
            badge.say(f"press 60 90 {taps}")
        badge.say("press 1700 0 1")
        game.count(gestures.TAPS_HOLD + taps if taps else gestures.HOLD)
        count = taps + 1
    game.count(gestures.PRESS, count)
    game.contacts += count
    badge.say(f"listen {BETWEEN_MS}")


def tell(badge: BadgeProcess, game: Game, rng: random.Random) -> None:
    """Let a medic or marshal say something that the rules allow now and that nobody dies of."""
    game_ms, snapshot = badge.say("state")[0].split()
    event, args = 0, ()
    for event in rng.sample(game.words, len(game.words)):
        ranges = game.ruleset.arg_ranges[event]
        args = tuple(rng.randint(low, min(high, low + 9)) for low, high in ranges)
        engine = Engine(game.ruleset)
        engine.restore(bytes.fromhex(snapshot))
        if not engine.step(int(game_ms), event, args) and engine.signal() not in game.ends:
            break
    badge.say(" ".join(map(str, ("word", event, *args))))
    game.given[event, args] += 1


class Life:
    """One life of the badge between two pulls."""

    def __init__(
        self, badge: BadgeProcess, game: Game, host: Host, start_ms: int, ticks_ms: int
    ) -> None:
        """`start_ms`: the test's time at power-on. `ticks_ms`: what the badge's clock showed."""
        self.badge, self.game, self.host = badge, game, host
        self._offset_ms = start_ms - ticks_ms
        now_ms, game_ms, *_ = self.check()
        self._on_ms = ticks_ms
        self.first_game_ms = game_ms - (now_ms - ticks_ms)

    def check(self) -> list[int]:
        """Return the badge's clock, its game time, LED code, newest record, times fed."""
        return [int(word) for word in self.badge.say("check")[0].split()]

    def powered_ms(self) -> int:
        """Return the time since power-on, after looking whether the game's went with it."""
        now_ms, game_ms, code, *_ = self.check()
        assert code == 0, self.badge.printed[-20:]
        assert game_ms - self.first_game_ms == now_ms - self._on_ms, "the game clock drifts"
        return now_ms - self._on_ms

    def now_ms(self) -> int:
        """Return the test's time."""
        return self.powered_ms() + self._on_ms + self._offset_ms

    def until(self, at_ms: int) -> None:
        """Let the time pass."""
        left_ms = at_ms - self.now_ms()
        if left_ms > 0:
            self.badge.say(f"idle {left_ms}")

    def live(self, end_ms: int, inputs: int, syncs: int, rng: random.Random) -> None:
        """Play until `end_ms`, with so many contacts and syncs."""
        start_ms = self.now_ms()
        span_ms = max(1, end_ms - start_ms - 60_000)
        bursts = max(1, inputs // BURST)
        times = [(start_ms + rng.randrange(span_ms), "act") for _ in range(bursts)]
        times += [(start_ms + rng.randrange(span_ms), "sync") for _ in range(syncs)]
        first_hour_ms = start_ms - start_ms % HOUR_MS + HOUR_MS
        times += [(at_ms, "hour") for at_ms in range(first_hour_ms, end_ms, HOUR_MS)]
        self.game.memory.append([])
        before, done = self.game.contacts, 0
        for at_ms, what in sorted(times):
            self.until(at_ms)
            if what == "act":
                done += 1
                goal = before + inputs * done // bursts
                while self.game.contacts < goal:
                    for _ in range(rng.randrange(1, 5)):
                        tell(self.badge, self.game, rng)
                    act(self.badge, self.game, rng, goal - self.game.contacts)
            elif what == "sync":
                if rng.random() < 0.1:
                    self.host.sync(self.badge, stop_after_frames=3)  # the host walks off
                self.host.sync(self.badge)
                self.game.syncs += 1
            else:
                self.game.memory[-1].append(self.least())
        self.until(end_ms)

    def least(self) -> Memory:
        """Return the sample of this hour with the least in use."""
        samples = []
        for _ in range(SAMPLES):
            # What could still be taken back leaves the memory first, as it does in a snapshot.
            self.badge.say("listen 15000")
            self.badge.say("state")
            samples.append(self.badge.memory())
        return min(samples, key=lambda one: one.used)

    def engine(self) -> Engine:
        """Return the badge's engine, at its present time."""
        _ms, snapshot = self.badge.say("state")[0].split()
        engine = Engine(self.game.ruleset)
        engine.restore(bytes.fromhex(snapshot))
        return engine


@pytest.mark.proof
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", proof.of(["wounds_hospital", MANY_HITS], ["wounds_hospital"]))
def test_R16_weekend_with_5000_inputs_300_syncs_and_20_pulls_in_the_heap_of_an_esp32(
    tmp_path: Path, name: str
):
    rng = random.Random(16)
    make_badge(tmp_path, name, PARAMS.get(name, ()))
    heap_bytes = HEAP_BYTES + bench_bytes(tmp_path)
    loaded = rules.load(name)
    ruleset = Ruleset.from_bytes(loaded.data)
    words = [number for number, event in enumerate(loaded.events) if event.name not in FINAL]
    ends = {number for number, signal in enumerate(loaded.signals) if signal.name in ENDS}
    game, host = Game(ruleset, words[1:], ends), Host(ruleset)
    spans = lives(rng)
    total_ms = sum(end - start for start, end in spans)
    at_pull: tuple[int, bool] = (0, False)
    printed: list[str] = []
    wrapping = next(i for i, (start, end) in enumerate(spans) if end - start > HOUR_MS)
    for number, (start_ms, end_ms) in enumerate(spans):
        # In one life the ticks begin half an hour before they wrap.
        ticks_ms = WRAP_TICKS - HOUR_MS // 2 if number == wrapping else 0
        badge = BadgeProcess(tmp_path, heap_bytes, ticks_ms)
        life = Life(badge, game, host, start_ms, ticks_ms)
        lost_ms = at_pull[0] - life.first_game_ms
        game.lost_ms += lost_ms
        assert lost_ms >= 0
        if at_pull[1]:
            assert lost_ms <= CHECKPOINT_MS + STRIDE_MS, "more than a checkpoint was lost"
        share = sum(end - start for start, end in spans[: number + 1]) / total_ms
        life.live(
            end_ms, round(INPUTS * share) - game.contacts, round(SYNCS * share) - game.syncs, rng
        )
        is_last = number == len(spans) - 1
        if is_last or number == PULLS // 2:
            host.sync(badge)
            engine = life.engine()
            assert host.state(engine.now_ms).snapshot == engine.snapshot()
        engine = life.engine()
        at_pull = (engine.now_ms, engine.next_deadline_ms() >= 0)
        game.powered_ms += life.powered_ms()
        badge.pull()
        printed += badge.printed

    assert (len(spans) - 1, game.contacts, game.syncs) == (PULLS, INPUTS, SYNCS)
    assert not [line for line in printed if "Error" in line or "Traceback" in line]
    # Every input once; what the badge itself took back stands beside them. A blow while our own
    # motor shakes the sensor is not believed, and the journal says how many there were.
    judged = Counter(host.judged())
    judged[ruleset.gesture_event(gestures.IMPACT)] += host.noted(IMPACTS_IGNORED)
    taken_back = {key for key in judged if key[0] == VOID and key not in game.given}
    assert {key: n for key, n in judged.items() if key not in taken_back} == dict(game.given)
    state = host.state(at_pull[0])
    assert (state.mismatched, state.lost_records, state.problem) == (0, 0, None)
    assert state.boots == PULLS + 1
    assert state.verified > 0
    assert state.events > 400 * INPUTS // 5000, state.events
    assert len(host.install_ids) == 1
    noted = {journal.parse_note(r[3])[0] for r in host.records if r[1] == journal.NOTE}
    assert numbers.NOTE_TASK_RESTARTED not in noted
    assert at_pull[0] == game.powered_ms - game.lost_ms
    check_memory(game.memory)


def check_memory(memory: list[list[Memory]]) -> None:
    """Assert that the heap's floor is flat in the long life, and that it is roomy at all times."""
    long_life = max(memory, key=len)
    assert len(long_life) >= LONG_LIFE_HOURS - 1
    settled = [one.used for one in long_life[1:]]
    grown = min(settled[-FLOOR_HOURS:]) - min(settled[:FLOOR_HOURS])
    assert grown <= FLAT_BYTES, str(settled)
    assert min(one.free for life in memory for one in life) >= FREE_BYTES
    assert min(one.largest for life in memory for one in life) >= LARGEST_BYTES
