"""Lives of a badge: boots in one journal, a wiped flash, a badge that gets another player.

What is written in one life is never taken for another's, and none is lost (PITFALLS G3, G4).
"""

import json
import os
import unittest

import flash_device
from flash_device import EACH, FlashDevice, format_and_mount, power_cut, read_file, write_file
from store_bench import read_all

from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_badge.journal_pages import JournalPages
from redband_core import gestures, journal

ROOT = "/flash"
JOURNAL = ROOT + "/journal"
with open(os.getenv("REDBAND_RULESET"), "rb") as file:
    HITS = file.read()


def provision(player, badge_id=7):
    values = {"badge_id": badge_id, "player": player, "role": "player", "radio": False}
    values["ruleset"] = "/ruleset.bin"
    write_file(ROOT + "/ruleset.bin", HITS)
    write_file(ROOT + "/settings.json", json.dumps(values).encode())


def start():
    boot = BootRecord(ROOT + "/boot.cnt")
    badge = Badge(ROOT, boot, 1, boot.begin(1))
    badge.load()
    return badge


def press(badge, count):
    now_ms = badge.store.last_ms
    for _press in range(count):
        now_ms += 2000
        badge.game_journal.tick(now_ms)
        badge.game_journal.take_gesture(gestures.PRESS, now_ms, now_ms)


def rows(badge):
    """Return (seq, game_ms, payload, kind) of all records, as a host reads them."""
    return read_all(JournalPages(badge.store, None), 480)[0]


def names(badge):
    """Return (install id, seq) of all records: what a host files them under."""
    return [(badge.store.install_id, row[0]) for row in rows(badge)]


def records_in(folder):
    """Return {(install id, seq): (kind, payload)} of the segments in a folder."""
    found = {}
    for name in os.listdir(folder):
        if name.endswith(".seg"):
            header, records, _end = journal.scan(read_file(folder + "/" + name))
            for seq, kind, _game_ms, payload in records:
                found[(header.install_id, seq)] = (kind, payload)
    return found


def events(found):
    return len([1 for kind, _payload in found.values() if kind == journal.EVENT])


class LivesTest(unittest.TestCase):
    def setUp(self):
        self.device = FlashDevice(48)
        format_and_mount(self.device, ROOT)
        provision("Anna")

    def tearDown(self):
        flash_device.vfs.umount(ROOT)

    def test_G3_events_of_an_unsynced_boot_come_first_and_each_boot_has_its_name(self):
        boots = []
        for boot in range(3):
            badge = start()
            boots.append(badge.info.boot_id)
            press(badge, boot + 1)
            power_cut(self.device, ROOT, [])
        found = rows(start())
        self.assertEqual([row[0] for row in found], list(range(len(found))))
        times = [row[1] for row in found]
        self.assertEqual(times, sorted(times))  # game time never begins anew
        told = []
        for _seq, _ms, payload, kind in found:
            if kind == journal.BOOT:
                told.append([journal.parse_boot(payload)[0], journal.parse_boot(payload)[1], 0])
            elif kind in (journal.EVENT, journal.REFUSED):
                told[-1][2] += 1
        self.assertEqual([row[0] for row in told[:3]], boots)
        self.assertEqual([row[1] for row in told], [1, 2, 3, 4])
        self.assertEqual([row[2] for row in told], [1, 2, 3, 0])
        self.assertEqual(len(set(boots)), 3)

    def test_G3_sync_longer_than_the_watchdog_erases_nothing(self):
        badge = start()
        press(badge, 3)
        pages = JournalPages(badge.store, None)
        page = pages.read(0, 40)
        seen = []
        while page is not None:
            seen.append(page[0])
            power_cut(self.device, ROOT, [])  # the watchdog bites in the middle of each page
            badge = start()
            pages = JournalPages(badge.store, None)
            seq, offset = page[0], 0
            while offset < len(page[2]):
                offset = journal.decode_record(page[2], offset, seq)[3]
                seq += 1
            if len(seen) == 30:
                break
            page = pages.read(seq, 40)
        self.assertEqual(seen[0], 0)
        kinds = [row[3] for row in rows(badge)]
        inputs = kinds.count(journal.EVENT) + kinds.count(journal.REFUSED)
        self.assertEqual(inputs, 3)

    def test_G4_flash_wiped_in_mid_game_begins_a_life_with_other_names(self):
        badge = start()
        press(badge, 2)
        first = names(badge)
        flash_device.vfs.umount(ROOT)
        format_and_mount(self.device, ROOT)
        provision("Anna")
        badge = start()
        press(badge, 2)
        second = names(badge)
        self.assertTrue(first[0][0] != second[0][0])
        self.assertEqual([seq for _install, seq in first], [seq for _install, seq in second])
        self.assertEqual(len(set(first + second)), len(first) + len(second))

    def test_G4_journal_removed_by_hand_begins_a_life_with_other_names(self):
        badge = start()
        press(badge, 2)
        first = set(names(badge))
        flash_device.remove_all(JOURNAL)
        power_cut(self.device, ROOT, [])
        badge = start()
        self.assertFalse(first & set(names(badge)))

    def test_G4_another_player_begins_anew_and_the_old_life_is_kept_at_every_power_cut(self):
        badge = start()
        press(badge, 3)
        old = records_in(JOURNAL)
        old_id = badge.store.install_id
        power_cut(self.device, ROOT, [])
        provision("Boris", 8)
        image = bytes(self.device.data)
        cuts = 0
        for tears in (False, True):
            cut_at = 0
            while self.cut(image, cut_at, tears):
                cuts += 1
                # At the next start, and at one more after that.
                for _start in range(2):
                    badge = start()
                    self.assertEqual(badge.reason, 0)
                    kept = records_in(JOURNAL + ".old")
                    for name in old:
                        self.assertEqual(kept[name], old[name])
                    self.assertEqual(events(kept), events(old))
                    fresh = records_in(JOURNAL)
                    self.assertEqual(events(fresh), 0)
                    self.assertFalse(old_id in [install for install, _seq in fresh])
                    self.assertEqual(badge.info.badge_id, 8)
                    self.assertEqual(badge.state.counters[0], 3)
                    power_cut(self.device, ROOT, [])
                cut_at += EACH
        print("another player: %d cut points" % cuts)
        self.assertTrue(cuts > 100 // EACH)

    def cut(self, image, cut_at, tears):
        """Start from the flash with the power failing; return whether it failed."""
        flash_device.vfs.umount(ROOT)
        device = self.device
        device.data[:] = image
        device.cut_at = None
        flash_device.mount(device, ROOT)
        device.tears = tears
        device.cut_at = device.operations + cut_at
        start()
        was_cut = device.is_dead
        device.tears = False
        power_cut(device, ROOT, [])
        return was_cut
