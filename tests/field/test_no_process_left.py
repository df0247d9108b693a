"""However a field ends, nothing of it runs on."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from redband.keys import KEY_FILE
from redband.virtual.field import BadgeSpec, Field

OWNER = """
import asyncio, sys
from redband.virtual.clock import run
from redband.virtual.field import BadgeSpec, Field
MAIN = b"from machine import Pin\\nPin(6, Pin.OUT).on()\\nwhile True: pass\\n"
async def main():
    field = Field(sys.argv[1])
    await field.start()
    for badge_id in (1, 2):
        badge = await field.add_badge(
            BadgeSpec(badge_id, with_firmware=False, files=(("/main.py", MAIN),))
        )
        await badge.wait_led(lambda leds: leds[0] == 1)
        print(badge.chip.pid, flush=True)
    print("ready", flush=True)
    await asyncio.Event().wait()
run(main(), is_real=True)
"""
pytestmark = pytest.mark.real_time


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def until_gone(pids: list[int]) -> None:
    async with asyncio.timeout(10):
        while any(is_running(pid) for pid in pids):  # noqa: ASYNC110 (the kernel tells nobody)
            await asyncio.sleep(0.01)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_stop_leaves_no_process_terminal_socket_or_descriptor(tmp_path):
    before = open_descriptors()
    field = Field(tmp_path / "field")
    await field.start()
    badges = [
        await field.add_badge(
            BadgeSpec(badge_id, with_firmware=False, files=(("/main.py", b"while True: pass"),))
        )
        for badge_id in (1, 2)
    ]
    pids = [badge.chip.pid for badge in badges]
    assert all(is_running(pid) for pid in pids)
    await field.stop()
    await field.stop()
    assert not any(is_running(pid) for pid in pids)
    left = {path.name for path in field.directory.rglob("*")}
    assert left == {"lock", KEY_FILE, "badge-1", "badge-2", "flash.img"}
    assert open_descriptors() <= before


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("is_below_nohup", [False, True])
async def test_badges_end_with_their_owner_however_it_dies(tmp_path, end, is_below_nohup):
    command = [sys.executable, "-c", OWNER, str(tmp_path / "field")]
    if is_below_nohup:
        command = ["nohup", *command]
    owner = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    pids = []
    try:
        async with asyncio.timeout(30):
            while (line := await owner.stdout.readline()) != b"ready\n":
                pids.append(int(line))
    finally:
        owner.send_signal(end)
        await owner.wait()
    assert len(pids) == 2
    await until_gone(pids)


async def test_field_starts_again_where_a_killed_one_left_its_sockets(tmp_path):
    for name in ("control", "hci"):
        (tmp_path / name).touch()
    (tmp_path / "badge-1").mkdir()
    (tmp_path / "badge-1" / "usb").symlink_to("/dev/pts/nothing")
    field = Field(tmp_path)
    await field.start()
    try:
        badge = await field.add_badge(BadgeSpec(1, with_firmware=False))
        await badge.console.wait_output(b">>> ")
        assert badge.usb_path.exists()
    finally:
        await field.stop()
