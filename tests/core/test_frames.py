"""Messages on CONTROL and frames on LOG: exact bytes, and what is refused."""

import binascii
import unittest

from redband.wire import frames as wire_frames
from redband.wire import log_frames as wire_log_frames
from redband_core import frames, limits, log_frames
from redband_core.errors import ProtocolError, UsageError


class Info:
    badge_id = 42
    install_id = 0x11223344
    boot_id = 0x55667788
    firmware_version = "0.1.0"
    ruleset_identity = bytes(range(8))


INFO_HEX = b"02" + b"2a00" + b"44332211" + b"88776655" + b"0001020304050607" + b"05302e312e30"
NONCE = b"badge's 16 bytes"
WELCOME_HEX = b"81" + INFO_HEX + binascii.hexlify(NONCE)
WELCOME = wire_frames.Welcome(2, 42, 0x11223344, 0x55667788, bytes(range(8)), "0.1.0", NONCE)
HELLO = wire_frames.encode_hello(3, b"host8byt")
PROOF = b"a proof of 16 by"
TAG = b"tag of 8"
PROVED = wire_frames.Proved(100, 300, 0x140005, 70000, PROOF)


class Log:
    oldest_seq = 100
    next_seq = 300


PROVED_BYTES = frames.encode_proved(Log, 0x140005, 70000, PROOF)


def hexed(data):
    return binascii.hexlify(bytes(data))


def end_frame(stream, number, next_seq):
    """Return the frame after the last record, with TAG for a proof."""
    return log_frames.end_frame(log_frames.end_head(stream, number, next_seq), TAG)


def parts_of(number, message, limit):
    """Return all frames of a message."""
    message = frames.seal(message)
    parts = []
    offset = 0
    while offset < len(message):
        parts.append(frames.message_part(number, message, offset, len(parts), limit))
        offset += len(parts[-1]) - frames.MESSAGE_HEAD_BYTES
    return parts


class MessageTest(unittest.TestCase):
    def test_golden_vectors(self):
        self.assertEqual(hexed(HELLO), b"010203" + hexed(b"host8byt"))
        self.assertEqual(hexed(wire_frames.encode_prove(PROOF)), b"10" + hexed(PROOF))
        self.assertEqual(
            hexed(PROVED_BYTES),
            b"90" + b"64000000" + b"2c010000" + b"05001400" + b"f0a204" + hexed(PROOF),
        )
        self.assertEqual(hexed(wire_frames.encode_fetch(100)), b"0264000000")
        self.assertEqual(hexed(wire_frames.encode_ack(5, 200, 300)), b"0305c82c010000")
        self.assertEqual(hexed(frames.encode_refused(1)), b"ff0102")
        self.assertEqual(hexed(frames.encode_welcome(Info, NONCE)), WELCOME_HEX)
        self.assertEqual(hexed(frames.encode_info(Info)), INFO_HEX)

    def test_messages_come_back(self):
        self.assertEqual(frames.decode_hello(HELLO), (2, 3, b"host8byt"))
        self.assertEqual(frames.decode_prove(wire_frames.encode_prove(PROOF)), PROOF)
        self.assertEqual(wire_frames.decode_proved(PROVED_BYTES), PROVED)
        self.assertEqual(frames.decode_fetch(wire_frames.encode_fetch(7)), 7)
        self.assertEqual(frames.decode_ack(wire_frames.encode_ack(63, 255, 9)), (63, 255, 9))
        self.assertEqual(wire_frames.decode_refused(frames.encode_refused(2)), (2, 2))
        self.assertEqual(wire_frames.decode_welcome(binascii.unhexlify(WELCOME_HEX)), WELCOME)
        info = wire_frames.decode_info(binascii.unhexlify(INFO_HEX))
        self.assertEqual(info[:-1], WELCOME[:-1])
        self.assertEqual(info.nonce, b"")

    def test_write_cut_to_20_bytes_is_refused_not_half_believed(self):
        decoders = (
            (HELLO, frames.decode_hello),
            (wire_frames.encode_prove(PROOF), frames.decode_prove),
            (PROVED_BYTES, wire_frames.decode_proved),
            (wire_frames.encode_fetch(7), frames.decode_fetch),
            (wire_frames.encode_ack(1, 2, 3), frames.decode_ack),
            (binascii.unhexlify(WELCOME_HEX), wire_frames.decode_welcome),
            (b"\x00" + binascii.unhexlify(INFO_HEX), lambda m: wire_frames.decode_info(m[1:])),
            (frames.encode_refused(1), wire_frames.decode_refused),
        )
        for message, decode in decoders:
            for size in range(1, len(message)):
                with self.assertRaises(ProtocolError):
                    decode(message[:size])

    def test_bytes_behind_the_end_are_refused_where_no_later_version_needs_them(self):
        for message, decode in (
            (HELLO, frames.decode_hello),
            (wire_frames.encode_prove(PROOF), frames.decode_prove),
            (PROVED_BYTES, wire_frames.decode_proved),
            (wire_frames.encode_fetch(7), frames.decode_fetch),
            (wire_frames.encode_ack(1, 2, 3), frames.decode_ack),
        ):
            with self.assertRaises(ProtocolError):
                decode(message + b"\x00")

    def test_hello_and_refusal_of_a_later_version_can_be_read(self):
        self.assertEqual(frames.decode_hello(b"\x01\x03whatever"), (3, 0, b""))
        self.assertEqual(frames.decode_hello(b"\x01\x01"), (1, 0, b""))
        self.assertEqual(wire_frames.decode_refused(b"\xff\x01\x07more"), (1, 7))
        self.assertEqual(
            wire_frames.decode_welcome(binascii.unhexlify(WELCOME_HEX) + b"x"), WELCOME
        )

    def test_text_that_is_not_printable_is_refused(self):
        message = binascii.unhexlify(WELCOME_HEX)
        with self.assertRaises(ProtocolError):
            wire_frames.decode_welcome(message[:-17] + b"\n" + NONCE)
        with self.assertRaises(ProtocolError):
            wire_frames.decode_welcome(message[:-22] + b"\x11" + b"a" * 17 + NONCE)

    def test_wrong_identity_is_the_callers_fault(self):
        class Long(Info):
            ruleset_identity = bytes(9)

        with self.assertRaises(UsageError):
            frames.encode_welcome(Long, NONCE)
        with self.assertRaises(UsageError):
            frames.encode_welcome(Info, NONCE[:-1])
        with self.assertRaises(UsageError):
            wire_frames.encode_hello(3, b"short")

    def test_numbers_go_round_without_zero(self):
        number = 0
        seen = set()
        for _ in range(600):
            number = frames.next_number(number)
            seen.add(number)
        self.assertEqual((len(seen), min(seen), max(seen)), (255, 1, 255))


class JoinerTest(unittest.TestCase):
    def test_message_arrives_whole_at_every_frame_size(self):
        message = bytes(range(255)) * 2
        for limit in (20, 21, 61, 182, 244, 514):
            joiner = frames.Joiner()
            results = [joiner.add(frame) for frame in parts_of(9, message, limit)]
            self.assertEqual(results[-1], (9, message))
            self.assertEqual([r for r in results[:-1] if r is not None], [])

    def test_frame_size_may_change_between_two_parts(self):
        message = bytes(range(100))
        sealed = frames.seal(message)
        first = frames.message_part(3, sealed, 0, 0, 20)
        second = frames.message_part(3, sealed, 18, 1, 200)
        joiner = frames.Joiner()
        self.assertIsNone(joiner.add(first))
        self.assertEqual(joiner.add(second), (3, message))

    def test_golden_vector_of_a_message_in_one_part(self):
        self.assertEqual(hexed(parts_of(1, HELLO, 20)[0]), b"0180" + hexed(HELLO) + b"2c84")

    def test_golden_vector_of_a_message_in_two_parts(self):
        parts = parts_of(7, wire_frames.encode_prove(PROOF), 20)
        self.assertEqual(
            [hexed(part) for part in parts],
            [b"0700" + b"10" + hexed(PROOF) + b"39", b"0781" + b"29"],
        )

    def test_frame_that_the_link_says_twice_is_taken_once(self):
        parts = parts_of(7, bytes(range(60)), 20)
        joiner = frames.Joiner()
        results = [joiner.add(part) for part in parts for _twice in (1, 2)]
        self.assertEqual([r for r in results if r is not None], [(7, bytes(range(60)))])

    def test_command_of_60_bytes_cut_to_20_by_the_stack_is_refused_whole(self):
        frame = parts_of(5, bytes(range(1, 59)), 100)[0]
        for size in range(len(frame)):
            with self.assertRaises(ProtocolError):
                frames.Joiner().add(frame[:size])
        self.assertEqual(frames.Joiner().add(frame), (5, bytes(range(1, 59))))

    def test_missing_part_never_gives_a_message(self):
        parts = parts_of(7, bytes(100), 20)
        for missing in range(len(parts) - 1):
            joiner = frames.Joiner()
            raised = 0
            for index in range(len(parts)):
                if index == missing:
                    continue
                try:
                    self.assertIsNone(joiner.add(parts[index]))
                except ProtocolError:
                    raised += 1
            self.assertTrue(raised > 0)

    def test_beginning_of_another_message_drops_the_half_one(self):
        joiner = frames.Joiner()
        joiner.add(parts_of(7, bytes(100), 20)[0])
        self.assertEqual(joiner.add(parts_of(8, b"ab", 20)[0]), (8, b"ab"))

    def test_memory_is_bounded_when_a_message_never_ends(self):
        joiner = frames.Joiner()
        most = 0
        part = 0
        with self.assertRaises(ProtocolError):
            while part < 128:
                joiner.add(bytes((7, part)) + bytes(50))
                most += 50
                part += 1
        self.assertTrue(most <= limits.CONTROL_MESSAGE_MAX_BYTES)

    def test_empty_frames_and_number_zero_are_refused(self):
        for data in (b"", b"\x01", b"\x01\x80", b"\x00\x80\x01"):
            with self.assertRaises(ProtocolError):
                frames.Joiner().add(data)


class LogFrameTest(unittest.TestCase):
    def test_golden_vectors(self):
        run = log_frames.run_head(5, 255, 100, 70000)
        self.assertEqual(hexed(run), b"45ff" + b"64000000" + b"f0a204" + b"5455")
        self.assertEqual(hexed(log_frames.more_head(5, 256)), b"0500")
        self.assertEqual(
            hexed(end_frame(63, 1, 300)), b"bf01" + b"2c010000" + hexed(TAG) + b"7df2"
        )

    def test_frames_come_back(self):
        head = bytes(log_frames.run_head(5, 9, 100, 70000))
        self.assertEqual(
            wire_log_frames.decode_log(head + b"abc"),
            wire_log_frames.LogFrame(log_frames.RUN, 5, 9, 100, 70000, 0, b"abc"),
        )
        more = bytes(log_frames.more_head(5, 10)) + b"de"
        self.assertEqual(
            wire_log_frames.decode_log(more),
            wire_log_frames.LogFrame(log_frames.MORE, 5, 10, 0, 0, 0, b"de"),
        )
        end = wire_log_frames.decode_log(end_frame(5, 11, 300))
        self.assertEqual((end.kind, end.number, end.seq, end.data), (log_frames.END, 11, 300, TAG))
        skip = wire_log_frames.decode_log(log_frames.skip_frame(5, 12, 300, 310))
        self.assertEqual(skip, wire_log_frames.LogFrame(log_frames.SKIP, 5, 12, 300, 0, 310, b""))

    def test_head_of_any_run_leaves_room_for_data_at_mtu_23(self):
        head = log_frames.run_head(63, 255, 0xFFFFFFFE, 1 << 53)
        self.assertTrue(len(head) <= 16)

    def test_any_changed_byte_of_a_head_is_noticed(self):
        # Records have their own checksums; these numbers have none but this.
        for whole in (
            bytes(log_frames.run_head(5, 9, 100, 70000)),
            end_frame(5, 11, 300),
            log_frames.skip_frame(5, 12, 300, 310),
        ):
            for index in range(2, len(whole)):
                for bit in (1, 0x80):
                    data = bytearray(whole)
                    data[index] ^= bit
                    with self.assertRaises(ProtocolError):
                        wire_log_frames.decode_log(data)

    def test_broken_frames_are_refused(self):
        cases = [b"", b"\x05", b"\x05\x00", b"\xc5\x00abc", b"\x85\x00\x01", b"\x45\x00\x01"]
        cases.append(end_frame(1, 1, 1) + b"x")
        cases.append(log_frames.skip_frame(1, 1, 1, 2) + b"x")
        cases.append(log_frames.skip_frame(1, 1, 5, 5))
        for data in cases:
            with self.assertRaises(ProtocolError):
                wire_log_frames.decode_log(data)


if __name__ == "__main__":
    unittest.main()
