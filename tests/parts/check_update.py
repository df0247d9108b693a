"""Updates over the air: what is taken, what is refused, and the link ends at any frame."""

import asyncio
import hashlib
import json
import sys

import esp32
from flash_device import read_file, write_file
from update_bench import (
    FIRMWARE,
    NEW,
    ROOT,
    RULESET,
    SETTINGS,
    Cut,
    Package,
    UpdateCase,
    link,
    slots,
    tree,
    version,
)

from redband_badge import limits, update
from redband_badge.settings import parse
from redband_core import frames, numbers, session, upload
from redband_core.errors import ProtocolError
from redband_hal import system


class UploadTest(UpdateCase):
    def test_firmware_arrives_at_any_mtu_and_is_taken_over_by_the_next_start(self):
        for mtu in (23, 48, 185, 247, 517):
            self.mtu = mtu
            self.set_flash(self.fresh)
            self.assertEqual(self.upload(FIRMWARE), upload.DONE)
            self.assertEqual(len(self.resets), 1)
            self.resets.clear()
            self.assertEqual(self.check_whole(), "old")
            self.assertTrue(self.boot())
            self.assertEqual(self.check_whole(), "new")
            self.assertEqual(read_file(ROOT + "/lib/manifest"), FIRMWARE.manifest)

    def test_link_that_ends_at_any_frame_goes_on_at_the_exact_byte(self):
        self.upload(FIRMWARE)
        count = self.written
        self.assertTrue(count > 25)
        for cut_frame in range(count):
            self.set_flash(self.fresh)
            with self.assertRaises(Cut):
                self.upload(FIRMWARE, cut_frame=cut_frame)
            held = self.desk.upload.offset if self.desk.upload is not None else 0
            self.desk.stop()
            self.assertEqual(self.check_whole(), "old")
            self.assertEqual(self.upload(FIRMWARE), upload.DONE)
            sent = self.written * (self.mtu - 3)
            self.assertTrue(sent < len(FIRMWARE.stream) - held + 14 * self.mtu, cut_frame)
            self.boot()
            self.assertEqual(self.check_whole(), "new")

    def test_A1_frames_that_a_stack_drops_are_asked_for_again(self):
        for mtu in (23, 247):
            self.mtu = mtu
            self.set_flash(self.fresh)
            drops = range(12, 40, 5) if mtu == 247 else range(60, 400, 37)
            self.assertEqual(self.upload(FIRMWARE, drops=drops), upload.DONE)
            self.assertTrue(self.host.gap_count > 0)
            self.boot()
            self.assertEqual(self.check_whole(), "new")

    def test_other_upload_begins_from_the_first_byte(self):
        with self.assertRaises(Cut):
            self.upload(FIRMWARE, cut_frame=14)
        other = Package(upload.FIRMWARE, [("/lib/redband_badge/a.mpy", b"other" * 500)])
        self.assertEqual(self.upload(other), upload.DONE)
        self.boot()
        self.assertEqual(version(tree()), {"/lib/redband_badge/a.mpy": b"other" * 500})

    def test_abort_forgets_the_upload_and_status_tells_the_build(self):
        with self.assertRaises(Cut):
            self.upload(FIRMWARE, cut_frame=20)
        self.assertTrue(slots.exists(ROOT + "/lib.new"))
        self.assertEqual(self.say(upload.ABORT), upload.DONE)
        self.assertFalse(slots.exists(ROOT + "/lib.new"))
        self.assertFalse(slots.exists(ROOT + "/stage"))
        self.assertEqual(self.check_whole(), "old")
        self.assertEqual(self.say(upload.COMMIT), upload.NOT_BEGUN)
        self.upload(FIRMWARE)
        self.boot()
        self.say(upload.STATUS)
        build = hashlib.sha256(FIRMWARE.manifest).digest()[:8]
        self.assertEqual(self.answer[2:], (slots.TRIAL, upload.FIRMWARE, 1, 0, build))

    def say(self, opcode):
        return asyncio.run(self._upload(bytes((opcode,)), FIRMWARE, None, ()))

    def test_recorded_upload_said_again_is_worth_nothing(self):
        self.upload(FIRMWARE)
        self.assertTrue(len(self.loot) > 20)
        self.set_flash(self.fresh)
        heard = []
        handlers = {
            upload.BEGIN: (0b11000, lambda _session, number, message: heard.append(message))
        }
        for nonce, is_same in ((link.BADGE_NONCE, True), (b"another 16 bytes", False)):
            badge = link.badge_session(link.Log(3), nonce=nonce, handlers=handlers)
            badge.set_mtu(self.mtu)
            for frame in self.loot:
                badge.control_written(frame, 0)
            # Only a badge that took the same random number twice would be fooled.
            self.assertEqual(len(heard), 1)
            self.assertEqual(badge.is_proven, is_same)

    def test_BEGIN_with_a_wrong_signature_ends_the_session(self):
        self.upload(FIRMWARE)
        begin = [frame for frame in self.loot if frame[2] == upload.BEGIN]
        number = self.loot.index(begin[0])
        changed = begin[0][2:-2]
        changed = frames.seal(changed[:4] + b"\xff" + changed[5:])
        badge = link.badge_session(link.Log(3), handlers={upload.BEGIN: (0b11000, self.fail)})
        badge.set_mtu(self.mtu)
        for frame in self.loot[:number]:
            badge.control_written(frame, 0)
        self.assertTrue(badge.is_proven)
        badge.control_written(begin[0][:2] + changed, 0)
        self.assertEqual(badge.close_reason(2000), session.OPEN)
        self.assertEqual(badge.close_reason(4000), session.CLOSE_ACCESS)

    def test_messages_that_make_no_sense_change_nothing(self):
        desk = self.desk = update.Desk(self.badge)
        begin = FIRMWARE.begin()
        for message in (
            begin[:-1],
            begin + b"\0",
            b"\x30\x09" + begin[2:],
            begin[:-1] + b"\xff",
            b"\x31",
            b"\x31\0\0\0\0",
        ):
            with self.assertRaises(ProtocolError):
                desk.take(None, 1, message)
        self.assertEqual(desk.is_busy, False)
        self.assertEqual(self.check_whole(), "old")

    def refused(self, package, outcome, **options):
        before = version(tree())
        self.badge.note_queue.clear()
        self.assertEqual(self.upload(package, **options), outcome)
        kind = package.kind | outcome << 8
        self.assertTrue((numbers.NOTE_UPDATE_BEGUN, kind) in self.badge.note_queue)
        self.assertFalse(slots.exists(ROOT + "/slot"))
        self.assertEqual(version(tree()), before)
        self.assertEqual(self.resets, [])

    def test_wrong_hash_wrong_manifest_too_big_and_foreign_badge_are_refused(self):
        wrong = Package(upload.FIRMWARE, sorted(NEW.items()))
        wrong.stream = wrong.stream[:-1] + b"!"
        self.refused(wrong, upload.DAMAGED)
        self.assertFalse(slots.exists(ROOT + "/stage"))
        for path in (
            "/main.py",
            "/lib/../main.mpy",
            "/lib/redband_x/../../a.mpy",
            "/lib/json.mpy",
        ):
            self.refused(Package(upload.FIRMWARE, [(path, b"x")]), upload.BAD_MANIFEST)
        self.refused(Package(upload.SETTINGS, [("/keys.bin", b"x")]), upload.BAD_MANIFEST)
        changed = Package(upload.FIRMWARE, sorted(NEW.items()))
        changed.stream = b"\1" + changed.stream[1:]
        self.assertEqual(self.upload(changed), upload.BAD_MANIFEST)
        big = Package(upload.FIRMWARE, [("/lib/redband_badge/a.mpy", bytes(400_000))])
        self.refused(big, upload.NO_ROOM)
        self.refused(FIRMWARE, upload.OTHER_BADGE, badge_id=43)
        self.assertEqual(self.upload(FIRMWARE, badge_id=42), upload.DONE)

    def test_G16_no_upload_where_bluetooth_starves_or_a_tap_leaves_no_room(self):
        regions = esp32.heap_regions
        esp32.heap_regions = [(131072, 60000, limits.UPLOAD_BLOCK_BYTES - 1, 9000)]
        try:
            self.refused(FIRMWARE, upload.NO_MEMORY_LEFT)
        finally:
            esp32.heap_regions = regions
        sys.modules["redband_badge.tap_calls"] = upload  # loaded while a tap goes on
        heap_bytes = system.heap_bytes
        system.heap_bytes = lambda: (limits.UPLOAD_AND_TAP_BYTES - 1, 60000, 45000)
        try:
            self.refused(FIRMWARE, upload.TAP_GOES_ON)
        finally:
            system.heap_bytes = heap_bytes
        del sys.modules["redband_badge.tap_calls"]
        self.assertEqual(self.upload(FIRMWARE), upload.DONE)

    def test_firmware_for_another_loader_is_refused(self):
        write_file(ROOT + "/main.py", b"# another main")
        self.refused(FIRMWARE, upload.OTHER_LOADER)

    def test_player_medic_and_marshal_may_not_update(self):
        for role in (1, 2):
            self.role = role
            self.assertTrue(self.upload(FIRMWARE) < 0)
        self.assertFalse(slots.exists(ROOT + "/stage"))

    def test_nothing_begins_while_a_version_is_on_trial(self):
        self.upload(FIRMWARE)
        self.boot()
        self.refused_in_trial = self.upload(Package(upload.SETTINGS, [("/settings.json", b"{}")]))
        self.assertEqual(self.refused_in_trial, upload.BUSY)


class DataTest(UpdateCase):
    """Rulesets and settings."""

    def settings(self, **changes):
        return Package(upload.SETTINGS, [("/settings.json", json.dumps(changes).encode())])

    def test_settings_are_merged_checked_and_taken_over(self):
        self.assertEqual(self.upload(self.settings(brightness_pct=30)), upload.DONE)
        self.assertEqual(json.loads(read_file(ROOT + "/settings.json")), SETTINGS)
        self.assertFalse(self.boot())
        found = parse(read_file(ROOT + "/settings.json"))
        self.assertEqual((found.brightness_pct, found.player), (30, "Anna"))
        self.assertFalse(slots.exists(ROOT + "/stage"))

    def test_bad_settings_are_refused(self):
        for changes in (
            {"brightness_pct": 0},
            {"unknown": 1},
            {"badge_id": 43},
            {"role": "medic"},
            {"radio": False},
            {"ruleset": "/x"},
        ):
            self.assertEqual(self.upload(self.settings(**changes)), upload.BAD_SETTINGS)
        broken = Package(upload.SETTINGS, [("/settings.json", b"{broken")])
        self.assertEqual(self.upload(broken), upload.BAD_SETTINGS)
        self.assertEqual(json.loads(read_file(ROOT + "/settings.json")), SETTINGS)

    def test_new_game_needs_the_force_bit(self):
        params = list(self.badge.ruleset.defaults())
        package = self.settings(params=params)
        self.assertEqual(self.upload(package), upload.NEW_GAME)
        self.assertEqual(self.upload(package, flags=upload.MAY_BEGIN_GAME), upload.DONE)
        self.boot()
        self.assertEqual(parse(read_file(ROOT + "/settings.json")).params, tuple(params))

    def test_ruleset_is_judged_by_the_badge_s_own_loader(self):
        same = Package(upload.RULESET, [("/ruleset.bin", RULESET)])
        self.assertEqual(self.upload(same), upload.DONE)
        self.boot()
        for data in (b"no ruleset", RULESET[:-1], RULESET[:50] + b"!" + RULESET[51:]):
            bad = Package(upload.RULESET, [("/ruleset.bin", data)])
            self.assertEqual(self.upload(bad), upload.BAD_RULESET)
        wrong = json.dumps({"params": [1] * 30}).encode()
        files = [("/ruleset.bin", RULESET), ("/settings.json", wrong)]
        self.assertEqual(self.upload(Package(upload.RULESET, files)), upload.BAD_PARAMS)
        self.assertEqual(read_file(ROOT + "/ruleset.bin"), RULESET)
