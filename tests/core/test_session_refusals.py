"""What badge and host refuse each other, and whom the badge drops."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from link import (
    Log,
    badge_session,
    drain,
    host_session_for,
    one,
    proven,
    refusals,
)

from redband.wire import frames as wire_frames
from redband.wire import log_stream as wire_log_stream
from redband_core import frames, limits, log_frames
from redband_core.errors import UsageError
from redband_core.session import CLOSE_BROKEN, CLOSE_IDLE, CLOSE_VERSION, OPEN


def failed(reason):
    return (wire_log_stream.FAILED, reason)


class RefusalTest(unittest.TestCase):
    def test_version_mismatch_is_refused_by_name_on_both_sides(self):
        badge = badge_session(Log(3))
        badge.control_written(one(1, b"\x01\x01extra"), 0)
        self.assertEqual(badge.close_reason(0), OPEN)
        host = host_session_for(lambda install_id: 0)
        self.assertEqual(drain(badge), [(1, one(1, b"\xff\x01\x02"))])
        host.control_notified(one(1, b"\xff\x01\x07"))
        self.assertEqual(host.events(), [failed(wire_log_stream.VERSION)])
        self.assertEqual(host.peer_version, 7)
        self.assertEqual(badge.close_reason(100), OPEN)  # the refusal is still on its way
        self.assertEqual(badge.close_reason(100 + limits.REFUSAL_LINGER_MS), CLOSE_VERSION)

    def test_welcome_of_another_version_is_refused_by_the_host(self):
        host = host_session_for(lambda install_id: 0)
        host.control_notified(one(1, b"\x81\x01whatever"))
        self.assertEqual(host.events(), [failed(wire_log_stream.VERSION)])
        self.assertEqual(host.peer_version, 1)
        self.assertIsNone(host.next_write())

    def test_more_than_the_journal_holds_is_never_released(self):
        log = Log(3)
        badge, peer = proven(log)
        number = peer.ask(wire_frames.encode_ack(0, 0, 4))
        self.assertEqual(refusals(badge), [(number, frames.REFUSED_ORDER)])
        number = peer.ask(wire_frames.encode_fetch(4))
        self.assertEqual(refusals(badge), [(number, frames.REFUSED_ORDER)])
        self.assertEqual(log.released, [])

    def test_unknown_command_is_refused_and_the_session_goes_on(self):
        badge, peer = proven(Log(3))
        number = peer.ask(b"\x2fhello")
        self.assertEqual(refusals(badge), [(number, frames.REFUSED_UNKNOWN)])
        peer.ask(wire_frames.encode_fetch(0))
        kinds = [frame[0] >> 6 for channel, frame in drain(badge) if channel == 2]
        self.assertEqual((kinds[0], kinds[-1]), (log_frames.RUN, log_frames.END))

    def test_host_told_no_gives_up_at_once(self):
        host = host_session_for(lambda install_id: 0)
        host.next_write()
        host.control_notified(one(1, b"\xff\x04\x01"))
        self.assertEqual(host.events(), [failed(wire_log_stream.REFUSED)])

    def test_stranger_who_says_nothing_is_dropped(self):
        badge = badge_session(Log(3))
        self.assertEqual(badge.close_reason(1000), OPEN)
        self.assertEqual(badge.close_reason(999 + limits.SESSION_HELLO_MS), OPEN)
        self.assertEqual(badge.close_reason(1000 + limits.SESSION_HELLO_MS), CLOSE_IDLE)

    def test_stranger_does_not_buy_time_with_half_messages(self):
        badge = badge_session(Log(3))
        reason = OPEN
        for now_ms in range(0, limits.SESSION_HELLO_MS + 1, 500):
            badge.control_written(b"\x01\x00rubbish", now_ms)
            reason = badge.close_reason(now_ms)
        self.assertEqual(reason, CLOSE_IDLE)

    def test_host_that_went_quiet_is_dropped_later(self):
        badge, peer = proven(Log(3))
        peer.ask(wire_frames.encode_ack(0, 0, 0), 500)
        badge.close_reason(500)
        self.assertEqual(badge.close_reason(499 + limits.SESSION_IDLE_MS), OPEN)
        self.assertEqual(badge.close_reason(500 + limits.SESSION_IDLE_MS), CLOSE_IDLE)

    def test_endless_rubbish_ends_the_session(self):
        badge = badge_session(Log(3))
        for _ in range(limits.BAD_FRAMES_MAX):
            badge.control_written(b"", 0)
        badge.close_reason(0)
        self.assertEqual(badge.close_reason(limits.REFUSAL_LINGER_MS), CLOSE_BROKEN)

    def test_answers_nobody_takes_are_bounded(self):
        badge, peer = proven(Log(3))
        for _ in range(10):
            peer.ask(b"\x77")
        self.assertEqual(len(drain(badge)), 4)

    def test_committing_a_page_that_was_never_given_is_the_callers_fault(self):
        host = host_session_for(lambda install_id: 0)
        with self.assertRaises(UsageError):
            host.committed(5)


if __name__ == "__main__":
    unittest.main()
