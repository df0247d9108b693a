"""What the checks of updates share: a badge's flash, packages, a host with its link, a start."""

import asyncio
import hashlib
import json
import os
import unittest

import flash_device
import link
import slots
from flash_device import FlashDevice, format_and_mount, mount, read_file, write_file

from redband.wire import upload as wire_upload
from redband_badge import limits, update, update_check
from redband_badge.settings import parse
from redband_badge.state import BadgeState
from redband_core import numbers, upload
from redband_core.ruleset import Ruleset
from redband_hal import system

ROOT = "/flash"
RULESET = read_file(os.getenv("REDBAND_RULESET"))
MAIN, SLOTS, JOURNAL = b"# main " * 20, b"# slots " * 20, b"the journal" * 40
OLD = {"/lib/redband_badge/a.mpy": b"old a" * 300, "/lib/redband_core/gone.mpy": b"gone"}
NEW = {
    "/lib/redband_badge/a.mpy": b"new a" * 1000,
    "/lib/redband_hal/b.mpy": b"new b",
    "/lib/redband_badge/deep/c.mpy": b"c" * 77,
}
SETTINGS = {
    "badge_id": 42,
    "player": "Anna",
    "role": "player",
    "radio": True,
    "ruleset": "/ruleset.bin",
}
FRESH = {
    "/main.py": MAIN,
    "/slots.py": SLOTS,
    "/journal": JOURNAL,
    "/ruleset.bin": RULESET,
    "/settings.json": json.dumps(SETTINGS).encode(),
}


class Package:
    """As redband.build.packages makes it."""

    def __init__(self, kind, files, there=()):
        entries = [self.entry(upload.THERE, path, FRESH[path]) for path in there]
        entries += [self.entry(upload.SENT, path, data) for path, data in files]
        self.kind = kind
        self.count = len(entries)
        self.manifest = b"".join(entries)
        self.stream = self.manifest + b"".join([data for _path, data in files])

    def entry(self, kind, path, data):
        digest = hashlib.sha256(data).digest()
        return wire_upload.encode_entry(kind, path, len(data), digest)

    def begin(self, flags=0, badge_id=0):
        sizes = (self.count, len(self.stream), len(self.manifest))
        digest = hashlib.sha256(self.manifest).digest()
        return upload.encode_begin(self.kind, badge_id, sizes, digest, flags)


FIRMWARE = Package(upload.FIRMWARE, sorted(NEW.items()), ("/main.py", "/slots.py"))


class Supervisor:
    def failure_counts(self):
        return [(numbers.TASK_RADIO, 0)]


class Queue(list):
    def put(self, item):
        self.append(item)


class Badge:
    """What an update sees of a badge."""

    def __init__(self):
        self.root = ROOT
        self.reason = 0
        self.has_radio = True
        self.info = link.Info()
        self.state = BadgeState()
        self.supervisor = Supervisor()
        self.note_queue = Queue()
        self.tap = None
        self.options = parse(read_file(ROOT + "/settings.json"))
        self.ruleset = Ruleset.from_bytes(read_file(ROOT + "/ruleset.bin"))
        self.info.ruleset_identity = self.ruleset.identity


class Cut(Exception):
    """The link, or the power, is gone."""


def tree():
    """Return all files of the flash but those that an update leaves behind: path -> content."""
    return {path[len(ROOT) :]: read_file(path) for path in slots.tree(ROOT)}


def version(files):
    """Return which version lies in /lib: a dict of its files."""
    return {
        path: data
        for path, data in files.items()
        if path.startswith("/lib/") and path != "/lib/manifest"
    }


class UpdateCase(unittest.TestCase):
    def setUp(self):
        limits.UPLOAD_RESTART_MS = 0
        self.resets = []
        self._reset, system.reset = system.reset, lambda: self.resets.append(1)
        self.device = FlashDevice(96)
        format_and_mount(self.device, ROOT)
        for path, data in list(FRESH.items()) + list(OLD.items()):
            for depth in range(2, len(path.split("/"))):
                directory = ROOT + "/".join(path.split("/")[:depth])
                if not slots.exists(directory):
                    os.mkdir(directory)
            write_file(ROOT + path, data)
        self.fresh = bytes(self.device.data)
        self.desk = None
        self.badge = Badge()
        self.role = 4
        self.mtu = 247

    def tearDown(self):
        system.reset = self._reset
        self.device.cut_at = None
        if self.desk is not None:
            self.desk.stop()
        flash_device.vfs.umount(ROOT)

    def power_cycle(self):
        """Pull the battery: what was not flushed is forgotten, and so is the desk."""
        if self.device.cut_at is None:
            self.device.cut_at = self.device.operations
            self.device.operations += 1
        if self.desk is not None:
            self.desk.stop()
        self.desk = None
        self.device.cut_at = None
        flash_device.vfs.umount(ROOT)
        mount(self.device, ROOT)

    def set_flash(self, data):
        self.power_cycle()
        flash_device.vfs.umount(ROOT)
        self.device.data[:] = data
        mount(self.device, ROOT)

    def upload(self, package, flags=0, cut_frame=None, badge_id=0, drops=()):
        """Send a package over a link that ends before frame `cut_frame`; return the outcome."""
        return asyncio.run(self._upload(package.begin(flags, badge_id), package, cut_frame, drops))

    async def _upload(self, begin, package, cut_frame, drops):
        self.desk = self.desk or update.Desk(self.badge)

        def handle(session, number, message):
            self.desk.take(session, number, message)

        handlers = dict.fromkeys(range(0x30, 0x35), (0b11000, handle))
        badge = link.badge_session(link.Log(3), handlers=handlers)
        role = self.role
        host = wire_upload.UploadClient(
            role,
            lambda badge_id: link.key_for(badge_id, role),
            link.HOST_NONCE,
            begin,
            package.stream,
        )
        badge.set_mtu(self.mtu)
        host.set_write_limit(self.mtu - 3)
        self.written = idle = 0
        self.loot = []
        while True:
            frame = host.next_write()
            if frame is not None:
                if self.written == cut_frame:
                    raise Cut()
                self.loot.append(frame)
                if self.written not in drops:
                    badge.control_written(frame, 0)
                self.written += 1
            notified = badge.next_notification()
            while notified is not None:
                badge.sent()
                host.control_notified(notified[1])
                notified = badge.next_notification()
            await asyncio.sleep_ms(0)
            for event in host.events():
                if event[0] == wire_upload.UPDATED:
                    self.host, self.answer = host, event[2]
                    while self.desk.is_busy:
                        await asyncio.sleep_ms(0)
                    return event[1]
                if event[0] == wire_upload.FAILED:
                    return -event[1]
            idle = 0 if frame is not None else idle + 1
            if idle == 200:
                host.stalled()
                idle = 0

    def boot(self):
        """Start as main.py does, as often as a cut needs it."""
        for _try in range(2):
            if slots.exists(ROOT + "/slot"):
                is_on_trial = slots.choose(ROOT, False)
                if slots.exists(ROOT + "/slot"):
                    update_check.take_over(ROOT)
                return is_on_trial
        return False

    def check_whole(self):
        """Return "old" or "new": the complete version in /lib; the journal is what it was."""
        files = tree()
        self.assertEqual(files["/journal"], JOURNAL)
        found = version(files)
        self.assertTrue(found in (OLD, NEW), sorted(found))
        return "old" if found == OLD else "new"
