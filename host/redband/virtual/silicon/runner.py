"""The start of a virtual badge, on its interpreter: what the chip's boot ROM and `_boot.py` do.

Guarantee: the program finds the image's littlefs at "/", the chip's modules and clock, the module
path of a board, and nothing of the host. The owner types `import runner;runner.boot(globals())`
at the prompt, so that Ctrl-C, traceback and prompt after the program are the real ones.
"""

import binascii
import gc
import json
import os
import sys

import bus
import clock
import clock_modules
import flash
import flashbdev
import opcodes

# What the owner hides of the terminal ends with this; it cannot occur in an echoed line.
MARKER = "\x1eredband\x1e"

_BANNER = '%s; %s\nType "help()" for more information.\n'
_STAND_INS = ("machine", "esp32", "bluetooth")
_HIDDEN = (
    "analog",
    "bus",
    "clock",
    "clock_modules",
    "fitted",
    "flash",
    "i2c",
    "line",
    "lis3dh",
    "motion",
    "opcodes",
    "pins",
    "runner",
    "sleep",
    "task_queue",
    "umachine",
    "pulses",
    "world",
)


def _install_silicon(facts: dict) -> None:
    bus.attach(facts["bus"])
    start = facts["now_us"], facts["start_ticks_ms"], bus.the_bus.wait_for_owner
    the_clock = clock.Clock(*start)
    clock_modules.install(the_clock, facts["random_seed"])
    for name in _STAND_INS:
        __import__(name)
    import analog
    import fitted
    import machine
    import pins
    import pulses

    unique_id = bytes(int(facts["unique_id"][i : i + 2], 16) for i in range(0, 12, 2))
    machine.set_rtc(facts["rtc"])
    machine.set_facts(facts["reset_cause"], facts["wake_reason"], unique_id)
    for number, level in facts["levels"]:
        pulses.drive_by_hand(number, level)
    pins.held.update(facts["held"])
    machine.is_usb_host[0] = facts["usb_host"]
    fitted.fit(facts["board"])
    for number, millivolts in facts["voltages_mv"]:
        analog.set_voltage(number, millivolts)
    analog.set_faults(binascii.unhexlify(facts["adc_faults"]))
    the_clock.spend(clock.START_US)
    bus.receive()  # a hand that was at a contact before the start goes on


def _mount(facts: dict) -> None:
    device = flash.Flash(facts["image"], facts["block_count"], facts["flash_cut_after"])
    device.set_faults(binascii.unhexlify(facts["flash_faults"]))
    flashbdev.bdev = device
    first = bytearray(flash.BLOCK_BYTES)
    device.readblocks(0, first)
    if first == b"\xff" * flash.BLOCK_BYTES:
        os.VfsLfs2.mkfs(device)  # as a board does with an erased partition
    # Times of files come from the host's clock, below Python: two runs would differ in them.
    file_system = os.VfsLfs2(device, mtime=False)
    os.umount("/")
    os.mount(file_system, "/")
    os.chdir("/")


def _run(name: str, namespace: dict) -> None:
    try:
        os.stat(name)
    except OSError:
        return  # a board without the file goes on
    execfile(name, namespace)  # noqa: F821 (a builtin of MicroPython)


def boot(namespace: dict) -> None:
    """Become the badge that the owner describes, then run boot.py and main.py as a board does."""
    facts = json.loads(os.getenv("REDBAND_SILICON"))
    os.unsetenv("REDBAND_SILICON")
    _install_silicon(facts)
    _mount(facts)
    sys.path[:] = ["", ".frozen", "/lib"]
    for name in _HIDDEN:
        sys.modules.pop(name, None)
    namespace.pop("runner", None)
    gc.collect()
    sys.stdout.write(MARKER)
    try:
        _run("/boot.py", namespace)
        if facts["is_main_run"]:
            _run("/main.py", namespace)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (as a board's own main does)
        sys.print_exception(error)
    if facts["is_main_run"]:
        implementation = sys.implementation
        version = sys.version.split("; ")[-1]
        sys.stdout.write(_BANNER % (version, implementation._machine))
    else:
        sys.stdout.write(MARKER)  # the owner asks for the raw prompt now
    bus.send(opcodes.PROMPT)
