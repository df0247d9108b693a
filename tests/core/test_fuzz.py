"""Changed frames and adverts into each of a badge's parsers: no crash and no leak.

A million of each on CPython, and the host's parsers: tests/host/test_fuzz_parsers.py.
"""

import os
import sys
import unittest

sys.path.append("/".join(__file__.split("/")[:-1] + ["data"]))

import fuzzing

from redband_core.errors import ProtocolError

IS_BADGES = sys.implementation.name == "micropython"
IS_WHOLE = os.getenv("REDBAND_PROOF") == "1"  # `make proof`; `make test` plays a share
COUNT = (100000 if IS_WHOLE else 3000) if IS_BADGES else 3000


class ParserTest(unittest.TestCase):
    def test_parsers_raise_nothing_but_the_documented_error_and_keep_nothing(self):
        for name in sorted(fuzzing.PARSERS):
            function, seeds = fuzzing.PARSERS[name]
            grown = []

            def run(count, function=function, seeds=seeds, grown=grown):
                grown.append(fuzzing.feed(function, seeds, count, len(grown)))

            if IS_BADGES:
                self.assertTrue(fuzzing.grown(run, COUNT) < 1024, name)
            else:
                run(COUNT)
            self.assertTrue(sum(grown) > 0, name)  # some changes leave it sound: it goes deep


class SessionTest(unittest.TestCase):
    def check_nothing_happens(self, target, write, seeds):
        seed = [0]

        def run(count):
            seed[0] += 1
            fuzzing.feed(write, seeds, count, seed[0], errors=())

        if IS_BADGES:
            self.assertTrue(fuzzing.grown(run, COUNT) < 2048)
        else:
            run(COUNT)
        self.assertEqual(target.log.released, [])
        self.assertEqual(target.done, [])
        self.assertEqual(target.log.read_count, 0)

    def test_G12_changed_frames_before_the_proof_change_nothing(self):
        target = fuzzing.Target()
        self.check_nothing_happens(target, target.write, fuzzing.PARTS)
        self.check_nothing_happens(target, target.write_message, fuzzing.MESSAGES)

    def test_G12_changed_signed_messages_in_a_proven_session_change_nothing(self):
        target = fuzzing.Target(is_proven=True)
        sound = set(fuzzing.SIGNED)

        def write(data):
            if data not in sound:
                target.write_message(data)

        self.check_nothing_happens(target, write, fuzzing.SIGNED)

    def test_proven_peer_with_nonsense_breaks_nothing(self):
        target = fuzzing.Target(is_proven=True)

        def ask(data):
            target.peer.ask(data or b"\x00")
            target.drain()
            if target.badge.close_reason(0):
                target.begin()

        for seed in range(3):
            fuzzing.feed(ask, fuzzing.MESSAGES, COUNT // 3, seed, errors=())
            target.done = []
            for before_seq in target.log.released:
                self.assertTrue(before_seq <= target.log.next_seq)
            target.log.released = []


class FuzzerTest(unittest.TestCase):
    def test_fault_is_found_and_not_swallowed(self):
        def parse(data):
            if data[1:2] == b"\x7f":
                raise IndexError("planted")
            raise ProtocolError("as documented")

        with self.assertRaises(IndexError):
            fuzzing.feed(parse, fuzzing.ADVERTS[:1], 50000)


if __name__ == "__main__":
    unittest.main()
