"""Small programs that the desk's tools run on a badge, as text; MicroPython 1.26 and later.

Guarantee of the finish script: run any number of times, cut anywhere, it ends in the same state:
every staged file is in its place, nothing stale is left of ours, the stage and the script itself
are gone. It stands in /boot.py while it works, so a cut battery only means that the next start
does the rest before main.py runs.
"""

from redband.build.firmware import firmware_directory

# The scripts below spell these names out.
STAGE = "/stage"
MANIFEST = "manifest"
FINISH = "finish"

# The watchdog of a badge that was playing cannot be stopped, and nobody feeds it now: it gets
# more time than an installation takes. A badge left half way starts its old program then.
# Of modules only MicroPython's own: what lies on the badge may hide them (modules.py).
PROBE = """
import sys
path = sys.path[:]
sys.path[:] = [".frozen"]
import os, json, machine
sys.path[:] = path
machine.WDT(timeout=600000)
def read(name):
    try:
        with open(name) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None
space = os.statvfs("/")
print(json.dumps({
    "version": list(sys.implementation[1])[:3],
    "machine": sys.implementation[2],
    "chip": "".join("%02x" % b for b in machine.unique_id()),
    "settings": read("/settings.json"),
    "free_bytes": space[0] * space[3],
    "modules": os.listdir("/") + (os.listdir("/lib") if "lib" in os.listdir("/") else []),
}))
"""

VERIFY = """
import os, json, hashlib, binascii
buffer = bytearray(1024)
found = {}
for entry in os.ilistdir("/stage"):
    digest = hashlib.sha256()
    with open("/stage/" + entry[0], "rb") as f:
        while True:
            count = f.readinto(buffer)
            if not count:
                break
            digest.update(memoryview(buffer)[:count])
    found[entry[0]] = binascii.hexlify(digest.digest()).decode()
print(json.dumps(found))
"""

_FINISH_HEAD = "# Finishes an installation of Redband, then removes itself.\n"


def __getattr__(name: str) -> str:
    """Return FINISH_SCRIPT: the badge's own slots.py, which finishes updates by radio, too."""
    if name != "FINISH_SCRIPT":
        raise AttributeError(name)
    return _FINISH_HEAD + (firmware_directory() / "slots.py").read_text("utf-8") + "\nfinish()\n"


# Imports each module of the version and says which file that took: what Python does is the truth
# about what hides what. The modules' NAMES come before it. Not all of them fit the heap at once:
# FULL names the first that did not, and modules.py goes on with it in an empty heap.
LOADED = """
import sys, hashlib, binascii
def load(name):
    __import__(name)
    path = sys.modules[name].__file__
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        piece = f.read(512)
        while piece:
            digest.update(piece)
            piece = f.read(512)
    print("LOADED", name, path, binascii.hexlify(digest.digest()).decode())
name = None
try:
    for name in NAMES:
        load(name)
except MemoryError:
    print("FULL", name)
except (ImportError, ValueError, SyntaxError, AttributeError, OSError) as error:
    print("BROKEN", name, type(error).__name__, error)
"""

# The settings in use, with changes; checked by the badge's own check, which has the last word.
# CHANGES comes before it.
CHANGE_SETTINGS = """
import json
from redband_badge import files
from redband_badge.settings import SettingsStore
store = SettingsStore()
now = files.read_bytes("/settings.json")
good = store.good_bytes()
answer = {"problem": None}
if good is not None:
    values = json.loads(good)
    values.update(json.loads(CHANGES))
    if now is not None and now != good:
        files.replace("/settings.bad", now)
    answer["problem"] = store.save(json.dumps(values).encode())
    answer["settings"] = list(store.load())
print(json.dumps(answer))
"""

STATUS = """
from redband_badge import status
status.at_prompt()
"""

SELF_TEST = """
import machine
machine.WDT(timeout=600000)
from redband_badge import self_test
self_test.at_prompt()
"""

# The badge's own function ends in a reset, which is mpremote's business here.
TRANSPORT = """
from redband_badge import sleep
from redband_hal import system
system.reset = lambda: None
print("transport" if sleep.begin_transport() else "no wake")
"""

# The rename of the last line is the instant at which the new version is the badge's.
COMMIT = """
import os
def exists(name):
    try:
        os.stat(name)
        return True
    except OSError:
        return False
if exists("/boot.py") and not exists("/boot.kept"):
    with open("/boot.py") as source, open("/boot.part", "w") as target:
        target.write(source.read())
    os.rename("/boot.part", "/boot.kept")
os.rename("/stage/finish", "/boot.py")
"""

RUN_FINISH = """
import os
with open("/boot.py") as f:
    exec(f.read(), {})
print("finished" if "stage" not in os.listdir("/") else "unfinished")
"""
