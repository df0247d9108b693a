"""Small programs that the installer runs on a badge, as text; MicroPython 1.26 and later.

Guarantee of the finish script: run any number of times, cut anywhere, it ends in the same state:
every staged file is in its place, nothing stale is left of ours, the stage and the script itself
are gone. It stands in /boot.py while it works, so a cut battery only means that the next start
does the rest before main.py runs.
"""

# The scripts below spell these names out.
STAGE = "/stage"
MANIFEST = "manifest"
FINISH = "finish"

# The watchdog of a badge that was playing cannot be stopped, and nobody feeds it now: it gets
# more time than an installation takes. A badge left half way starts its old program then.
PROBE = """
import sys, os, json, machine
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

FINISH_SCRIPT = """# Finishes an installation of Redband, then removes itself.
import os, json
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
def finish():
    if exists("/stage/manifest"):
        with open("/stage/manifest") as f:
            names = json.load(f)
        for index, name in enumerate(names):
            staged = "/stage/%d" % index
            if exists(staged):
                parts = name.split("/")
                for depth in range(2, len(parts)):
                    directory = "/".join(parts[:depth])
                    if not exists(directory):
                        os.mkdir(directory)
                os.rename(staged, name)
        for package in ("/lib/redband_core", "/lib/redband_hal", "/lib/redband_badge"):
            if exists(package):
                for path in tree(package):
                    if path not in names:
                        os.remove(path)
        os.remove("/stage/manifest")
    if exists("/stage"):
        for path in tree("/stage"):
            os.remove(path)
        os.rmdir("/stage")
    if exists("/boot.kept"):
        os.rename("/boot.kept", "/boot.py")
    elif exists("/boot.py"):
        os.remove("/boot.py")
finish()
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
