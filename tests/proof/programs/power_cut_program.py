"""Cuts a badge's power at every flash operation of its ruleset's main scenario, and again while it
recovers. Started by test_power_cut.py on the real MicroPython with the compiled firmware.

The scenario is played once on a flash in RAM, with every operation and every state written down.
What the flash holds when the power fails at operation n is then made anew: all operations before
it, and the torn rest of that one. A badge is started on it and must come up, in the state that
belongs to the records that are there: all that had been shown, at most the one being written.
"""

import json
import os
import sys

import flash_device
import vfs
from flash_device import BLOCK_BYTES, ERASE, PROGRAM, SYNC, FlashDevice
from scenarios import SCENARIOS
from watched_badge import BOOT, NOTE, PAUSE, ROOT, SNAPSHOT, Life, Player

from redband_core.ruleset import Ruleset

BLOCKS = 64
BADGE_ID = 7
# How the operation that is cut leaves the flash: not begun, half done, bits cleared at random.
UNTOUCHED, HALF, GARBAGE = range(3)
PLAIN = "plain"  # segments as long as a badge's
ROTATING = "rotating"  # a new segment at each step, the host lets go of old ones now and then
RELEASE_EACH = 9
PAIRS_ALL_EACH = 97  # of each so many first cuts, one gets all second cuts, the others one
PLAY_ON_EACH = 5  # of so many, one badge is played on, and cut again
CUT_EACH = int(os.getenv("REDBAND_CUT_EACH"))  # of so many operations, one is cut
NO_INPUT = (BOOT, NOTE, SNAPSHOT, PAUSE)


class Random:
    """Numbers that are the same in each run."""

    def __init__(self):
        self.state = 12345

    def below(self, limit):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 8) % limit

    def bytes(self, count):
        return bytes([self.below(256) for _ in range(count)])


class Torture:
    """Plays, cuts, recovers, counts."""

    def __init__(self, ruleset_id, names, ruleset):
        self.names = names
        self.params, self.steps = SCENARIOS[ruleset_id]
        self.device = FlashDevice(BLOCKS)
        self.random = Random()
        self.first_cuts = self.second_cuts = self.played_on = 0
        self.kinds = [0, 0, 0]  # erases, programs, syncs that were cut
        self.log = []
        self.image = bytearray(self.provision(ruleset))

    def provision(self, ruleset):
        """Return a flash as an installed badge has it."""
        values = []
        for index, default in enumerate(Ruleset.from_bytes(ruleset).defaults()):
            values.append(self.params.get(self.names.PARAMS[index], default))
        settings = {"badge_id": BADGE_ID, "player": "Anna", "role": "player", "radio": False}
        settings["ruleset"] = "/ruleset.bin"
        settings["params"] = values
        flash_device.format_and_mount(self.device, ROOT)
        flash_device.write_file(ROOT + "/ruleset.bin", ruleset)
        flash_device.write_file(ROOT + "/settings.json", json.dumps(settings).encode())
        vfs.umount(ROOT)
        return self.device.data

    def mount(self, image):
        """Put the battery in: a badge with this flash."""
        self.device.data[:] = image
        self.device.on_operation = None
        flash_device.mount(self.device, ROOT)

    def play(self, manner):
        """Play the whole scenario; return the life, the log of operations, states visited.

        An entry of the log: (kind, block, offset, bytes, shown, begun, lit) at its time.
        """
        self.mount(self.image)
        log = []
        life = None

        def note(kind, block, offset, data):
            moment = (0, 0, (None, 0, 0))
            if life is not None:
                moment = (life.shown, life.begun, life.lit)
            data = None if data is None else bytes(data)
            log.append((kind, block, offset, data) + moment)

        self.device.on_operation = note
        life = Life()
        life.start()
        player = Player(life.badge, self.names)
        player.look()
        for number, step in enumerate(self.steps):
            if manner == ROTATING:
                life.store.force_segment()
                if number % RELEASE_EACH == RELEASE_EACH - 1:
                    life.badge.game_journal.release(life.store.next_seq)
            player.do(step)
        self.device.on_operation = None
        vfs.umount(ROOT)
        return life, log, player.visited

    def torn(self, image, entry, mode):
        """Return the flash when the power fails in the operation."""
        kind, block, offset, data = entry[:4]
        device = self.device
        device.data[:] = image
        if kind == PROGRAM and mode == HALF:
            device.program(block, offset, memoryview(data)[: len(data) >> 1])
        elif kind == PROGRAM and mode == GARBAGE:
            device.program(block, offset, self.random.bytes(len(data)))
        elif kind == ERASE and mode == HALF:
            start = block * BLOCK_BYTES
            half = BLOCK_BYTES >> 1
            device.data[start : start + half] = b"\xff" * half
        elif kind == ERASE and mode == GARBAGE:
            device.program(block, 0, self.random.bytes(64) * (BLOCK_BYTES >> 6))
        return bytes(device.data)

    def done(self, image, entry):
        """Carry the operation out on the image."""
        kind, block, offset, data = entry[:4]
        start = block * BLOCK_BYTES + offset
        if kind == ERASE:
            image[start : start + BLOCK_BYTES] = b"\xff" * BLOCK_BYTES
        elif kind == PROGRAM:
            flash_device.clear_bits(memoryview(image)[start : start + len(data)], data)

    def recover(self, image):
        """Start a badge on the flash; return its life and the operations of its start."""
        self.mount(image)
        log = []

        def note(kind, block, offset, data):
            log.append((kind, block, offset, None if data is None else bytes(data)))

        self.device.on_operation = note
        life = Life()
        life.start()
        self.device.on_operation = None
        return life, log

    def torture(self, manner):
        """Cut at every operation of the scenario, in each way an operation can be torn."""
        life, log, visited = self.play(manner)
        image = bytearray(self.image)
        synced = 0  # records that were surely there after the last sync; None: not looked
        was_sync = False
        for number, entry in enumerate(log):
            kind, shown = entry[0], entry[4]
            is_cut = (number - was_sync) % CUT_EACH == 0
            modes = (UNTOUCHED, HALF, GARBAGE)
            if kind == SYNC:
                modes = (UNTOUCHED,)
            elif manner == ROTATING:
                modes = (number % 3,)
            if was_sync and not is_cut:
                synced = None
            for mode in modes if is_cut else ():
                where = "%s, cut at operation %d of %d, mode %d" % (manner, number, len(log), mode)
                found = self.cut(self.torn(image, entry, mode), life, entry[4:], where)
                if was_sync:
                    synced = found
                self.kinds[kind] += 1
            # What a flash that keeps writes back until a sync would have lost.
            if synced is not None and shown > synced and number:
                raise AssertionError("at %d: %d shown, %d synced" % (number, shown, synced))
            self.done(image, entry)
            was_sync = kind == SYNC
        return visited

    def cut(self, image, life, bounds, where):
        """Recover from the flash and check; cut again. Return how many records were found."""
        self.first_cuts += 1
        again, log = self.recover(image)
        shown, begun, lit = bounds
        if not shown <= again.found <= begun:
            raise AssertionError("%s: %d records of %d" % (where, again.found, shown))
        view, records, inputs = lit
        if life.judged(again.found) < inputs:
            raise AssertionError("%s: %d inputs were shown" % (where, inputs))
        if view is not None and again.found <= records and again.lit[0] != view:
            raise AssertionError("%s: shows %r, not %r" % (where, again.lit[0], view))
        self.check(again, life, again.found, where)
        state = again.found_state
        if self.first_cuts % PLAY_ON_EACH == 0:
            self.play_on(again, where)
        else:
            vfs.umount(ROOT)
        seconds = range(len(log))
        if self.first_cuts % PAIRS_ALL_EACH:
            seconds = (self.first_cuts % len(log),)
        self.cut_again(image, log, seconds, (life, again.found, state), where)
        return again.found

    def cut_again(self, image, log, seconds, expected, where):
        life, found, state = expected
        image = bytearray(image)
        for number, entry in enumerate(log):
            if number in seconds:
                self.second_cuts += 1
                place = "%s, again at %d" % (where, number)
                last, _log = self.recover(self.torn(image, entry, self.second_cuts % 3))
                if last.found < found or last.found_state != state:
                    raise AssertionError(
                        "%s: %r, not %r" % (place, last.found_state, (found, state))
                    )
                self.check(last, life, found, place)
                vfs.umount(ROOT)
            if number >= max(seconds):
                break
            self.done(image, entry)

    def check(self, again, life, found, where):
        """The badge is what the records say, and the records are those that were written."""
        expected = life.states.get(found) if found else again.found_state
        if again.found_state != expected:
            raise AssertionError("%s: %r is not %r" % (where, again.found_state, expected))
        if again.state() != again.found_state:
            raise AssertionError("%s: the start changed the state" % where)
        records = again.records()
        oldest = again.store.oldest_seq
        for seq in range(oldest, found):
            if records.get(seq) != life.written.get(seq):
                raise AssertionError("%s: record %d is %r" % (where, seq, records.get(seq)))
        for seq in range(found, again.store.next_seq):
            if records[seq][0] not in NO_INPUT:
                raise AssertionError("%s: record %d is invented" % (where, seq))

    def play_on(self, again, where):
        """A badge that came up counts on, and what it counts is there after the next cut."""
        self.played_on += 1
        player = Player(again.badge, self.names)
        if again.badge.game_journal.is_paused:
            player.do((1000, "resume"))
        player.do((20000, "foul", 1, 7))
        state, shown = again.state(), again.shown
        vfs.umount(ROOT)
        last, _log = self.recover(bytes(self.device.data))
        if (last.found, last.found_state) != (shown, state):
            raise AssertionError("%s: what was played on is gone" % where)
        vfs.umount(ROOT)


def main(ruleset_id, data_path):
    sys.path.append(data_path)
    names = __import__(ruleset_id + "_names")
    with open("%s/%s.bin" % (data_path, ruleset_id), "rb") as file:
        ruleset = file.read()
    torture = Torture(ruleset_id, names, ruleset)
    visited = set()
    for manner in (PLAIN, ROTATING):
        visited |= torture.torture(manner)
    missing = []
    for track, states in enumerate(names.STATES):
        for number, state in enumerate(states):
            if (track, number) not in visited:
                missing.append("%s.%s" % (names.TRACKS[track], state))
    counts = (torture.first_cuts, torture.second_cuts, torture.played_on)
    print("CUTS first %d second %d played_on %d" % counts)
    print("KINDS erase %d program %d sync %d" % tuple(torture.kinds))
    print("STATES visited %d missing %s" % (len(visited), " ".join(missing) or "none"))


main(os.getenv("REDBAND_RULESET"), os.getenv("REDBAND_DATA"))
