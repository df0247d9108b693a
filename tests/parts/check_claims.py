"""One claim, said many times, from several sides, across a restart: it counts once."""

import unittest

import check_commands
from check_commands import HITS, STUN, FakeBadge, Session

from redband.wire import command_frames as wire_command_frames
from redband_core import journal, numbers


class OneBadgeScoresManyTimes(unittest.TestCase):
    def test_G6_word_said_five_times_from_two_sides_with_a_reboot_between_counts_once(self):
        one = check_commands.badge(HITS)
        argument = check_commands.identity(HITS)
        for said in range(5):
            hops = 8 if said & 1 else 3  # by two ways
            # An event of the rules, as the end of a fight is; each that counted would stun anew.
            event = numbers.BROADCAST_FIGHT_OVER
            one.hear(check_commands.word(9, event, STUN, argument, hops))
            self.assertEqual(one.bench.count(journal.EVENT), 1, said)
            if said == 2:
                one = FakeBadge(one.bench.again())

    def test_G6_order_said_five_times_by_two_hosts_counts_once(self):
        one = check_commands.badge(HITS)
        message = wire_command_frames.encode_event(77, 1, (1, 2))
        hosts = (Session(numbers.ROLE_MARSHAL), Session(numbers.ROLE_MARSHAL))
        for said in range(5):
            one.ask(hosts[said & 1], message, said)
        self.assertEqual(one.bench.count(journal.EVENT), 1)
        self.assertEqual(one.state.counters[0], 2)
        self.assertEqual([len(host.answers) for host in hosts], [3, 2])
