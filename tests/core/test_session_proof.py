"""Proofs: what a stranger, a thief of frames, or a forged badge gets, which is nothing."""

import sys
import unittest

from redband_core import numbers

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from link import (
    ADVERT_COUNT,
    BADGE_NONCE,
    DONE,
    GAME_MS,
    HOST_NONCE,
    Info,
    Link,
    Log,
    Peer,
    SessionCase,
    Store,
    badge_session,
    drain,
    host_session_for,
    key_for,
    new_access,
    one,
    proven,
    refusals,
)

from redband.wire import frames as wire_frames
from redband.wire import log_stream as wire_log_stream
from redband_core import frames, limits, proofs
from redband_core.errors import ProtocolError
from redband_core.keys import Access
from redband_core.session import CLOSE_ACCESS, OPEN, BadgeSession

ACCESS = frames.REFUSED_ACCESS
OTHER_NONCE = b"another 16 bytes"


def failed(reason):
    return (wire_log_stream.FAILED, reason)


def controls(badge):
    """Return the messages on CONTROL that a badge sends, each with its number."""
    joiner = frames.Joiner()
    found = [joiner.add(frame) for channel, frame in drain(badge) if channel == 1]
    return [one_found for one_found in found if one_found is not None]


class RecordedCase(unittest.TestCase):
    def record(self, log, role=numbers.ROLE_GAME_MASTER):
        """Return all that a host has written in a good session: a thief's loot."""
        link = Link(log, Store(), 247)
        link.host = host_session_for(link.store.next_seq_for, role)
        link.run()
        self.assertEqual(link.outcome, DONE)
        return link.ups

    def replayed(self, loot, badge, now_ms=0):
        """Write the loot to a badge; return (number, reason) of its refusals."""
        badge.set_mtu(247)
        found = []
        for frame in loot:
            badge.control_written(frame, now_ms)
            found += refusals(badge)
        return found


class StrangerTest(RecordedCase):
    def test_before_the_proof_a_host_learns_only_who_the_badge_is(self):
        badge = badge_session(Log(300))
        badge.set_mtu(247)
        Peer(badge).hello()
        (number, message), *more = controls(badge)
        self.assertEqual((number, more), (1, []))
        self.assertEqual(message, b"\x81" + frames.encode_info(Info) + BADGE_NONCE)

    def test_nothing_is_granted_before_the_proof(self):
        for message in (
            wire_frames.encode_fetch(0),
            wire_frames.encode_ack(0, 0, 3),
            b"\x11\x01\x01",
            b"\x30",
            b"\x77",
        ):
            for is_greeted in (False, True):
                log = Log(3)
                badge = badge_session(log)
                peer = Peer(badge)
                if is_greeted:
                    peer.hello()
                    drain(badge)
                number = peer.say(message)
                self.assertEqual(refusals(badge), [(number, ACCESS)])
                self.assertEqual(badge.close_reason(0), OPEN)  # the refusal is on its way
                self.assertEqual(badge.close_reason(limits.REFUSAL_LINGER_MS), CLOSE_ACCESS)
                self.assertEqual(log.released, [])

    def test_wrong_key_unknown_role_and_unkeyed_badge_get_one_answer(self):
        answers = []
        unkeyed = Access()
        for role, badge_id, access in (
            (3, 42, new_access()),  # the right key, changed below
            (0, 42, new_access()),
            (9, 42, new_access()),
            (3, 43, new_access()),
            (3, 42, unkeyed),
        ):
            badge = badge_session(Log(3), access)
            badge.set_mtu(247)
            peer = Peer(badge, role, badge_id=badge_id)
            if role == 3 and badge_id == 42 and access is not unkeyed:
                peer.key = bytes(32)
            peer.hello()
            peer.prove()
            answers.append(controls(badge)[1:])
            self.assertEqual(access.refused_count, 1)
            self.assertFalse(badge.is_proven)
        self.assertEqual(answers, [[(2, frames.encode_refused(ACCESS))]] * 5)

    def test_proof_made_with_no_key_opens_no_badge_without_keys(self):
        for role in (0, 1, 3, 9):
            badge = badge_session(Log(3), Access())
            peer = Peer(badge, role)
            peer.key = proofs.session_key(b"", role, 42, HOST_NONCE, BADGE_NONCE)
            peer.hello()
            peer.prove()
            self.assertFalse(badge.is_proven)
            self.assertEqual(refusals(badge), [(2, ACCESS)])

    def test_session_key_is_bound_to_everything(self):
        found = set()
        for key in (b"one key", b"another"):
            for role in (1, 2):
                for badge_id in (1, 256):
                    for host in (b"host8byt", b"another8"):
                        for badge in (BADGE_NONCE, OTHER_NONCE):
                            found.add(proofs.session_key(key, role, badge_id, host, badge))
        self.assertEqual(len(found), 32)

    def test_proof_before_hello_is_refused(self):
        badge = badge_session(Log(3))
        peer = Peer(badge)
        peer.prove()
        self.assertEqual(refusals(badge), [(1, ACCESS)])

    def test_key_of_one_role_is_none_of_another(self):
        for role in (1, 2, 3, 4):
            for other in (1, 2, 3, 4):
                badge = badge_session(Log(3))
                peer = Peer(badge, role)
                peer.role = other
                peer.hello()
                peer.prove()
                self.assertEqual(badge.is_proven, role == other)

    def test_10000_guesses_cost_a_wait_and_the_right_key_still_comes_in(self):
        access = new_access()
        now_ms = accepted = 0
        for number in range(10000):
            # A new connection for each, as fast as a radio can.
            badge = badge_session(Log(1), access)
            peer = Peer(badge)
            peer.hello(now_ms)
            peer.say(wire_frames.encode_prove(number.to_bytes(16, "little")), now_ms)
            badge.close_reason(now_ms)
            accepted += badge.is_proven
            now_ms += 20
        self.assertEqual(accepted, 0)
        # One in half a second was looked at.
        self.assertTrue(access.refused_count <= now_ms // limits.PROOF_GAP_MS + 1)
        badge = badge_session(Log(1), access)
        peer = Peer(badge)
        peer.hello(now_ms)
        peer.prove(now_ms)
        badge.close_reason(now_ms + limits.PROOF_GAP_MS)
        self.assertTrue(badge.is_proven)


class ReplayTest(RecordedCase):
    def test_G12_recorded_session_is_worth_nothing_a_second_an_hour_or_a_reboot_later(self):
        log = Log(60)
        loot = self.record(log)
        log.released = []
        access = new_access()
        for now_ms in (1000, 3600 * 1000):
            badge = badge_session(log, access, OTHER_NONCE)
            self.assertEqual(self.replayed(loot, badge, now_ms), [(2, ACCESS)])
        rebooted = badge_session(log, new_access(), b"after the reboot")
        self.assertEqual(self.replayed(loot, rebooted), [(2, ACCESS)])
        self.assertEqual(log.released, [])

    def test_G12_recorded_session_is_worth_nothing_at_another_badge(self):
        class Other(Info):
            badge_id = 43

        log = Log(60)
        # Even with the same nonce, which no two badges ever have.
        badge = BadgeSession(Other, log, new_access(), BADGE_NONCE)
        self.assertEqual(self.replayed(self.record(Log(60)), badge), [(2, ACCESS)])
        self.assertEqual(log.released, [])

    def test_same_proof_in_the_same_session_is_a_repeat_and_no_attack(self):
        access = new_access()
        badge, peer = proven(Log(3), access=access)
        peer.prove()
        (_number, message), *more = controls(badge)
        self.assertEqual((message[0], more), (frames.PROVED, []))
        self.assertEqual((access.refused_count, badge.close_reason(0)), (0, OPEN))

    def test_lost_answer_to_the_proof_is_asked_for_again(self):
        for mtu in (23, 247):
            whole = Link(Log(5), Store(), mtu)
            whole.run()
            for lost in range(len(whole.downs)):
                link = Link(Log(5), Store(), mtu)
                link.down = lambda index, frame, lost=lost: [] if index == lost else [frame]
                self.assertEqual(link.run(), DONE)
                self.assertEqual(link.store.records, link.log.records)

    def test_message_said_twice_with_one_signature_is_done_once(self):
        badge, peer = proven(Log(400))
        peer.ask(wire_frames.encode_fetch(0))
        self.assertEqual(len(drain(badge)) > 3, True)
        peer.signed_number -= 1
        peer.ask(wire_frames.encode_fetch(0))  # the same bytes under another message number
        self.assertEqual(drain(badge), [])

    def test_hello_again_in_a_proven_session(self):
        badge, peer = proven(Log(3))
        peer.hello()
        (number, message), *more = controls(badge)
        self.assertEqual((message[0], more), (frames.WELCOME, []))  # the link repeated it
        for role, nonce in ((numbers.ROLE_MEDIC, HOST_NONCE), (peer.role, b"another8")):
            number = peer.say(wire_frames.encode_hello(role, nonce))
            self.assertEqual(refusals(badge), [(number, frames.REFUSED_ORDER)])
        self.assertEqual((badge.role, badge.is_proven), (peer.role, True))

    def test_late_message_with_an_older_signature_does_nothing(self):
        log = Log(9)
        badge, peer = proven(log)
        peer.signed_number = 5
        peer.ask(wire_frames.encode_ack(0, 0, 3))
        peer.signed_number = 1
        peer.ask(wire_frames.encode_ack(0, 0, 9))
        self.assertEqual(log.released, [3])
        self.assertEqual(refusals(badge), [])


class ManInTheMiddleTest(RecordedCase):
    def test_changed_message_ends_the_session_and_does_nothing(self):
        for index in range(19):
            log = Log(9)
            badge, peer = proven(log)
            message = bytearray(
                proofs.signed(peer.key, proofs.FROM_HOST, 1, wire_frames.encode_ack(0, 0, 9))
            )
            if index == 0:
                message = message[:1]  # cut
            else:
                message[index - 1] ^= 1
            number = peer.say(bytes(message))
            # The opcode of a HELLO or a PROVE is not a signed message's.
            if message[0] not in (frames.HELLO, frames.PROVE):
                self.assertEqual(refusals(badge), [(number, ACCESS)])
            self.assertEqual(log.released, [])

    def test_answer_of_the_badge_is_no_message_to_it(self):
        badge, peer = proven(Log(9))
        signed = proofs.signed(peer.key, proofs.FROM_BADGE, 1, wire_frames.encode_fetch(0))
        number = peer.say(signed)
        self.assertEqual(refusals(badge), [(number, ACCESS)])

    def test_forged_badge_is_named(self):
        class Forged(Access):
            def badge_key(self, role):
                return b"no key at all 16"

        class Willing(BadgeSession):
            def _deny(self, number, now_ms):
                self._key = b"x"
                proved = frames.encode_proved(self._log, 0, 0, b"")
                own = proofs.badge_proof(bytes(32), proved[1:], frames.encode_info(Info))
                self._put(number, proved + own)

        link = Link(Log(1), Store(), 247)
        link.badge = Willing(Info, Log(1), Forged(), BADGE_NONCE)
        link.badge.set_mtu(247)
        self.assertEqual(link.run(), failed(wire_log_stream.FORGED))
        self.assertEqual((link.store.asked, link.store.records), ([], []))

    def test_proof_of_another_journal_or_identity_is_no_proof(self):
        # Install, boot and ruleset in WELCOME, the four numbers in PROVED.
        for opcode, at in (
            (0x81, 4),
            (0x81, 9),
            (0x81, 15),
            (0x90, 1),
            (0x90, 5),
            (0x90, 9),
            (0x90, 13),
        ):
            link = Link(Log(3), Store(), 247)

            def change(_index, frame, opcode=opcode, at=at):
                number, message = frames.Joiner().add(frame) or (0, b"")
                if not message or message[0] != opcode:
                    return [frame]
                changed = bytearray(message)
                changed[at] ^= 1
                return [one(number, bytes(changed))]

            link.down = lambda i, frame, change=change: (
                change(i, frame) if frame[0] < 3 else [frame]
            )
            self.assertEqual(link.run(), failed(wire_log_stream.FORGED))
            self.assertEqual(link.store.asked, [])

    def test_journal_changed_on_the_way_is_named_at_its_end(self):
        def forge(_index, frame):
            # A record of an event becomes another one, checksum and all.
            at = frame.find(real)
            return [frame[:at] + forged + frame[at + len(real) :]] if at > 0 else [frame]

        log = Log(5)
        real = log.records[2]
        forged_log = Log(2)
        forged_log.append(b"\x01\x09\x00")
        forged = forged_log.records[2]
        self.assertEqual(len(real), len(forged))
        link = Link(log, Store(), 247)
        link.down = forge
        self.assertEqual(link.run(), failed(wire_log_stream.FORGED))
        self.assertEqual(log.released, [])
        self.assertEqual(link.store.records, [])

    def test_downgrade_to_version_1_is_refused_by_name(self):
        link = Link(Log(3), Store(), 247)
        link.up = lambda i, frame: [one(frame[0], b"\x01\x01")] if i == 0 else [frame]
        self.assertEqual(link.run(), failed(wire_log_stream.VERSION))
        self.assertEqual(link.host.peer_version, 2)
        self.assertEqual(link.store.asked, [])

    def test_other_role_in_hello_than_in_the_proof(self):
        link = Link(Log(3), Store(), 247)
        asked = wire_frames.encode_hello(1, b"host8byt")
        link.up = lambda i, frame: [one(frame[0], asked)] if i == 0 else [frame]
        self.assertEqual(link.run(), failed(wire_log_stream.ACCESS))


class RoleTest(unittest.TestCase):
    def test_journal_is_for_marshal_game_master_and_technician(self):
        for role, is_granted in ((1, False), (2, True), (3, True), (4, True)):
            for message in (wire_frames.encode_fetch(0), wire_frames.encode_ack(0, 0, 3)):
                log = Log(3)
                badge, peer = proven(log, role)
                number = peer.ask(message)
                expected = [] if is_granted else [(number, frames.REFUSED_ROLE)]
                self.assertEqual(refusals(badge), expected)
                self.assertEqual(badge.close_reason(0), OPEN)

    def test_medic_who_asks_for_a_journal_is_told_so(self):
        link = Link(Log(3), Store(), 247)
        link.host = host_session_for(link.store.next_seq_for, numbers.ROLE_MEDIC)
        self.assertEqual(link.run(), failed(wire_log_stream.ROLE))


class HandlerTest(SessionCase):
    def linked(self, handlers):
        role = numbers.ROLE_MARSHAL
        link = Link(Log(3), Store(), 23)
        link.badge = badge_session(link.log, handlers=handlers)
        from redband.wire.session import Client

        link.host = Client(role, lambda badge_id: key_for(badge_id, role), b"8 bytes!")
        return link

    def test_message_with_a_handler_is_answered_at_once_or_later(self):
        waiting = []

        def handle(session, number, message):
            self.assertEqual(session.role, numbers.ROLE_MARSHAL)
            waiting.append((session, number, message))

        link = self.linked({frames.COMMAND: (1 << numbers.ROLE_MARSHAL, handle)})
        link.run(turns_max=20)
        link.host.ask(b"\x11\x01\x02")
        link.run(turns_max=40)
        self.assertEqual([message for _session, _number, message in waiting], [b"\x11\x01\x02"])
        session, number, _message = waiting[0]
        session.answer(number, b"\x91\x02\x00")
        link.run(turns_max=60)
        answers = [event for event in link.events if event[0] == wire_log_stream.ANSWER]
        self.assertEqual(answers, [(wire_log_stream.ANSWER, b"\x91\x02\x00")])

    def test_lost_answer_is_asked_for_again_under_a_new_number(self):
        seen = []

        def handle(session, number, message):
            seen.append((number, message))
            session.answer(number, b"\x91\x02\x00")

        link = self.linked({frames.COMMAND: (1 << numbers.ROLE_MARSHAL, handle)})
        link.run(turns_max=20)
        count = len(link.downs)
        link.down = lambda index, frame: [] if index == count else [frame]
        link.host.ask(b"\x11\x01\x02")
        link.run(turns_max=100)
        self.assertEqual([message for _number, message in seen], [b"\x11\x01\x02"] * 2)
        self.assertTrue(seen[0][0] != seen[1][0])
        self.assertEqual(link.events[-1], (wire_log_stream.ANSWER, b"\x91\x02\x00"))

    def test_forged_answer_is_no_answer(self):
        link = self.linked({frames.COMMAND: (1 << numbers.ROLE_MARSHAL, lambda *all_of: None)})
        link.run(turns_max=20)
        link.host.ask(b"\x11\x01\x02")
        for forged in (b"\x91\x02\x00", b"\x91\x02\x00" + bytes(12)):
            link.host.control_notified(one(9, forged))
        self.assertEqual(link.host.events(), [])
        self.assertEqual(link.host.unused_count, 2)

    def test_role_without_permission_is_refused_and_the_session_goes_on(self):
        called = []
        handlers = {0x11: (1 << numbers.ROLE_GAME_MASTER, lambda *all_of: called.append(all_of))}
        badge, peer = proven(Log(3), numbers.ROLE_MEDIC, handlers=handlers)
        number = peer.ask(b"\x11")
        self.assertEqual(refusals(badge), [(number, frames.REFUSED_ROLE)])
        self.assertEqual((called, badge.close_reason(0)), ([], OPEN))

    def test_handler_that_finds_no_sense_in_a_message(self):
        def handle(session, number, message):
            raise ProtocolError("no sense")

        badge, peer = proven(Log(3), handlers={0x11: (0b11111, handle)})
        number = peer.ask(b"\x11")
        self.assertEqual(refusals(badge), [(number, frames.REFUSED_BAD_FRAME)])


class CountTest(SessionCase):
    def test_session_tells_the_count_of_the_advert_and_game_time(self):
        link = Link(Log(3), Store(), 247)
        link.run()
        self.check_all_arrived(link)
        self.assertEqual(link.host.proved.count, ADVERT_COUNT)
        self.assertEqual(link.host.proved.game_ms, GAME_MS)


if __name__ == "__main__":
    unittest.main()
