"""Updates over the air: the battery is pulled at each operation of the flash, and on trial."""

import asyncio

from flash_device import read_file, write_file
from update_bench import FIRMWARE, ROOT, Package, UpdateCase, slots

from redband_badge import trial
from redband_badge.settings import parse
from redband_core import numbers, upload


class CutTest(UpdateCase):
    """The battery is pulled at every operation of the flash."""

    def cuts(self, start, step):
        """Do `step` from the flash `start`, cut at each operation in turn, torn at each second."""
        number = 0
        while True:
            self.set_flash(start)
            self.device.cut_at = self.device.operations + number
            self.device.tears = number & 1 == 1
            is_cut = False
            try:
                step()
            except OSError:
                is_cut = True
            is_cut = is_cut or self.device.is_dead
            self.power_cycle()
            yield number
            if not is_cut:
                return
            number += 1

    def after(self, step):
        self.set_flash(self.fresh)
        step()
        self.power_cycle()
        return bytes(self.device.data)

    def test_T7_cut_anywhere_in_an_upload_leaves_the_old_version_or_the_complete_new_one(self):
        for number in self.cuts(self.fresh, lambda: self.upload(FIRMWARE)):
            self.boot()
            found = self.check_whole()
            if found == "old":
                self.assertEqual(self.upload(FIRMWARE), upload.DONE, number)
                self.boot()
                self.assertEqual(self.check_whole(), "new")
        self.assertTrue(number > 60)

    def test_cut_anywhere_in_the_take_over_is_finished_by_the_next_start(self):
        taken = self.after(lambda: self.upload(FIRMWARE))
        count = 0
        for _number in self.cuts(taken, self.boot):
            count += 1
            self.assertTrue(self.boot())
            self.assertEqual(self.check_whole(), "new")
        self.assertTrue(count > 4)

    def in_trial(self):
        self.upload(FIRMWARE)
        self.boot()

    def test_cut_anywhere_in_the_confirmation_keeps_the_new_version(self):
        def confirm():
            asyncio.run(self.confirm())

        for _number in self.cuts(self.after(self.in_trial), confirm):
            self.boot()
            self.assertEqual(self.check_whole(), "new")
            self.device.cut_at = None
            asyncio.run(self.confirm())
            self.boot()
            self.assertEqual(self.check_whole(), "new")
            self.assertFalse(slots.exists(ROOT + "/lib.old"))
            self.assertFalse(slots.exists(ROOT + "/slot"))

    async def confirm(self):
        if slots.exists(ROOT + "/slot"):
            trial._NOTED_MS = 0
            decide(self.badge)
            await asyncio.sleep_ms(0)
            while slots.exists(ROOT + "/slot") and not self.device.is_dead:
                await asyncio.sleep_ms(0)

    def test_cut_anywhere_in_the_way_back_ends_with_the_old_version(self):
        def fail():
            slots.choose(ROOT, True)

        count = 0
        for _number in self.cuts(self.after(self.in_trial), fail):
            count += 1
            # A battery that was pulled before the verdict was written is no verdict.
            if slots.exists(ROOT + "/slot") and slots.choose(ROOT, False):
                self.assertEqual(self.check_whole(), "new")
                slots.choose(ROOT, True)
            self.assertEqual(self.check_whole(), "old")
            self.assertFalse(slots.exists(ROOT + "/lib.bad"))
            asyncio.run(self.confirm())
            self.assertTrue((numbers.NOTE_UPDATE_ROLLED_BACK, 1) in self.badge.note_queue)
            self.assertFalse(slots.exists(ROOT + "/slot"))
        self.assertTrue(count > 6)

    def test_R5_cut_anywhere_in_a_change_of_settings_leaves_the_old_or_the_new(self):
        package = Package(upload.SETTINGS, [("/settings.json", b'{"player": "Boris"}')])
        found = set()
        for _number in self.cuts(self.fresh, lambda: (self.upload(package), self.boot())):
            self.boot()
            found.add(parse(read_file(ROOT + "/settings.json")).player)
            self.check_whole()
        self.assertEqual(found, {"Anna", "Boris"})


class Modules:
    """Stands for the Needed of the module trial."""

    @staticmethod
    def end():
        """Leave it where it is."""


def decide(badge):
    """Let the badge decide on the version on trial."""
    trial.decide(badge.root, badge.state, badge.info, badge.note_queue, badge.supervisor, Modules)


class TrialTest(UpdateCase):
    def in_trial(self):
        self.upload(FIRMWARE)
        self.assertTrue(slots.choose(ROOT, False))

    def test_battery_pulled_on_trial_is_no_verdict_twice(self):
        self.in_trial()
        for _pull in range(2):
            self.assertTrue(slots.choose(ROOT, False))
            self.assertEqual(self.check_whole(), "new")
        self.assertFalse(slots.choose(ROOT, False))
        self.assertEqual(self.check_whole(), "old")
        self.assertEqual(read_file(ROOT + "/slot")[3], slots.CAUSE_PULLS)

    def test_reset_on_trial_brings_the_old_version_back_at_once(self):
        self.in_trial()
        write_file(ROOT + "/boot.cnt", b"failed starts of the new version")
        self.assertFalse(slots.choose(ROOT, True))
        self.assertEqual(self.check_whole(), "old")
        self.assertFalse(slots.exists(ROOT + "/boot.cnt"))
        self.assertEqual(read_file(ROOT + "/slot")[3], slots.CAUSE_RESET)

    def test_version_that_fares_worse_is_reset_and_one_that_fares_no_worse_stays(self):
        self.in_trial()
        slot = bytearray(read_file(ROOT + "/slot"))
        self.assertFalse(trial.is_worse(self.badge.state, slot))
        self.badge.state.safe_mode_reason = numbers.REASON_BOOTS
        self.assertTrue(trial.is_worse(self.badge.state, slot))
        slot[4] = numbers.REASON_BOOTS
        self.assertFalse(trial.is_worse(self.badge.state, slot))
        self.badge.state.set_fault(numbers.FAULT_RADIO, True)
        self.assertTrue(trial.is_worse(self.badge.state, slot))
        slot[5] = numbers.FAULT_RADIO
        self.assertFalse(trial.is_worse(self.badge.state, slot))

    def test_file_of_somebody_else_moves_to_the_new_version(self):
        write_file(ROOT + "/lib/other.py", b"x = 1")
        self.in_trial()

        async def confirm():
            trial._NOTED_MS = 0
            decide(self.badge)
            while slots.exists(ROOT + "/slot"):
                await asyncio.sleep_ms(0)

        asyncio.run(confirm())
        self.assertEqual(read_file(ROOT + "/lib/other.py"), b"x = 1")

    def test_damaged_slot_file_is_forgotten(self):
        write_file(ROOT + "/slot", b"\x01")
        self.assertFalse(slots.choose(ROOT, False))
        self.assertFalse(slots.exists(ROOT + "/slot"))
        self.assertEqual(self.check_whole(), "old")
