"""A whole sync over a link that drops, repeats, reorders, cuts and changes frames."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from link import DONE, Link, Log, Random, SessionCase, Store
from redband_core import host_session


def failed(reason):
    return (host_session.FAILED, reason)


class LossTest(SessionCase):
    def test_any_single_lost_frame_is_asked_for_again(self):
        whole = Link(Log(60), Store(), 23)
        whole.run()
        for lost in range(len(whole.downs)):
            link = Link(Log(60), Store(), 23)
            link.down = lambda index, frame, lost=lost: [] if index == lost else [frame]
            link.run()
            self.check_all_arrived(link)

    def test_any_single_lost_write_is_said_again(self):
        for lost in range(4):
            link = Link(Log(120), Store(), 23)
            link.up = lambda index, frame, lost=lost: [] if index == lost else [frame]
            link.run()
            self.check_all_arrived(link)

    def test_two_drops_in_one_page(self):
        link = Link(Log(60), Store(), 23)
        link.down = lambda index, frame: [] if index in (8, 11, 12) else [frame]
        link.run()
        self.check_all_arrived(link)
        self.assertTrue(link.host.gap_count >= 1)

    def test_resumes_at_the_exact_record(self):
        # Frame 10 of a page of many is lost: what came before it is not sent again.
        log = Log(60)
        link = Link(log, Store(), 23)
        link.down = lambda index, frame: [] if index == 10 else [frame]
        link.run()
        self.check_all_arrived(link)
        pages = [event for event in link.events if event[0] == host_session.PAGE]
        self.assertTrue(0 < pages[0][4] < 20, pages[0])
        self.assertEqual(pages[1][1], pages[0][4])

    def test_every_frame_repeated(self):
        link = Link(Log(100), Store(), 23)
        link.down = lambda index, frame: [frame, frame]
        link.up = lambda index, frame: [frame, frame]
        link.run()
        self.check_all_arrived(link)
        self.assertEqual((link.stalls, link.host.gap_count), (0, 0))

    def test_neighbours_out_of_order(self):
        link = Link(Log(100), Store(), 64)
        kept = []

        def swap(index, frame):
            if index % 9 == 8:
                kept.append(frame)
                return []
            back = kept[:]
            kept[:] = []
            return [frame] + back

        link.down = swap
        link.run()
        self.check_all_arrived(link)

    def test_every_frame_cut_once(self):
        whole = Link(Log(40), Store(), 23)
        whole.run()
        for bad in range(len(whole.downs)):
            for size in (0, 1, 2, 3, 7):
                link = Link(Log(40), Store(), 23)
                link.down = lambda i, frame, bad=bad, size=size: [
                    frame[:size] if i == bad else frame
                ]
                link.run()
                self.check_all_arrived(link)

    def test_every_write_cut_once(self):
        for bad in range(3):
            for size in range(9):
                link = Link(Log(40), Store(), 23)
                link.up = lambda i, frame, bad=bad, size=size: [
                    frame[:size] if i == bad else frame
                ]
                link.run()
                self.check_all_arrived(link)

    def test_flipped_bits_never_reach_the_store(self):
        random = Random(5)
        link = Link(Log(150), Store(), 64)

        def flip(index, frame):
            if random.below(12):
                return [frame]
            data = bytearray(frame)
            data[random.below(len(data))] ^= 1 << random.below(8)
            return [bytes(data)]

        link.down = flip
        link.run()
        self.check_all_arrived(link)

    def test_random_loss_repeats_and_delays(self):
        for seed in range(12):
            random = Random(seed)
            link = Link(Log(150), Store(), (23, 64, 247)[seed % 3])
            late = []

            def mangle(index, frame, random=random, late=late):
                dice = random.below(100)
                arriving = [] if dice < 4 else [frame, frame] if dice < 8 else [frame]
                if dice == 99:
                    late.append(frame)
                elif late and dice > 90:
                    arriving = arriving + late
                    late[:] = []
                return arriving

            link.down = mangle
            link.up = lambda i, frame, random=random: [] if random.below(12) == 0 else [frame]
            link.run()
            self.check_all_arrived(link)

    def test_abort_at_every_frame_then_the_rest_comes(self):
        # Nothing is released before it was committed, nothing is fetched twice (PITFALLS G2).
        whole = Link(Log(60), Store(), 64)
        whole.run()
        for at in range(1, len(whole.downs)):
            log = Log(60)
            store = Store()
            link = Link(log, store, 64)
            link.down = lambda index, frame, at=at: [frame] if index < at else []
            link.run(turns_max=20)
            self.assertTrue(max(log.released or [0]) <= store.next_seq)
            again = Link(log, store, 64)
            again.run()
            self.assertEqual(again.outcome, DONE)
            self.assertEqual(store.records, log.records)

    def test_badge_that_falls_silent_ends_the_session(self):
        link = Link(Log(300), Store(), 23)
        link.down = lambda index, frame: [frame] if index < 30 else []
        link.badge.close_reason = lambda now_ms: 0
        self.assertEqual(link.run(), failed(host_session.SILENT))
        self.assertTrue(link.store.next_seq > 0)

    def test_nothing_but_noise_ends_the_session(self):
        link = Link(Log(300), Store(), 23)
        link.down = lambda index, frame: [frame if index < 4 else frame[:2] + b"\xff" * 18]
        link.run()
        self.assertEqual(link.outcome[0], host_session.FAILED)


if __name__ == "__main__":
    unittest.main()
