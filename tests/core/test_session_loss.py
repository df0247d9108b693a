"""A whole sync over a link that drops, repeats, reorders, cuts and changes frames."""

import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

from link import (
    BADGE_NONCE,
    DONE,
    HOST_NONCE,
    MASTER,
    Info,
    Link,
    Log,
    Peer,
    Random,
    SessionCase,
    Store,
    badge_session,
    drain,
    host_session_for,
    key_for,
    one,
)

from redband.wire import frames as wire_frames
from redband.wire import log_stream as wire_log_stream
from redband_core import frames, limits, proofs


def failed(reason):
    return (wire_log_stream.FAILED, reason)


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
        for lost in range(9):
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
        pages = [event for event in link.events if event[0] == wire_log_stream.PAGE]
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
        for bad in range(7):
            for size in range(20):
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

    def test_nothing_is_released_before_a_slow_disk_has_it(self):
        log = Log(600)
        store = Store()
        link = Link(log, store, 23, hold=3)
        early = []

        def release(before_seq):
            log.released.append(before_seq)
            if before_seq > store.next_seq:
                early.append((before_seq, store.next_seq))

        log.release = release
        link.run()
        self.check_all_arrived(link)
        self.assertTrue(len(log.released) > 3)
        self.assertEqual(early, [])

    def test_badge_that_falls_silent_ends_the_session(self):
        link = Link(Log(300), Store(), 23)
        link.down = lambda index, frame: [frame] if index < 34 else []
        link.badge.close_reason = lambda now_ms: 0
        self.assertEqual(link.run(), failed(wire_log_stream.SILENT))
        self.assertTrue(link.store.next_seq > 0)

    def test_nothing_but_noise_ends_the_session(self):
        link = Link(Log(300), Store(), 23)
        link.down = lambda index, frame: [frame if index < 8 else frame[:2] + b"\xff" * 18]
        link.run()
        self.assertEqual(link.outcome[0], wire_log_stream.FAILED)


class FrameByFrameTest(unittest.TestCase):
    """What only a close look can tell: the checksums of the records hide many mistakes."""

    def setUp(self):
        self.begin(Log(400))

    def begin(self, log):
        """Prove ourselves to a badge with this journal, and fetch all of it."""
        self.badge = badge_session(log)
        self.peer = Peer(self.badge)
        self.peer.hello()
        self.peer.prove()
        drain(self.badge)
        self.fetch = self.peer.ask(wire_frames.encode_fetch(0))

    def take(self, count):
        """Take up to so many frames; return them."""
        taken = []
        while len(taken) < count:
            offered = self.badge.next_notification()
            if offered is None:
                break
            self.badge.sent()
            taken.append(offered[1])
        return taken

    def host(self):
        """Return a host that has asked for everything, as message 3."""
        host = host_session_for(lambda install_id: 0)
        host.set_write_limit(244)
        host.next_write()
        host.control_notified(one(1, frames.encode_welcome(Info, BADGE_NONCE)))
        host.next_write()
        key = proofs.session_key(key_for(42), MASTER, 42, HOST_NONCE, BADGE_NONCE)
        proved = frames.encode_proved(Log(400), 0, 0, b"")
        proof = proofs.badge_proof(key, proved[1:], frames.encode_info(Info))
        host.control_notified(one(2, proved + proof))
        host.next_write()
        return host

    def test_repeated_fetch_does_not_use_frame_numbers_twice(self):
        self.take(3)
        self.peer.number -= 1
        self.peer.ask(wire_frames.encode_fetch(0))
        self.assertEqual(self.take(1)[0][1], 3)

    def test_late_acknowledgement_takes_nothing_back(self):
        self.assertEqual(len(self.take(1000)), limits.WINDOW_FRAMES)
        self.peer.ask(wire_frames.encode_ack(3, 100, 0))
        self.assertEqual(len(self.take(50)), 50)
        self.peer.ask(wire_frames.encode_ack(3, 40, 0))
        self.assertEqual(len(self.take(1000)), 50)

    def test_acknowledgement_of_frames_not_sent_opens_nothing(self):
        self.take(1000)
        self.peer.ask(wire_frames.encode_ack(3, limits.WINDOW_FRAMES + 1, 0))
        self.peer.ask(wire_frames.encode_ack(4, 50, 0))  # of another stream
        self.assertEqual(len(self.take(1000)), 0)

    def test_offer_that_was_not_taken_is_cut_anew_by_a_new_mtu(self):
        self.badge.set_mtu(247)
        self.assertEqual(len(self.badge.next_notification()[1]), limits.FRAME_MAX_BYTES)
        self.badge.set_mtu(23)
        self.assertEqual(len(self.badge.next_notification()[1]), 20)
        self.assertEqual([frame[1] for frame in self.take(2)], [0, 1])

    def test_sent_without_an_offer_changes_nothing(self):
        self.badge.sent()
        self.take(2)
        self.badge.sent()
        self.assertEqual([frame[1] for frame in self.take(2)], [2, 3])

    def test_gap_inside_a_long_record_is_noticed_at_the_very_next_frame(self):
        self.begin(Log(20, long_every=1))
        host = self.host()
        arriving = self.take(4)
        for frame in (arriving[0], arriving[1], arriving[3]):
            self.assertIsNone(host.next_write())
            host.log_notified(frame)
        self.assertEqual(host.gap_count, 1)
        number, asked = frames.Joiner().add(host.next_write())
        self.assertEqual(number, 4)
        self.assertEqual(asked[: -proofs.SIGNATURE_BYTES], wire_frames.encode_fetch(0))

    def test_frames_of_a_given_up_stream_are_not_taken_for_the_new_one(self):
        host = self.host()
        arriving = self.take(4)
        host.log_notified(arriving[1])  # the first frame of all is lost
        host.next_write()
        for frame in arriving:
            host.log_notified(frame)
        self.assertEqual((host.unused_count, host.gap_count), (4, 1))
        happened = [event[0] for event in host.events()]
        self.assertEqual(happened, [wire_log_stream.HELLO, wire_log_stream.PROVEN])


if __name__ == "__main__":
    unittest.main()
