"""Which version of the firmware starts, and what an update or an installation left to be done.

Problem: a new version may not even import, and the battery may be pulled at any step. Guarantee:
run before anything of a version is imported, any number of times, cut anywhere, it ends with one
complete version in /lib. A new one stays only when it says so itself (redband_badge.trial); after
a reset before that, or three starts without a word, the one before comes back. Only an
installation over USB replaces this file, whose text is also what finishes that (/boot.py).

/slot, there only while something is going on: u8 state, u8 kind of update, u8 starts on trial (of
other kinds than firmware: 1 when found good), u8 why it was taken back, u8 reason for safe mode
and u8 faults when the update was taken over.
Directories: /lib runs, /lib.new is to run, /lib.old ran before, /lib.bad is on its way out.
"""

import json
import os

import machine

TAKE = 1  # taken over at the next start
TRIAL = 2
BACK = 3  # being taken back
TOLD = 4  # taken back: to be noted in the journal
GOOD = 5  # stays: what ran before is being removed
FIRMWARE = 3  # the kind of update that has two slots
CAUSE_RESET = 1  # an exception, a reset or the watchdog
CAUSE_PULLS = 2  # never ran long enough
TRIALS_MAX = 3
WATCHDOG_MS = 30000  # until the version has its own
SLOT_BYTES = 6


def exists(name):
    try:
        os.stat(name)
        return True
    except OSError:
        return False


def tree(directory):
    for entry in list(os.ilistdir(directory)):
        path = directory + "/" + entry[0]
        if entry[1] & 0x4000:
            for item in tree(path):
                yield item
        else:
            yield path


def prune(directory):
    for entry in list(os.ilistdir(directory)):
        if entry[1] & 0x4000:
            prune(directory + "/" + entry[0])
    try:
        os.rmdir(directory)
    except OSError:
        pass  # there is something in it


def drop(directory):
    if exists(directory):
        for path in tree(directory):
            os.remove(path)
        prune(directory)


def move(root, names):
    # Staged files are named by their place in the list.
    for index, name in enumerate(names):
        staged = root + "/stage/%d" % index
        if name and exists(staged):
            parts = name.split("/")
            for depth in range(2, len(parts)):
                directory = root + "/".join(parts[:depth])
                if not exists(directory):
                    os.mkdir(directory)
            os.rename(staged, root + name)


def staged_names(root):
    with open(root + "/stage/manifest") as f:
        return json.load(f)


def finish():
    """Finish an installation over USB."""
    if exists("/stage/manifest"):
        names = staged_names("")
        move("", names)
        for package in ("redband_core", "redband_hal", "redband_badge"):
            for place in ("/", "/lib/"):
                path = place + package
                for stale in (path + ".py", path + ".mpy"):
                    if exists(stale):
                        os.remove(stale)
                if exists(path):
                    for stale in tree(path):
                        if stale not in names:
                            os.remove(stale)
                    prune(path)
        for stale in ("/boot.cnt", "/slot", "/lib/manifest"):
            if exists(stale):
                os.remove(stale)
        for stale in ("/lib.new", "/lib.old", "/lib.bad"):
            drop(stale)
        os.remove("/stage/manifest")
    drop("/stage")
    if exists("/boot.kept"):
        os.rename("/boot.kept", "/boot.py")
    elif exists("/boot.py"):
        os.remove("/boot.py")


def keep(root, slot):
    with open(root + "/slot.new", "wb") as f:
        f.write(slot)
        f.flush()
    os.rename(root + "/slot.new", root + "/slot")


def swap(root, new, old):
    """Let the directory `new` be /lib, and what was that `old`; finishes what was cut."""
    library = root + "/lib"
    if exists(root + new):
        if exists(library):
            drop(root + old)
            os.rename(library, root + old)
        os.rename(root + new, library)


def choose(root, was_reset):
    """Return whether what is in /lib now is on trial. `was_reset`: the last start ended in one."""
    with open(root + "/slot", "rb") as f:
        slot = bytearray(f.read())
    if len(slot) != SLOT_BYTES:
        os.remove(root + "/slot")
        return False
    if slot[0] == TAKE:
        if slot[1] != FIRMWARE:
            if not slot[2]:
                return False  # to be judged first (redband_badge.update_check)
            move(root, staged_names(root))
            os.remove(root + "/slot")
            drop(root + "/stage")
            return False
        swap(root, "/lib.new", "/lib.old")
        drop(root + "/stage")
        slot[0] = TRIAL
        was_reset = False
    if slot[0] == TRIAL:
        slot[2] += 1
        if not was_reset and slot[2] <= TRIALS_MAX:
            keep(root, slot)
            return True
        slot[0] = BACK
        slot[3] = CAUSE_RESET if was_reset else CAUSE_PULLS
        keep(root, slot)
    if slot[0] == BACK:
        swap(root, "/lib.old", "/lib.bad")
        drop(root + "/lib.bad")
        if exists(root + "/boot.cnt"):
            os.remove(root + "/boot.cnt")  # its failed starts are not those of this version
        slot[0] = TOLD
        keep(root, slot)
    return False


def start():
    """Return choose() for this chip: a version on trial that hangs at once is reset, too."""
    is_on_trial = choose("", machine.reset_cause() in (machine.HARD_RESET, machine.WDT_RESET))
    if is_on_trial:
        machine.WDT(timeout=WATCHDOG_MS)
    return is_on_trial
