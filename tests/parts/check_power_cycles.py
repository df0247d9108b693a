"""A player's switch is no key: power cycles lead to no mode with fewer penalties (R12, G10)."""

import os
import unittest

import flash_device
from flash_device import FlashDevice, format_and_mount, power_cut, write_file

from redband_badge import limits
from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_badge.journal_pages import JournalPages
from redband_core import gestures, journal, numbers

SETTINGS = b'{"badge_id": 7, "player": "A", "role": "player", "radio": false, "ruleset": "/r.bin"}'
FAILED = (numbers.CAUSE_RESET, numbers.CAUSE_WATCHDOG, numbers.CAUSE_RESET)
ALL_CAUSES = range(6)


def left_of(badge):
    engine = badge.game_journal.engine
    return engine.next_deadline_ms() - engine.now_ms


def shown_by(badge):
    engine = badge.game_journal.engine
    tracks = [engine.track_state(track) for track in range(len(badge.ruleset.state_counts))]
    return tracks, badge.state.counters, badge.state.signal


class PowerCycles(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(96)
        format_and_mount(self.device, "/flash")
        write_file("/flash/settings.json", SETTINGS)
        with open(os.getenv("REDBAND_RULESET"), "rb") as file:
            write_file("/flash/r.bin", file.read())
        self.stores = []

    def tearDown(self):
        while self.stores:
            self.stores.pop().close()
        flash_device.vfs.umount("/flash")

    def start(self, cause):
        """Pull the battery, if it was in, and start for this cause."""
        if self.stores:
            power_cut(self.device, "/flash", self.stores)
        boot = BootRecord("/flash/boot.cnt")
        badge = Badge("/flash", boot, cause, boot.begin(cause))
        badge.load()
        self.stores.append(badge.store)
        return badge

    def dying(self):
        """Return a badge whose player is dying, a minute after the last hit."""
        badge = self.start(numbers.CAUSE_POWER_ON)
        badge.boot.mark_healthy(False)
        for second in range(1, 4):
            badge.game_journal.tick(1000 * second)
            badge.game_journal.take_gesture(gestures.PRESS, 1000 * second, 1000 * second)
        for second in range(4, 64):
            badge.game_journal.tick(1000 * second)
        self.assertTrue(left_of(badge) > 0)
        return badge

    def notes_of(self, badge, code):
        found = []
        pages = JournalPages(badge.store, None)
        page = pages.read(0, 500)
        while page is not None:
            seq, _base_ms, data = page
            offset = 0
            while offset < len(data):
                kind, _delta_ms, payload, offset = journal.decode_record(data, offset, seq)
                seq += 1
                if kind == journal.NOTE and journal.parse_note(payload)[0] == code:
                    found.append(journal.parse_note(payload)[1])
            page = pages.read(seq, 500)
        return found

    def test_R12_two_and_twenty_power_cycles_within_10_s_stay_in_the_game(self):
        badge = self.dying()
        shown, left_ms = shown_by(badge), left_of(badge)
        for _cycle in range(20):
            badge = self.start(numbers.CAUSE_POWER_ON)  # never healthy: on for less than 10 s
            self.assertEqual(badge.reason, 0)
            self.assertEqual(shown_by(badge), shown)
            self.assertTrue(left_ms <= left_of(badge) <= left_ms + 30_000)
            left_ms = left_of(badge)
        self.assertEqual(self.notes_of(badge, numbers.NOTE_SAFE_MODE), [])

    def test_R12_safe_mode_itself_forgives_nothing_and_is_left_by_a_new_battery(self):
        badge = self.dying()
        shown, left_ms = shown_by(badge), left_of(badge)
        reasons = []
        for cause in (numbers.CAUSE_POWER_ON,) + FAILED + (numbers.CAUSE_POWER_ON,) * 2:
            badge = self.start(cause)
            reasons.append(badge.reason)
            self.assertEqual(shown_by(badge), shown)
            self.assertTrue(left_of(badge) >= left_ms)
            left_ms = left_of(badge)
        self.assertEqual(reasons, [0, 0, 0, numbers.REASON_BOOTS, 0, 0])
        # Time goes on in safe mode as well: dead when the time is over, not before.
        for _failure in range(limits.FAILED_BOOTS_MAX):
            badge = self.start(numbers.CAUSE_WATCHDOG)
        self.assertEqual(badge.reason, numbers.REASON_BOOTS)
        badge.game_journal.tick(badge.store.last_ms + left_of(badge) - 1)
        self.assertEqual(shown_by(badge), shown)
        badge.game_journal.tick(badge.store.last_ms + left_ms + 1)
        self.assertTrue(shown_by(badge) != shown)

    def test_R11_each_cause_gives_the_same_state_and_is_recorded(self):
        badge = self.dying()
        shown, left_ms = shown_by(badge), left_of(badge)
        for cause in ALL_CAUSES:
            badge = self.start(cause)
            badge.boot.mark_healthy(False)
            self.assertEqual(shown_by(badge), shown)
            self.assertTrue(left_of(badge) >= left_ms)
            self.assertEqual(badge.cause, cause)

    def test_a_damaged_ruleset_keeps_the_state_for_when_it_is_back(self):
        badge = self.dying()
        shown, left_ms = shown_by(badge), left_of(badge)
        os.rename("/flash/r.bin", "/flash/away.bin")
        for _cycle in range(3):
            badge = self.start(numbers.CAUSE_POWER_ON)
            self.assertEqual(badge.reason, numbers.REASON_RULESET)
            badge.game_journal.take_gesture(gestures.HOLD, 0, 0)
        os.rename("/flash/away.bin", "/flash/r.bin")
        badge = self.start(numbers.CAUSE_POWER_ON)
        self.assertEqual(badge.reason, 0)
        self.assertEqual(shown_by(badge), shown)
        self.assertTrue(left_of(badge) >= left_ms)
