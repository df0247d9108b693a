"""command_frames, of core and of the wire: one value, one encoding; rubbish only raises."""

import unittest

from redband.wire import command_frames as wire_command_frames
from redband_core import command_frames, frames, numbers
from redband_core.errors import ProtocolError, UsageError

NUMBERS = (0, 1, 127, 128, 65535, (1 << 32) - 1)
DECODERS = (
    command_frames.decode_event,
    command_frames.decode_command,
    command_frames.decode_broadcast,
)


def rubbish(count):
    """Yield byte strings, the same each time."""
    state = 12345
    for _ in range(count):
        data = bytearray()
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        for _byte in range(state % 30):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            data.append(state >> 16 & 0xFF)
        yield bytes(data)


class Codec(unittest.TestCase):
    def test_event_comes_back(self):
        for request in NUMBERS:
            for event_id in (0, 5, 127, 128, 999):
                for args in ((), (0,), (1, -1, 65535, -(1 << 52)), (7,) * 16):
                    message = wire_command_frames.encode_event(request, event_id, args)
                    self.assertEqual(message[0], frames.EVENT)
                    found = command_frames.decode_event(message)
                    self.assertEqual(found, (request, event_id, args))

    def test_command_and_broadcast_come_back(self):
        for request in NUMBERS:
            message = wire_command_frames.encode_command(request, 6)
            self.assertEqual(message[0], frames.COMMAND)
            self.assertEqual(command_frames.decode_command(message), (request, 6, ()))
        payload = bytes(range(24))
        message = wire_command_frames.encode_broadcast(payload)
        self.assertEqual(message[0], frames.BROADCAST)
        self.assertEqual(command_frames.decode_broadcast(message), payload)

    def test_results_come_back(self):
        for opcode in (frames.EVENT, frames.COMMAND):
            for number in NUMBERS:
                for outcome in (0, 1, 300, -1, -9):
                    message = command_frames.encode_result(opcode, number, outcome)
                    self.assertEqual(message[0], opcode + 0x80)
                    self.assertEqual(
                        wire_command_frames.decode_result(message, opcode), (number, outcome)
                    )
        message = command_frames.encode_broadcast_result(77, numbers.ANSWER_OLD)
        self.assertEqual(wire_command_frames.decode_result(message, frames.BROADCAST), (77, -7))
        with self.assertRaises(ProtocolError):
            wire_command_frames.decode_result(message, frames.EVENT)

    def test_what_does_not_fit_is_refused_by_the_host(self):
        for request, event_id, args in (
            (-1, 0, ()),
            (1 << 32, 0, ()),
            (1, -1, ()),
            (1, 1, (1 << 53,)),
            (1, 1, (0,) * 17),
        ):
            with self.assertRaises(UsageError):
                wire_command_frames.encode_event(request, event_id, args)
        with self.assertRaises(UsageError):
            wire_command_frames.encode_command(1, 256)
        with self.assertRaises(UsageError):
            wire_command_frames.encode_broadcast(bytes(23))

    def test_cut_and_longer_messages_raise(self):
        for message, decode in (
            (wire_command_frames.encode_event(9, 128, (5, 6)), command_frames.decode_event),
            (wire_command_frames.encode_command(9, 1), command_frames.decode_command),
            (wire_command_frames.encode_broadcast(bytes(24)), command_frames.decode_broadcast),
        ):
            for size in range(1, len(message)):
                try:
                    self.assertTrue(decode(message[:size]) != decode(message))
                except ProtocolError:
                    pass
        for decode, message in (
            (command_frames.decode_command, wire_command_frames.encode_command(9, 1)),
            (command_frames.decode_broadcast, wire_command_frames.encode_broadcast(bytes(24))),
        ):
            with self.assertRaises(ProtocolError):
                decode(message + b"\x00")
        with self.assertRaises(ProtocolError):
            command_frames.decode_event(
                wire_command_frames.encode_event(9, 1, (0,) * 16) + b"\x00"
            )

    def test_rubbish_is_a_message_that_encodes_to_itself_or_raises(self):
        for data in rubbish(3000):
            for decode in DECODERS:
                try:
                    found = decode(b"\x12" + data)
                except ProtocolError:
                    continue
                if decode is command_frames.decode_event:
                    self.assertEqual(wire_command_frames.encode_event(*found)[1:], data)
                elif decode is command_frames.decode_broadcast:
                    self.assertEqual(wire_command_frames.encode_broadcast(found)[1:], data)
                else:
                    self.assertEqual(wire_command_frames.encode_command(*found[:2])[1:], data)

    def test_every_command_has_its_roles_and_no_player_has_any(self):
        commands = (
            numbers.COMMAND_PAUSE,
            numbers.COMMAND_RESUME,
            numbers.COMMAND_GAME_BEGINS,
            numbers.COMMAND_GAME_OVER,
            numbers.COMMAND_EMERGENCY_OVER,
            numbers.COMMAND_IDENTIFY,
            numbers.COMMAND_TRANSPORT,
        )
        self.assertEqual(commands, tuple(range(1, len(command_frames.COMMAND_ROLES))))
        for command in commands:
            roles = command_frames.COMMAND_ROLES[command]
            self.assertTrue(roles)
            self.assertEqual(roles & ~0b11110, 0)


if __name__ == "__main__":
    unittest.main()
