"""The medic's tap on a badge: what gestures mean, what is written at every cut, what stays."""

import sys
import unittest

import game_bench
from game_bench import GameBench, MemoryStore

from redband.wire import journal as wire_journal
from redband.wire import keys as wire_keys
from redband_badge import commands, limits
from redband_badge.on_demand import UPDATE, Needed
from redband_badge.pending_commands import PendingCommands
from redband_badge.radio_side import RadioSide
from redband_core import advert, gestures, journal, keys, numbers, tap
from redband_hal import system

WOUNDS = game_bench.ruleset("wounds")
HITS = game_bench.ruleset("hits")
PRESS, HOLD = gestures.PRESS, gestures.HOLD
TREAT = WOUNDS.gesture_event(gestures.MEDIC + 4)
OWN_ID, MEDIC_ID, NONCE = 7, 9, 0xCAFE


def key_file(role):
    return wire_keys.encode_key_file(b"GAME", bytes(48), bytes(64), role, bytes(16))


class FakeObserver:
    """What a tap uses of the observer; `said`: payloads with how long, `now_ms`: of the test."""

    def __init__(self, role):
        self.access = keys.Access(key_file(role))
        self.now_ms = 0
        self.takers = {}
        self.tap = None
        self.said = []
        self.on_poll = None
        self.forgotten = 0

    def call(self, payload, for_ms):
        self.said.append((payload, for_ms))

    def hush(self, payload):
        self.said = [one for one in self.said if one[0] != payload]

    def listen(self, for_ms):
        self.listens_ms = for_ms

    def forget(self):
        self.forgotten += 1

    def wait(self, ms):
        self.now_ms += ms
        if self.on_poll is not None:
            self.on_poll(self.now_ms)


class Options:
    treatment = numbers.TREATMENT_BADGE
    skill = 3


class Info:
    badge_id = OWN_ID


class FakeBadge(RadioSide):
    """The side of a badge that the radio is on, around a GameBench."""

    def __init__(self, bench, role=0, treatment=numbers.TREATMENT_BADGE):
        self.bench = bench
        info, options = Info(), Options()
        info.ruleset_identity = bench.rules.identity
        options.treatment = treatment
        running = (bench.state, info, options, bench.rules)
        queues = (bench.game_journal, None, PendingCommands(bench.commands, bench.state))
        super().__init__("", None, None, running, queues, FakeObserver(role), {})
        self.state.on_gesture = self.take_gesture


def taps(bench):
    return [tap.parse(payload) for _ms, payload in bench.of(journal.TAP)]


def events(bench):
    return [journal.parse_event(payload) for _ms, payload in bench.of(journal.EVENT)]


def wounded(**options):
    bench = GameBench(WOUNDS, **options)
    bench.play(PRESS)
    bench.turn(1000)
    return bench


def patients(outcome=numbers.ANSWER_FOLLOWS, role=numbers.ROLE_MEDIC, event=TREAT):
    return ((tap.PATIENT, role), MEDIC_ID, NONCE, outcome, event, None)


class GestureTest(unittest.TestCase):
    def test_hold_calls_and_its_press_is_no_hit(self):
        badge = FakeBadge(GameBench(WOUNDS))
        badge.bench.play(PRESS)
        badge.bench.play(HOLD)
        self.assertEqual(badge.bench.shown()[0], GameBench(WOUNDS).shown()[0])
        self.assertEqual(
            [for_ms for _payload, for_ms in badge.observer.said], [limits.TAP_WANTED_MS]
        )
        self.assertEqual(badge.observer.said[0][0][1] & 15, advert.KIND_WANTED)
        self.assertEqual(badge.state.lights_once[: len(tap.CALLING)], tap.CALLING)

    def test_one_press_and_a_hold_do_what_holding_does_elsewhere(self):
        bench = wounded()
        badge = FakeBadge(bench)
        bench.play(gestures.TAPS_HOLD + 1)
        self.assertEqual(events(bench)[-1], WOUNDS.gesture_event(HOLD))
        self.assertEqual(badge.observer.said, [])

    def test_G7_own_button_is_no_medic_and_the_book_says_so(self):
        for treatment in (numbers.TREATMENT_BADGE, numbers.TREATMENT_HOST):
            bench = wounded()
            FakeBadge(bench, treatment=treatment)
            before = bench.shown()[0]
            bench.play(gestures.TAPS_HOLD + 4)
            self.assertEqual(bench.shown()[0], before)
            self.assertEqual(
                taps(bench), [((tap.PATIENT, 0), OWN_ID, 0, numbers.ANSWER_SELF, TREAT)]
            )
            self.assertEqual(bench.state.lights_once, tap.REFUSED)

    def test_host_mode_leaves_all_other_gestures_as_they_are(self):
        bench = wounded()
        badge = FakeBadge(bench, role=numbers.ROLE_MEDIC, treatment=numbers.TREATMENT_HOST)
        bench.play(HOLD)  # the kit that one applies oneself
        self.assertEqual(events(bench)[-1], WOUNDS.gesture_event(HOLD))
        self.assertEqual((badge.observer.tap, badge.observer.said), (None, []))

    def test_players_badge_picks_nothing(self):
        bench = wounded()
        badge = FakeBadge(bench, role=0)
        bench.play(gestures.TAPS_HOLD + 8)
        self.assertEqual((badge.observer.tap, bench.state.lights_once), (None, b""))

    def test_medics_badge_picks_shows_the_number_and_listens_for_calls(self):
        bench = GameBench(WOUNDS)
        badge = FakeBadge(bench, role=numbers.ROLE_MEDIC)
        bench.play(gestures.TAPS_HOLD + 6)
        self.assertEqual(bench.state.lights_once, tap.picked(6))
        self.assertEqual(list(badge.observer.takers), [advert.KIND_WANTED])
        self.assertEqual((badge.observer.said, events(bench)), ([], []))

    def test_in_a_pause_nobody_calls(self):
        bench = wounded()
        badge = FakeBadge(bench)
        bench.commands.put((commands.PAUSE, 0, None))
        bench.wake()
        bench.play(HOLD)
        self.assertEqual((badge.observer.tap, badge.observer.said), (None, []))
        self.assertEqual(bench.count(journal.REFUSED), 1)

    def test_new_gesture_ends_the_call_before(self):
        bench = GameBench(WOUNDS)
        badge = FakeBadge(bench)
        bench.play(HOLD)
        first = badge.observer.said[0][0]
        bench.play(HOLD)
        self.assertEqual(len(badge.observer.said), 1)
        self.assertTrue(badge.observer.said[0][0] != first)  # another nonce

    def test_at_the_end_nothing_is_left_in_memory_or_on_the_air(self):
        bench = GameBench(WOUNDS)
        badge = FakeBadge(bench)
        bench.play(HOLD)
        badge.observer.wait(limits.TAP_WANTED_MS - 1)
        self.assertTrue(badge.observer.tap is not None)
        badge.observer.wait(1)
        self.assertTrue(badge.observer.tap is None)
        self.assertEqual(
            (badge.observer.said, badge.observer.takers, badge.observer.on_poll), ([], {}, None)
        )
        for name in ("tap_calls", "tap_gestures", "tap_records"):
            self.assertFalse("redband_badge." + name in sys.modules, name)


class BesideUpdateTest(unittest.TestCase):
    """The other way around: check_update's test_G16."""

    def setUp(self):
        self.heap_bytes = system.heap_bytes
        system.heap_bytes = lambda: (self.free_bytes, 60000, 45000)

    def tearDown(self):
        system.heap_bytes = self.heap_bytes

    def tap(self, role, gesture, free_bytes):
        """Return whether a tap began, and what the lights show once."""
        self.free_bytes = free_bytes
        bench = wounded()
        badge = FakeBadge(bench, role=role)
        bench.play(gesture)
        is_begun = badge.observer.tap is not None
        self.assertEqual("redband_badge.tap_calls" in sys.modules, is_begun)
        self.assertEqual(bool(badge.observer.said or badge.observer.takers), is_begun)
        self.assertEqual((len(events(bench)), taps(bench)), (1, []))
        if is_begun:
            badge.observer.wait(limits.TAP_WANTED_MS)
            self.assertTrue(badge.observer.tap is None)
        return is_begun, bench.state.lights_once

    def test_G16_no_tap_where_an_update_leaves_no_room(self):
        room = limits.UPLOAD_AND_TAP_BYTES
        for role, gesture in ((0, HOLD), (numbers.ROLE_MEDIC, gestures.TAPS_HOLD + 6)):
            with Needed(UPDATE):  # loaded while an update goes on
                self.assertEqual(self.tap(role, gesture, room - 1), (False, tap.REFUSED))
                self.assertTrue(self.tap(role, gesture, room)[0])
            self.assertTrue(self.tap(role, gesture, room - 1)[0])


class JournalTest(unittest.TestCase):
    def test_patients_record_stands_before_the_decision(self):
        bench = wounded()
        self.assertEqual(bench.command(commands.TAP, 1, patients()), numbers.ANSWER_DONE)
        kinds = [record[0] for record in bench.store.records]
        self.assertEqual(kinds[-2:], [journal.TAP, journal.EVENT])
        self.assertEqual(taps(bench)[-1][3:], (numbers.ANSWER_FOLLOWS, TREAT))

    def test_refused_treatment_is_written_with_its_reason(self):
        bench = GameBench(WOUNDS)
        answer = bench.command(commands.TAP, 1, patients())
        self.assertTrue(answer > 0)
        kinds = [record[0] for record in bench.store.records]
        self.assertEqual(kinds[-2:], [journal.TAP, journal.REFUSED])

    def test_in_a_pause_medics_wait_and_staff_does_not(self):
        bench = wounded()
        bench.command(commands.PAUSE, 1)
        self.assertEqual(bench.command(commands.TAP, 2, patients()), numbers.ANSWER_PAUSED)
        reason = wire_journal.parse_refused(bench.of(journal.REFUSED)[-1][1])[0]
        self.assertEqual(reason, numbers.REFUSED_PAUSED)
        self.assertEqual(
            bench.command(commands.TAP, 3, patients(role=numbers.ROLE_MARSHAL)),
            numbers.ANSWER_DONE,
        )

    def test_every_cut_treats_once_or_not_at_all(self):
        for skip in range(3):
            bench = wounded()
            bench.store.fail_at = bench.store.writes + skip
            bench.commands.put((commands.TAP, 1, patients()))
            try:
                bench.wake()
            except OSError:
                pass
            bench.store.fail_at = None
            after = bench.again()
            is_treated = TREAT in events(after)
            self.assertEqual(is_treated, skip == 2)
            self.assertEqual(after.shown()[0] == GameBench(WOUNDS).shown()[0], is_treated)
            after.wake()
            self.assertEqual(len(events(after)), 1 + is_treated)  # the offer is not taken again

    def test_write_errors_treat_once_and_answer_once(self):
        for segment_records in (100, 4):
            for skip in range(4):
                for is_late in (False, True):
                    bench = wounded(store=MemoryStore(segment_records))
                    bench.store.fail_at = bench.store.writes + skip
                    bench.store.is_late = is_late
                    bench.commands.put((commands.TAP, 1, patients()))
                    for _try in range(3):
                        try:
                            bench.wake()
                        except OSError:
                            bench.task._recover()
                    self.assertEqual(bench.answers, [(1, 0)])
                    self.assertEqual(events(bench).count(TREAT), 1)

    def test_medics_result_applies_what_was_given_once(self):
        given = (1, (0, 0))  # any event of the medic's own rules
        for skip in range(3):
            for is_late in (False, True):
                bench = GameBench(WOUNDS)
                bench.store.fail_at = bench.store.writes + skip
                bench.store.is_late = is_late
                value = (
                    (tap.MEDIC, numbers.ROLE_MEDIC),
                    OWN_ID,
                    NONCE,
                    numbers.ANSWER_DONE,
                    TREAT,
                    given,
                )
                bench.commands.put((commands.TAP, 1, value))
                for _try in range(3):
                    try:
                        bench.wake()
                    except OSError:
                        bench.task._recover()
                self.assertEqual(events(bench), [given])
                self.assertEqual({one[2:4] for one in taps(bench)}, {(NONCE, numbers.ANSWER_DONE)})


if __name__ == "__main__":
    unittest.main()
