"""What events cost the flash, and how long a full journal takes to recover; runs on MicroPython.

Started by tools/bench/wear.py. All ways of keeping 1000 events run on the same block device, in
RAM, with the real littlefs on it; the badge's way goes through its game, with a snapshot in each
segment.
"""

import gc
import json
import os
import time

import alone
import flash_device
import vfs
from flash_device import FlashDevice

from redband_badge import limits
from redband_badge.badge import Badge
from redband_badge.boot_record import BootRecord
from redband_badge.game import Game
from redband_badge.game_journal import GameJournal
from redband_badge.journal_store import JournalStore
from redband_badge.state import BadgeState
from redband_core import gestures, journal
from redband_core.ruleset import Ruleset

alone.power_on()  # the chip's memory alone: time is real here

EVENTS = 1000
APART_MS = 5000
BLOCKS = 512
ROUNDS = 5
TREAT = 36  # TAPS_HOLD + 4, which the rules bind to a medic's treatment
EXTRA = (1, 0)

with open(os.getenv("REDBAND_RULESET"), "rb") as file:
    RULES_BYTES = file.read()
RULES = Ruleset.from_bytes(RULES_BYTES)


def device():
    made = FlashDevice(BLOCKS)
    flash_device.format_and_mount(made, "/flash")
    made.erase_count = made.written_bytes = 0
    return made


def cost(made):
    vfs.umount("/flash")
    return [made.erase_count, made.written_bytes]


def new_game(store):
    game = Game(store, BadgeState(), RULES, None, 77, 1234)
    game.restore()
    game.begin_boot(1, 1, 7, RULES.identity)
    return game


def play(game, number, now_ms):
    """A hit, and the medic's treatment, in turn."""
    game.tick(now_ms)
    if number & 1:
        game.take_gesture(TREAT, now_ms, now_ms)
    else:
        game.take_gesture(gestures.PRESS, now_ms, now_ms)


def with_journal():
    made = device()
    store = JournalStore("/flash/journal")
    game = new_game(store)
    made.erase_count = made.written_bytes = 0
    for number in range(EVENTS):
        play(game, number, (number + 1) * APART_MS)
    if game._state.acknowledged != EVENTS:
        raise SystemExit("an event was refused")
    return cost(made)


def line(number):
    event = "treat" if number & 1 else "hit"
    values = {"t": (number + 1) * APART_MS, "event": event, "args": EXTRA}
    return json.dumps(values) + "\n"


def with_lines():
    made = device()
    with open("/flash/events.json", "a") as file:
        for number in range(EVENTS):
            file.write(line(number))
            file.flush()
    return cost(made)


def with_files():
    made = device()
    os.mkdir("/flash/events")
    for number in range(EVENTS):
        with open("/flash/events/%d.json" % number, "w") as file:
            file.write(line(number))
    return cost(made)


def fill(kind):
    """Fill the journal of a badge to its last segment; return its store."""
    flash_device.write_file("/flash/ruleset.bin", RULES_BYTES)
    settings = {"badge_id": 7, "player": "Anna", "role": "player", "radio": False}
    settings["ruleset"] = "/ruleset.bin"
    flash_device.write_file("/flash/settings.json", json.dumps(settings).encode())
    badge = start()
    store, game_journal = badge.store, badge.game_journal
    if kind is GameJournal:
        game_journal = GameJournal(store, BadgeState(), 77, 1234)
    now_ms = store.last_ms
    number = 0
    while len(store.segments) < limits.SEGMENTS_MAX or not store.needs_segment():
        now_ms += APART_MS
        if kind is GameJournal:
            game_journal.record(journal.CHECKPOINT, now_ms, b"")
        else:
            play(game_journal, number, now_ms)
        number += 1
    return store


def start():
    boot = BootRecord("/flash/boot.cnt")
    badge = Badge("/flash", boot, 1, boot.begin(1))
    badge.load()
    return badge


def recovery(kind):
    """Return [µs of the store's recovery, µs of a whole start, records, bytes read, segments]."""
    made = device()
    store = fill(kind)
    found = []
    made.read_bytes = 0
    store.recover(lambda _kind, game_ms, _payload: found.append(game_ms))
    read_bytes = made.read_bytes
    image = bytes(made.data)
    recover_us, start_us = [], []
    for _round in range(ROUNDS):
        vfs.umount("/flash")
        made.data[:] = image
        flash_device.mount(made, "/flash")
        gc.collect()
        began = time.ticks_us()
        JournalStore("/flash/journal").recover(lambda kind, game_ms, payload: None)
        recover_us.append(time.ticks_diff(time.ticks_us(), began))
        gc.collect()
        began = time.ticks_us()
        start()
        start_us.append(time.ticks_diff(time.ticks_us(), began))
    vfs.umount("/flash")
    return [min(recover_us), min(start_us), len(found), read_bytes, len(store.segments)]


results = {
    "journal": with_journal(),
    "lines": with_lines(),
    "files": with_files(),
    "line_bytes": len(line(EVENTS // 2)),
    "full": recovery(Game),
    "no_snapshot": recovery(GameJournal),
}
print(json.dumps(results))
