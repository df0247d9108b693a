"""Commands by radio: what game masters tell a badge, broadcasts, and a real emergency."""

import unittest

import cryptolib
import game_bench
from game_bench import HIT, GameBench, MemoryStore

from redband.wire import command_frames as wire_command_frames
from redband.wire import keys as wire_keys
from redband_badge import broadcast, commands, host_commands, limits
from redband_badge.observer import NOT_OURS, TAKEN
from redband_badge.pending_commands import REQUESTS_MAX, PendingCommands
from redband_badge.raw_game import RawGame
from redband_core import (
    broadcasts,
    command_frames,
    frames,
    gestures,
    journal,
    keys,
    numbers,
    opening,
)
from redband_core.advert import KIND_BROADCAST
from redband_core.errors import ProtocolError

HITS = game_bench.ruleset("hits")
WOUNDS = game_bench.ruleset("wounds")
FIGHT_OVER = 5  # event of `wounds`
STUN = 2  # of `hits`, without arguments
EXCLUDE = 15
GROUP = bytes(range(48))
ENCRYPT, BROADCAST_KEY = GROUP[:16], GROUP[32:]
FILE = wire_keys.encode_key_file(b"GAME", GROUP, bytes(64), 0, bytes(16))


def word(number, command, event_id=0, argument=0, hops=8, key=BROADCAST_KEY):
    """Return the payload of a BROADCAST advert."""
    block = broadcasts.broadcast_block(number, command, event_id, argument, 0, hops)
    encrypt = cryptolib.aes(ENCRYPT, 1).encrypt
    return broadcasts.seal_plain(KIND_BROADCAST, block, key, encrypt)


def read(payload):
    """Return what a word says, after checking its proof."""
    block = opening.unproven_block(payload, cryptolib.aes(ENCRYPT, 1).decrypt)
    assert opening.is_proven(payload, block, BROADCAST_KEY)
    return broadcasts.parse_broadcast(block)


class FakeObserver:
    def __init__(self):
        self.access = keys.Access(FILE)
        self.calls = []

    def call(self, payload, for_ms):
        self.calls.append((payload, for_ms))


class Info:
    badge_id = 7


class Session:
    """Takes the answers, as a BadgeSession does."""

    def __init__(self, role):
        self.role = role
        self.answers = []

    def answer(self, number, message):
        self.answers.append((number, message))


class FakeBadge:
    """A badge around a GameBench."""

    def __init__(self, bench):
        self.bench = bench
        self.game_journal = bench.game_journal
        self.state = bench.state
        self.ruleset = bench.rules
        self.info = Info()
        self.info.ruleset_identity = bench.rules.identity
        self.command_queue = bench.commands
        self.observer = FakeObserver()
        self.pending_commands = PendingCommands(self.command_queue, self.state)

    def ask(self, session, message, number=1):
        host_commands.take(self, session, number, message)
        self.bench.wake()

    def outcome(self, role, message):
        """Say a message in a session of its own; return the outcome."""
        session = Session(role)
        self.ask(session, message)
        assert len(session.answers) == 1, session.answers
        return wire_command_frames.decode_result(session.answers[0][1], message[0])[1]

    def hear(self, payload):
        result = broadcast.heard(self, payload)
        self.bench.wake()
        return result


def badge(rules=HITS, **options):
    return FakeBadge(GameBench(rules, **options))


def identity(rules):
    return rules.identity[0] | rules.identity[1] << 8


class StaffTest(unittest.TestCase):
    def test_event_is_applied_written_with_the_role_and_answered(self):
        one = badge()
        message = wire_command_frames.encode_event(77, HIT, (1, 2))
        self.assertEqual(one.outcome(numbers.ROLE_GAME_MASTER, message), numbers.ANSWER_DONE)
        self.assertEqual(one.state.counters[0], 2)
        kinds = [kind for kind, _ms, _payload in one.bench.store.records[-2:]]
        self.assertEqual(kinds, [journal.NOTE, journal.EVENT])
        self.assertEqual(one.bench.notes_of(numbers.NOTE_SENT_BY)[-1][1], numbers.ROLE_GAME_MASTER)

    def test_G12_said_again_in_another_session_it_is_done_once(self):
        one = badge()
        message = wire_command_frames.encode_event(77, HIT, (1, 2))
        answers = []
        for _session in range(3):
            session = Session(numbers.ROLE_MARSHAL)
            one.ask(session, message)
            answers += [said for _number, said in session.answers]
        self.assertEqual(answers, [answers[0]] * 3)
        self.assertEqual(one.state.counters[0], 2)
        self.assertEqual(one.bench.count(journal.EVENT), 1)

    def test_said_again_before_it_is_done_it_is_answered_under_the_newer_number(self):
        one = badge()
        session = Session(numbers.ROLE_MARSHAL)
        message = wire_command_frames.encode_event(77, HIT, (1, 2))
        host_commands.take(one, session, 4, message)
        host_commands.take(one, session, 5, message)
        one.bench.wake()
        self.assertEqual([number for number, _message in session.answers], [5])
        self.assertEqual(one.bench.count(journal.EVENT), 1)

    def test_role_decides_by_event_and_by_command(self):
        one = badge()
        for role in (
            numbers.ROLE_MEDIC,
            numbers.ROLE_MARSHAL,
            numbers.ROLE_GAME_MASTER,
            numbers.ROLE_TECHNICIAN,
        ):
            message = wire_command_frames.encode_event(100 + role, EXCLUDE, ())
            answer = one.outcome(role, message)
            is_allowed = commands.may_send(HITS, EXCLUDE, role)
            self.assertEqual(answer == numbers.ANSWER_ROLE, not is_allowed)
        found = []
        for command in range(1, len(command_frames.COMMAND_ROLES)):
            for role in (
                numbers.ROLE_MEDIC,
                numbers.ROLE_MARSHAL,
                numbers.ROLE_GAME_MASTER,
                numbers.ROLE_TECHNICIAN,
            ):
                request = 1000 + command * 10 + role
                answer = one.outcome(role, wire_command_frames.encode_command(request, command))
                found.append(answer == numbers.ANSWER_ROLE)
        expected = [
            not roles >> role & 1
            for roles in command_frames.COMMAND_ROLES[1:]
            for role in (
                numbers.ROLE_MEDIC,
                numbers.ROLE_MARSHAL,
                numbers.ROLE_GAME_MASTER,
                numbers.ROLE_TECHNICIAN,
            )
        ]
        self.assertEqual(found, expected)

    def test_pause_and_resume_are_written_with_the_role(self):
        one = badge()
        for request in (1, 2):
            pause = wire_command_frames.encode_command(request, numbers.COMMAND_PAUSE)
            self.assertEqual(one.outcome(numbers.ROLE_MARSHAL, pause), numbers.ANSWER_DONE)
            self.assertTrue(one.state.is_paused)
        resume = wire_command_frames.encode_command(3, numbers.COMMAND_RESUME)
        self.assertEqual(one.outcome(numbers.ROLE_GAME_MASTER, resume), numbers.ANSWER_DONE)
        self.assertFalse(one.state.is_paused)
        sent = [value for _ms, value in one.bench.notes_of(numbers.NOTE_SENT_BY)]
        self.assertEqual(sent, [numbers.ROLE_MARSHAL, numbers.ROLE_GAME_MASTER])

    def test_refusals_come_from_the_rules_and_unknown_things_are_named(self):
        one = badge()
        bad = wire_command_frames.encode_event(1, HIT, (1, 77))
        self.assertTrue(one.outcome(numbers.ROLE_GAME_MASTER, bad) > 0)
        unknown = wire_command_frames.encode_event(2, 999, ())
        self.assertEqual(one.outcome(numbers.ROLE_GAME_MASTER, unknown), numbers.ANSWER_UNKNOWN)
        unknown = wire_command_frames.encode_command(3, 99)
        self.assertEqual(one.outcome(numbers.ROLE_GAME_MASTER, unknown), numbers.ANSWER_UNKNOWN)
        raw = badge(kind=RawGame)
        raw.ruleset = None
        message = wire_command_frames.encode_event(4, HIT, (1, 2))
        self.assertEqual(raw.outcome(numbers.ROLE_GAME_MASTER, message), numbers.ANSWER_NO_RULES)

    def test_full_queue_is_answered_and_the_request_may_be_tried_again(self):
        one = badge()
        session = Session(numbers.ROLE_MARSHAL)
        for number in range(limits.COMMAND_QUEUE_SIZE + 1):
            one.bench.commands.put((commands.PAUSE, 1000 + number, None))
        message = wire_command_frames.encode_event(5, HIT, (1, 2))
        host_commands.take(one, session, 1, message)
        answer = wire_command_frames.decode_result(session.answers[0][1], frames.EVENT)
        self.assertEqual(answer[1], numbers.ANSWER_BUSY)
        one.bench.commands._items = []
        self.assertEqual(one.outcome(numbers.ROLE_MARSHAL, message), 0)

    def test_requests_remembered_are_bounded(self):
        one = badge()
        for request in range(50):
            one.outcome(
                numbers.ROLE_MARSHAL,
                wire_command_frames.encode_command(request, numbers.COMMAND_IDENTIFY),
            )
        self.assertEqual(len(one.pending_commands.requests), REQUESTS_MAX)
        self.assertEqual(one.state.identified, 50)

    def test_game_begins_and_ends_also_over_a_restart(self):
        one = badge()
        one.outcome(
            numbers.ROLE_GAME_MASTER,
            wire_command_frames.encode_command(1, numbers.COMMAND_GAME_OVER),
        )
        self.assertFalse(one.state.is_in_game)
        self.assertFalse(one.bench.again().state.is_in_game)
        one.outcome(
            numbers.ROLE_GAME_MASTER,
            wire_command_frames.encode_command(2, numbers.COMMAND_GAME_BEGINS),
        )
        self.assertTrue(one.bench.again().state.is_in_game)

    def test_broken_messages_raise_and_do_nothing(self):
        one = badge()
        for message in (b"\x11", b"\x12\x01\x02", b"\x11\x00\x00\x00\x00\x01\x01", b"\x13abc"):
            with self.assertRaises(ProtocolError):
                host_commands.take(one, Session(numbers.ROLE_GAME_MASTER), 1, message)
        self.assertIsNone(one.bench.commands.front())


class BroadcastTest(unittest.TestCase):
    def test_stop_is_written_obeyed_once_and_passed_on_with_a_hop_less(self):
        one = badge()
        self.assertEqual(one.hear(word(5, numbers.BROADCAST_PAUSE)), TAKEN)
        self.assertTrue(one.state.is_paused)
        ((payload, for_ms),) = one.observer.calls
        self.assertEqual(read(payload), (5, numbers.BROADCAST_PAUSE, 0, 0, 0, 7))
        self.assertEqual(for_ms, limits.BROADCAST_FOR_MS)
        heard = [value >> 1 for _ms, value in one.bench.notes_of(numbers.NOTE_BROADCAST)]
        self.assertEqual(heard, [5])
        one.bench.command(commands.RESUME, 1)
        one.hear(word(5, numbers.BROADCAST_PAUSE, hops=3))
        self.assertFalse(one.state.is_paused)
        self.assertEqual(one.bench.count(journal.PAUSE), 1)

    def test_last_hop_is_obeyed_and_not_passed_on(self):
        one = badge()
        one.hear(word(5, numbers.BROADCAST_PAUSE, hops=0))
        self.assertTrue(one.state.is_paused)
        self.assertEqual(one.observer.calls, [])

    def test_G12_recorded_word_is_nothing_a_second_an_hour_or_a_restart_later(self):
        one = badge()
        stop = word(5, numbers.BROADCAST_PAUSE)
        one.hear(stop)
        one.hear(word(6, numbers.BROADCAST_RESUME))
        for wait_ms in (1000, 3_600_000):
            one.bench.run(wait_ms)
            one.hear(stop)
            self.assertFalse(one.state.is_paused)
        again = FakeBadge(one.bench.again())
        self.assertEqual(again.game_journal.broadcast_number, 6)
        again.hear(stop)
        self.assertFalse(again.state.is_paused)
        self.assertEqual(again.observer.calls, [])

    def test_forged_words_and_those_of_another_game_do_nothing(self):
        one = badge()
        good = word(5, numbers.BROADCAST_PAUSE)
        for at in range(2, 24):
            changed = bytearray(good)
            changed[at] ^= 1
            try:
                self.assertEqual(one.hear(bytes(changed)), NOT_OURS)
            except ProtocolError:
                pass
        self.assertEqual(one.hear(word(5, numbers.BROADCAST_PAUSE, key=bytes(16))), NOT_OURS)
        self.assertFalse(one.state.is_paused)
        self.assertEqual((one.observer.calls, one.game_journal.broadcast_number), ([], 0))

    def test_words_out_of_order_the_later_one_stands(self):
        one = badge()
        one.hear(word(8, numbers.BROADCAST_RESUME))
        one.hear(word(7, numbers.BROADCAST_PAUSE))
        self.assertFalse(one.state.is_paused)
        self.assertEqual(one.game_journal.broadcast_number, 8)

    def test_fight_over_is_the_rulesets_event_and_another_ruleset_refuses_it(self):
        one = badge(WOUNDS)
        says = (9, numbers.BROADCAST_FIGHT_OVER, FIGHT_OVER)
        one.hear(word(*says, identity(WOUNDS)))
        done = one.bench.of(journal.EVENT) + one.bench.of(journal.REFUSED)
        self.assertEqual(len(done), 1)
        self.assertEqual(one.game_journal.broadcast_number, 9)
        other = badge(HITS)
        session = Session(numbers.ROLE_MARSHAL)
        payload = word(*says, identity(WOUNDS))
        other.ask(session, wire_command_frames.encode_broadcast(payload))
        answer = wire_command_frames.decode_result(session.answers[0][1], frames.BROADCAST)
        self.assertEqual(answer, (9, numbers.ANSWER_OTHER_RULES))
        self.assertEqual(other.bench.count(journal.EVENT), 0)
        self.assertEqual(len(other.observer.calls), 1)  # those after it may have the right one

    def test_game_over_and_begin(self):
        one = badge()
        one.hear(word(1, numbers.BROADCAST_GAME_OVER))
        self.assertFalse(one.state.is_in_game)
        one.hear(word(2, numbers.BROADCAST_GAME_BEGINS))
        self.assertTrue(one.state.is_in_game)
        self.assertEqual(one.bench.again().game_journal.broadcast_number, 2)

    def test_in_a_session_it_is_answered_with_the_number_and_said_again_when_asked_again(self):
        one = badge()
        payload = word(3, numbers.BROADCAST_PAUSE)
        outcomes = []
        for _ask in range(2):
            session = Session(numbers.ROLE_MARSHAL)
            one.ask(session, wire_command_frames.encode_broadcast(payload))
            outcomes.append(
                wire_command_frames.decode_result(session.answers[0][1], frames.BROADCAST)
            )
        self.assertEqual(outcomes, [(3, 0), (3, numbers.ANSWER_OLD)])
        self.assertEqual(len(one.observer.calls), 2)
        self.assertEqual(one.bench.count(journal.PAUSE), 1)
        forged = word(9, numbers.BROADCAST_PAUSE, key=bytes(16))
        session = Session(numbers.ROLE_MARSHAL)
        one.ask(session, wire_command_frames.encode_broadcast(forged))
        answer = wire_command_frames.decode_result(session.answers[0][1], frames.BROADCAST)
        self.assertEqual(answer, (3, numbers.ANSWER_FORGED))

    def test_power_cut_at_each_write_leaves_it_done_once_or_to_be_done(self):
        says = (
            (4, numbers.BROADCAST_PAUSE),
            (4, numbers.BROADCAST_GAME_OVER),
            (4, numbers.BROADCAST_FIGHT_OVER, STUN, identity(HITS)),
        )
        for arguments in says:
            for segment_records in (100, 3, 4, 5):
                for skip in range(5):
                    for is_late in (False, True):
                        self._cut(arguments, segment_records, skip, is_late)

    def _cut(self, arguments, segment_records, skip, is_late):
        one = badge(store=MemoryStore(segment_records))
        store = one.bench.store
        store.fail_at = store.writes + skip
        store.is_late = is_late
        try:
            one.hear(word(*arguments))
        except OSError:
            pass
        store.fail_at = None
        again = FakeBadge(one.bench.again())
        again.hear(word(*arguments))
        self.assertEqual(again.game_journal.broadcast_number, 4)
        # Carried over into new segments it is said again, without content or in a note.
        pauses = [payload for _ms, payload in again.bench.of(journal.PAUSE) if payload]
        done = len(pauses) + again.bench.count(journal.EVENT) + again.bench.count(journal.REFUSED)
        if arguments[1] == numbers.BROADCAST_GAME_OVER:
            self.assertFalse(again.state.is_in_game)
        else:
            self.assertEqual(done, 1, (arguments, segment_records, skip, is_late))

    def test_write_error_is_taken_again_and_done_once(self):
        for skip in range(3):
            for is_late in (False, True):
                one = badge()
                store = one.bench.store
                store.fail_at = store.writes + skip
                store.is_late = is_late
                broadcast.heard(one, word(4, numbers.BROADCAST_FIGHT_OVER, STUN, identity(HITS)))
                for _try in range(3):
                    try:
                        one.bench.wake()
                    except OSError:
                        one.bench.task._recover()
                self.assertEqual(one.bench.count(journal.EVENT), 1)
                self.assertEqual(
                    (one.game_journal.broadcast_number, len(one.observer.calls)), (4, 1)
                )

    def test_safe_mode_without_rules_stops_as_well(self):
        one = badge(kind=RawGame)
        one.ruleset = None
        one.hear(word(1, numbers.BROADCAST_PAUSE))
        self.assertTrue(one.state.is_paused)
        one.hear(word(2, numbers.BROADCAST_FIGHT_OVER, STUN, identity(HITS)))
        self.assertEqual(one.game_journal.broadcast_number, 2)


class EmergencyTest(unittest.TestCase):
    def test_gesture_begins_it_ends_it_and_costs_no_hits(self):
        bench = GameBench(HITS)
        hits = bench.state.counters[0]
        self._gesture(bench)
        self.assertTrue(bench.state.is_emergency)
        self.assertEqual(bench.state.counters[0], hits)
        self._gesture(bench)
        self.assertFalse(bench.state.is_emergency)
        self.assertEqual([v for _ms, v in bench.notes_of(numbers.NOTE_EMERGENCY)], [1, 0])

    def _gesture(self, bench):
        bench.run(5000)
        for _press in range(6):
            bench.run(200)
            bench.put(gestures.PRESS)
            bench.wake()
        bench.run(1500)
        bench.put(gestures.EMERGENCY, age_ms=2500)
        bench.wake()

    def test_it_stays_over_a_restart_and_over_new_segments(self):
        bench = GameBench(HITS, store=MemoryStore(4))
        self._gesture(bench)
        bench = bench.again()
        self.assertTrue(bench.state.is_emergency)
        for _hit in range(5):
            bench.run(1000)
            bench.play(gestures.PRESS)
        bench = bench.again()
        self.assertTrue(bench.state.is_emergency)
        self._gesture(bench)
        self.assertFalse(bench.again().state.is_emergency)

    def test_it_works_without_rules_in_a_pause_and_on_a_dead_flash(self):
        raw = GameBench(HITS, kind=RawGame)
        self._gesture(raw)
        self.assertTrue(raw.again().state.is_emergency)
        paused = GameBench(HITS)
        paused.command(commands.PAUSE, 1)
        self._gesture(paused)
        self.assertTrue(paused.state.is_emergency)
        for is_late in (False, True):
            dead = GameBench(HITS)
            dead.store.fail_at = dead.store.writes
            dead.store.is_late = is_late
            dead.put(gestures.EMERGENCY)
            with self.assertRaises(OSError):
                dead.wake()
            self.assertTrue(dead.state.is_emergency)
            dead.task._recover()
            self.assertTrue(dead.state.is_emergency)
            dead.wake()
            self.assertTrue(dead.state.is_emergency)
            self.assertEqual([v for _ms, v in dead.notes_of(numbers.NOTE_EMERGENCY)], [1])

    def test_staff_ends_it(self):
        one = badge()
        self._gesture(one.bench)
        message = wire_command_frames.encode_command(1, numbers.COMMAND_EMERGENCY_OVER)
        self.assertEqual(one.outcome(numbers.ROLE_TECHNICIAN, message), numbers.ANSWER_DONE)
        self.assertFalse(one.state.is_emergency)
        self.assertFalse(one.bench.again().state.is_emergency)
