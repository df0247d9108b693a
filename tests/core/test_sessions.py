"""A whole sync, badge session against host session: amounts and back-pressure."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from link import DONE, INSTALL_ID, Link, Log, Peer, SessionCase, Store, badge_session

from redband.wire import log_stream as wire_log_stream
from redband_core import limits

MTUS = (23, 24, 27, 64, 185, 247, 515, 517)
STALL_FREE_TURNS = 35


def failed(reason):
    return (wire_log_stream.FAILED, reason)


class PlainSyncTest(SessionCase):
    def test_everything_arrives_at_every_mtu_in_frames_that_fit(self):
        for mtu in MTUS:
            link = Link(Log(300), Store(), mtu)
            link.run()
            self.check_all_arrived(link)
            self.assertTrue(max([len(frame) for frame in link.downs]) <= mtu - 3)
            self.assertTrue(max([len(frame) for frame in link.ups]) <= mtu - 3)
            self.assertEqual(link.stalls, 0)

    def test_100_events_take_four_writes_at_mtu_247(self):
        # With the two subscriptions these are six round trips after connect.
        link = Link(Log(100), Store(), 247)
        link.run()
        self.check_all_arrived(link)
        self.assertEqual(len(link.ups), 4)

    def test_2000_events_need_few_writes(self):
        link = Link(Log(2000), Store(), 247)
        link.run()
        self.check_all_arrived(link)
        self.assertTrue(len(link.ups) <= 9, len(link.ups))

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

    def test_nothing_new_takes_three_writes(self):
        link = Link(Log(5), Store(5), 247)
        link.run()
        self.assertEqual((link.outcome, len(link.ups)), (DONE, 3))
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

    def test_hole_in_the_middle_is_said_and_the_rest_arrives(self):
        for mtu in (23, 247):
            log = Log(100)
            read = log.read

            def read_around_the_hole(from_seq, limit_bytes, read=read, log=log):
                # Records 40 to 49 and the last five were on a damaged block.
                if from_seq >= 95:
                    return None
                page = read(50 if 40 <= from_seq < 50 else from_seq, 60)
                data = b""
                for seq in range(page[0], 40 if page[0] < 40 else 95):
                    if len(data) > 60:
                        break
                    data += log.records[seq]
                return (page[0], page[1], data)

            log.read = read_around_the_hole
            link = Link(log, Store(), mtu)
            link.run()
            self.assertEqual(link.outcome, DONE)
            self.assertEqual(link.store.records, log.records[:40] + log.records[50:95])
            self.assertEqual((link.host.missing_count, link.host.gap_count), (15, 0))
            self.assertEqual(link.store.times_ms[40], 5100)

    def test_frames_are_filled_although_the_journal_is_read_in_small_pieces(self):
        log = Log(400)
        read = log.read
        log.read = lambda from_seq, limit_bytes: read(from_seq, 50)
        link = Link(log, Store(), 247)
        link.run()
        self.check_all_arrived(link)
        # Between the first of the journal, which has only what was read first, and the last two.
        sizes = {len(frame) for frame in link.downs[3:-2]}
        self.assertEqual(sizes, {limits.FRAME_MAX_BYTES})

    def test_frame_never_takes_two_link_layer_packets(self):
        link = Link(Log(400), Store(), 517)
        link.run()
        self.assertEqual(max([len(frame) for frame in link.downs]), 244)

    def test_cursor_ahead_of_the_journal_is_named_not_hidden(self):
        link = Link(Log(5), Store(9), 64)
        self.assertEqual(link.run(), failed(wire_log_stream.CURSOR_AHEAD))

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
        self.assertEqual((link.host.gap_count, link.host.unused_count), (0, 0))

    def test_offer_stays_the_same_until_it_is_taken(self):
        badge = badge_session(Log(3))
        Peer(badge).hello()
        self.assertEqual(badge.next_notification(), badge.next_notification())

    def test_no_room_for_ever_releases_nothing(self):
        link = Link(Log(40), Store(), 23)
        link.has_room = lambda attempt: attempt < 12
        link.run(turns_max=1000)
        self.assertEqual(link.log.released, [])

    def test_window_bounds_what_is_under_way_when_the_host_never_commits(self):
        link = Link(Log(3000), Store(), 23, hold=10000)
        link.run(turns_max=STALL_FREE_TURNS)
        self.assertTrue(len(link.downs) <= limits.WINDOW_FRAMES + 8, len(link.downs))
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


if __name__ == "__main__":
    unittest.main()
