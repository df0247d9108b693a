"""The virtual badge's USB port, seen by the tools that people use on real ones."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import pytest
import serial

COUNTING = """
import asyncio
async def main():
    count = 0
    while True:
        count += 1
        print("tick", count)
        await asyncio.sleep_ms(5)
asyncio.run(main())
"""
SHORT = 'import machine\nprint("started, cause", machine.reset_cause())\n'


async def test_mpremote_runs_code_and_copies_files_both_ways(make_badge, mpremote, tmp_path):
    badge = await make_badge(SHORT)
    assert (await mpremote(badge, "exec", "print(6 * 7)")).endswith("42\n")
    content = os.urandom(9000)
    (tmp_path / "there").write_bytes(content)
    await mpremote(
        badge,
        "resume",
        "cp",
        str(tmp_path / "there"),
        ":/x.bin",
        "+",
        "cp",
        ":/x.bin",
        str(tmp_path / "back"),
    )
    assert (tmp_path / "back").read_bytes() == content


async def test_resume_keeps_variables_and_a_soft_reset_clears_them(make_badge, mpremote):
    badge = await make_badge(SHORT)
    await mpremote(badge, "exec", "kept = 1")
    assert "1\n" in await mpremote(badge, "resume", "exec", "print(kept)")
    boots = badge.boots
    assert "NameError" in await mpremote(badge, "exec", "print(kept)", code=1)
    assert badge.boots == boots + 1


async def test_T1_program_that_prints_all_the_time_does_not_keep_mpremote_out(
    make_badge, mpremote
):
    badge = await make_badge(COUNTING)
    await badge.console.wait_output(b"tick 3")
    assert "in\n" in await mpremote(badge, "exec", "print('in')")


async def test_raw_soft_reset_does_not_run_main(make_badge, mpremote):
    badge = await make_badge(SHORT)
    await badge.console.wait_output(b">>> ")
    badge.console.log.clear()
    await mpremote(badge, "exec", "pass")
    assert b"MPY: soft reboot" in badge.console.log
    assert b"started" not in badge.console.log


async def test_ctrl_d_at_the_friendly_prompt_runs_main_again(make_badge, open_port):
    badge = await make_badge(SHORT)
    await badge.console.wait_output(b">>> ")
    port = open_port(badge)
    await port.send(b"\r\x03")
    await port.until(b">>> ")
    await port.send(b"\x04")
    await port.until(b"MPY: soft reboot\r\n")
    assert b"started, cause 5" in await port.until(b">>> ")


async def test_ctrl_c_ends_a_program_that_awaits_and_one_that_never_does(make_badge, open_port):
    badge = await make_badge(COUNTING)
    await badge.console.wait_output(b"tick 3")
    port = open_port(badge)
    await port.send(b"\x03")
    assert b"KeyboardInterrupt" in await port.until(b">>> ")
    await port.send(b"while True: pass\r\n\r\n")
    await port.until(b"pass\r\n")
    await port.send(b"\x03")
    assert b"KeyboardInterrupt" in await port.until(b">>> ")


async def test_port_opens_and_closes_many_times(make_badge, open_port):
    badge = await make_badge(SHORT)
    await badge.console.wait_output(b">>> ")
    for count in range(25):
        port = open_port(badge)
        await port.send(b"print(%d * 3)\r" % count)
        await port.until(b"\r\n%d\r\n>>> " % (count * 3))
        port.close()


async def test_nobody_at_the_port_holds_the_badge_up(make_badge):
    badge = await make_badge('for _ in range(4000): print("x" * 60)\nprint("through")\n')
    await badge.console.wait_output(b"through", timeout_s=20)


async def test_client_that_reads_nothing_holds_the_badge_up_for_a_moment_only(
    make_badge, open_port
):
    badge = await make_badge(None)
    await badge.console.wait_output(b">>> ")
    port = open_port(badge)
    await port.send(b'for _ in range(4000): print("x" * 60)\r\n\r\nprint("thr" + "ough")\r')
    await badge.console.wait_output(b"\r\nthrough", timeout_s=30)


async def test_slow_reader_gets_every_byte(make_badge, open_port):
    badge = await make_badge(None)
    await badge.console.wait_output(b">>> ")
    port = open_port(badge)
    await port.send(b'for n in range(3000): print("line", n)\r\n\r\n')
    got = b""
    while b"line 2999\r\n" not in got:
        chunk = await asyncio.to_thread(port.serial.read, 1)
        assert chunk
        chunk += await asyncio.to_thread(port.serial.read, min(port.serial.in_waiting, 700))
        got += chunk
    assert [line for line in got.split(b"\r\n") if line.startswith(b"line ")] == [
        b"line %d" % n for n in range(3000)
    ]


async def test_T5_second_program_at_the_port_is_told_that_it_is_busy(
    make_badge, open_port, mpremote
):
    badge = await make_badge(SHORT)
    open_port(badge)
    with pytest.raises(serial.SerialException):
        open_port(badge)
    assert "failed to access" in await mpremote(badge, "exec", "pass", code=1)


async def test_control_keys_are_data_for_a_running_program(make_badge, open_port):
    badge = await make_badge(
        'import sys\nprint("reading")\nprint([ord(sys.stdin.read(1)) for _ in range(4)])\n'
    )
    await badge.console.wait_output(b"reading")
    port = open_port(badge)
    await port.send(b"\x1a\x1c\x13\x11")
    assert b"[26, 28, 19, 17]" in await port.until(b">>> ")


EXCLUSIVE = """
import asyncio, fcntl, os, pathlib, sys, termios
from redband.virtual import clock
from redband.virtual.usb_port import UsbPort
if os.getuid() == 0:
    os.setuid(65534)
async def main():
    got = asyncio.Queue()
    port = UsbPort(pathlib.Path(sys.argv[1]), got.put_nowait, lambda _: None)
    for turn in range(3):
        while True:
            try:
                descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
                break
            except OSError:
                await asyncio.sleep(0)
        fcntl.ioctl(descriptor, termios.TIOCEXCL)
        os.write(descriptor, b"x")
        await got.get()
        os.close(descriptor)
    port.close()
    print("three times")
clock.run(main(), True)
"""


@pytest.fixture
def open_directory():
    """Return a directory that every user may write (tmp_path is the test user's own)."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


async def test_exclusive_use_ends_with_its_client_for_an_ordinary_user(open_directory):
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-c", EXCLUSIVE, str(open_directory / "usb")],
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(20):
        output, _ = await process.communicate()
    assert output == b"three times\n"
