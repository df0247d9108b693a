"""A whole sync, badge session against host session: amounts, back-pressure, refusals."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from link import DONE, INSTALL_ID, Info, Link, Log, SessionCase, Store
from redband_core import frames, host_session, limits, log_frames
from redband_core.badge_session import (
    CLOSE_BROKEN,
    CLOSE_IDLE,
    CLOSE_VERSION,
    OPEN,
    BadgeSession,
)
from redband_core.errors import UsageError
from redband_core.host_session import HostSession

MTUS = (23, 24, 27, 64, 185, 247, 515, 517)
STALL_FREE_TURNS = 35


def one(number, message):
    """Return a message in a single frame."""
    return frames.message_part(number, frames.seal(message), 0, 0, 100)


def failed(reason):
    return (host_session.FAILED, reason)


class PlainSyncTest(SessionCase):
    def test_everything_arrives_at_every_mtu_in_frames_that_fit(self):
        for mtu in MTUS:
            link = Link(Log(300), Store(), mtu)
            link.run()
            self.check_all_arrived(link)
            self.assertTrue(max([len(frame) for frame in link.downs]) <= mtu - 3)
            self.assertTrue(max([len(frame) for frame in link.ups]) <= mtu - 3)
            self.assertEqual(link.stalls, 0)

    def test_100_events_take_three_writes_at_mtu_247(self):
        # With the two subscriptions these are five round trips after connect.
        link = Link(Log(100), Store(), 247)
        link.run()
        self.check_all_arrived(link)
        self.assertEqual(len(link.ups), 3)

    def test_2000_events_need_few_writes(self):
        link = Link(Log(2000), Store(), 247)
        link.run()
        self.check_all_arrived(link)
        self.assertTrue(len(link.ups) <= 8, len(link.ups))

    def test_link_is_kept_full(self):
        # 600 events at 4 packets a turn; a host whose disk takes 2 turns for each page.
        for mtu in (23, 247):
            link = Link(Log(600), Store(), mtu, hold=2)
            link.run()
            self.check_all_arrived(link)
            ideal = (len(link.downs) + 3) // 4
            self.assertTrue(link.turns <= ideal + ideal // 10 + 6, (mtu, link.turns, ideal))

    def test_frames_carry_mostly_journal(self):
        for mtu, share in ((23, 85), (185, 95), (247, 96)):
            log = Log(500)
            link = Link(log, Store(), mtu)
            link.run()
            on_air = sum([len(frame) for frame in link.downs]) + sum(map(len, link.ups))
            kept = sum([len(record) for record in log.records])
            self.assertTrue(kept * 100 >= on_air * share, (mtu, kept, on_air))

    def test_nothing_new_takes_two_writes(self):
        link = Link(Log(5), Store(5), 247)
        link.run()
        self.assertEqual((link.outcome, len(link.ups)), (DONE, 2))
        self.assertEqual(link.store.records, [])
        self.assertEqual(link.log.released, [5])

    def test_empty_journal_of_a_new_badge(self):
        link = Link(Log(0), Store(), 23)
        link.run()
        self.check_all_arrived(link)

    def test_sync_begins_at_the_record_the_host_needs_next(self):
        link = Link(Log(100, first_seq=1000), Store(1037), 23)
        link.run()
        self.check_all_arrived(link, 1037)
        self.assertEqual(link.store.asked, [INSTALL_ID])

    def test_records_the_badge_no_longer_has_are_counted(self):
        log = Log(100)
        log.oldest_seq = 60
        link = Link(log, Store(50), 64)
        link.run()
        self.assertEqual(link.outcome, DONE)
        self.assertEqual(link.store.records, log.records[60:])
        self.assertEqual(link.host.missing_count, 10)

    def test_cursor_ahead_of_the_journal_is_named_not_hidden(self):
        link = Link(Log(5), Store(9), 64)
        self.assertEqual(link.run(), failed(host_session.CURSOR_AHEAD))

    def test_hit_during_the_sync_is_fetched_or_left_for_the_next(self):
        log = Log(40)
        link = Link(log, Store(), 23)
        link.on_down = lambda index: log.append(b"\x01") if index == 12 else None
        link.run()
        self.assertEqual(link.outcome, DONE)
        self.assertEqual(link.store.records, log.records[: len(link.store.records)])
        again = Link(log, link.store, 23)
        again.run()
        self.check_all_arrived(again)

    def test_mtu_change_in_mid_transfer(self):
        for at in (1, 3, 10, 41, 80):
            for mtu in (185, 517):
                link = Link(Log(200), Store(), 23)

                def grow(index, at=at, mtu=mtu, link=link):
                    if index == at:
                        link.badge.set_mtu(mtu)

                link.on_down = grow
                link.run()
                self.check_all_arrived(link)
                self.assertEqual(link.stalls, 0)

    def test_mtu_that_shrinks_is_survived(self):
        link = Link(Log(200), Store(), 247)
        link.on_down = lambda index: link.badge.set_mtu(23) if index == 2 else None
        link.run()
        self.check_all_arrived(link)


class BackPressureTest(SessionCase):
    def test_no_room_in_the_stack_loses_and_repeats_nothing(self):
        link = Link(Log(40), Store(), 23)
        link.has_room = lambda attempt: attempt % 3 == 0
        link.run()
        self.check_all_arrived(link)
        self.assertEqual((link.host.gap_count, link.host.duplicate_count), (0, 0))

    def test_offer_stays_the_same_until_it_is_taken(self):
        badge = BadgeSession(Info, Log(3))
        badge.control_written(one(1, frames.encode_hello()), 0)
        self.assertEqual(badge.next_notification(), badge.next_notification())

    def test_no_room_for_ever_releases_nothing(self):
        link = Link(Log(40), Store(), 23)
        link.has_room = lambda attempt: attempt < 12
        link.run(turns_max=1000)
        self.assertEqual(link.log.released, [])

    def test_window_bounds_what_is_under_way_when_the_host_never_commits(self):
        link = Link(Log(3000), Store(), 23, hold=10000)
        link.run(turns_max=STALL_FREE_TURNS)
        self.assertTrue(len(link.downs) <= limits.WINDOW_FRAMES + 4, len(link.downs))
        self.assertEqual(link.log.released, [])

    def test_journal_may_hand_out_views_of_one_buffer(self):
        log = Log(200)
        read = log.read
        buffer = bytearray(limits.READ_MAX_BYTES)

        def read_into_buffer(from_seq, limit_bytes):
            page = read(from_seq, limit_bytes)
            if page is None:
                return None
            for index in range(len(buffer)):
                buffer[index] = page[2][index] if index < len(page[2]) else 0xEE
            return (page[0], page[1], memoryview(buffer)[: len(page[2])])

        log.read = read_into_buffer
        link = Link(log, Store(), 64)
        link.run()
        self.check_all_arrived(link)

    def test_badge_reads_small_pieces(self):
        for mtu in MTUS:
            log = Log(500)
            sizes = []
            read = log.read

            def spy(from_seq, limit_bytes, read=read, sizes=sizes):
                sizes.append(limit_bytes)
                return read(from_seq, limit_bytes)

            log.read = spy
            Link(log, Store(), mtu).run()
            self.assertTrue(max(sizes) <= limits.READ_MAX_BYTES)


class RefusalTest(SessionCase):
    def greeted(self, log):
        badge = BadgeSession(Info, log)
        badge.control_written(one(1, frames.encode_hello()), 0)
        self.drain(badge)
        return badge

    def drain(self, badge):
        out = []
        while True:
            offered = badge.next_notification()
            if offered is None:
                return out
            out.append(offered)
            badge.sent()

    def refusals(self, badge):
        """Return (number, reason) of every refusal the badge sends."""
        return [(f[0], f[3]) for channel, f in self.drain(badge) if channel == 1 and f[2] == 0xFF]

    def test_version_mismatch_is_refused_by_name_on_both_sides(self):
        badge = BadgeSession(Info, Log(3))
        badge.control_written(one(1, b"\x01\x02extra"), 0)
        self.assertEqual(badge.close_reason(0), OPEN)
        host = HostSession(lambda install_id: 0)
        self.assertEqual(self.drain(badge), [(1, one(1, b"\xff\x01\x01"))])
        host.control_notified(one(1, b"\xff\x01\x07"))
        self.assertEqual(host.events(), [failed(host_session.VERSION)])
        self.assertEqual(host.peer_version, 7)
        self.assertEqual(badge.close_reason(100), OPEN)  # the refusal is still on its way
        self.assertEqual(badge.close_reason(100 + limits.REFUSAL_LINGER_MS), CLOSE_VERSION)

    def test_welcome_of_another_version_is_refused_by_the_host(self):
        host = HostSession(lambda install_id: 0)
        host.control_notified(one(1, b"\x81\x02whatever"))
        self.assertEqual(host.events(), [failed(host_session.VERSION)])
        self.assertEqual(host.peer_version, 2)
        self.assertIsNone(host.next_write())

    def test_fetch_and_ack_before_hello_are_refused(self):
        log = Log(3)
        badge = BadgeSession(Info, log)
        badge.control_written(one(1, frames.encode_fetch(0)), 0)
        badge.control_written(one(2, frames.encode_ack(0, 0, 3)), 0)
        order = frames.REFUSED_ORDER
        self.assertEqual(self.refusals(badge), [(1, order), (2, order)])
        self.assertEqual(log.released, [])

    def test_more_than_the_journal_holds_is_never_released(self):
        log = Log(3)
        badge = self.greeted(log)
        badge.control_written(one(2, frames.encode_ack(0, 0, 4)), 0)
        self.assertEqual(self.refusals(badge), [(2, frames.REFUSED_ORDER)])
        self.assertEqual(log.released, [])

    def test_unknown_command_is_refused_and_the_session_goes_on(self):
        badge = self.greeted(Log(3))
        badge.control_written(one(2, b"\x10hello"), 0)
        self.assertEqual(self.refusals(badge), [(2, frames.REFUSED_UNKNOWN)])
        badge.control_written(one(3, frames.encode_fetch(0)), 0)
        kinds = [frame[0] >> 6 for channel, frame in self.drain(badge) if channel == 2]
        self.assertEqual((kinds[0], kinds[-1]), (log_frames.RUN, log_frames.END))

    def test_host_told_no_gives_up_at_once(self):
        host = HostSession(lambda install_id: 0)
        host.next_write()
        host.control_notified(one(1, b"\xff\x04\x01"))
        self.assertEqual(host.events(), [failed(host_session.REFUSED)])

    def test_stranger_who_says_nothing_is_dropped(self):
        badge = BadgeSession(Info, Log(3))
        self.assertEqual(badge.close_reason(1000), OPEN)
        self.assertEqual(badge.close_reason(999 + limits.SESSION_HELLO_MS), OPEN)
        self.assertEqual(badge.close_reason(1000 + limits.SESSION_HELLO_MS), CLOSE_IDLE)

    def test_stranger_does_not_buy_time_with_half_messages(self):
        badge = BadgeSession(Info, Log(3))
        reason = OPEN
        for now_ms in range(0, limits.SESSION_HELLO_MS + 1, 500):
            badge.control_written(b"\x01\x00rubbish", now_ms)
            reason = badge.close_reason(now_ms)
        self.assertEqual(reason, CLOSE_IDLE)

    def test_host_that_went_quiet_is_dropped_later(self):
        badge = self.greeted(Log(3))
        badge.control_written(one(2, frames.encode_ack(0, 0, 0)), 500)
        badge.close_reason(500)
        self.assertEqual(badge.close_reason(499 + limits.SESSION_IDLE_MS), OPEN)
        self.assertEqual(badge.close_reason(500 + limits.SESSION_IDLE_MS), CLOSE_IDLE)

    def test_endless_rubbish_ends_the_session(self):
        badge = BadgeSession(Info, Log(3))
        for _ in range(limits.BAD_FRAMES_MAX):
            badge.control_written(b"", 0)
        badge.close_reason(0)
        self.assertEqual(badge.close_reason(limits.REFUSAL_LINGER_MS), CLOSE_BROKEN)

    def test_answers_nobody_takes_are_bounded_and_counted(self):
        badge = BadgeSession(Info, Log(3))
        for number in range(1, 11):
            badge.control_written(one(number, b"\x77"), 0)
        self.assertEqual(len(self.drain(badge)), 4)
        self.assertEqual(badge.dropped_answer_count, 6)

    def test_committing_a_page_that_was_never_given_is_the_callers_fault(self):
        host = HostSession(lambda install_id: 0)
        with self.assertRaises(UsageError):
            host.committed(5)


if __name__ == "__main__":
    unittest.main()
