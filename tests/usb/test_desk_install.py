"""`redband badge install` on badges that are not as they should be (PITFALLS R20, R12, G13)."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.support.changed import changed_firmware
from tests.support.waiting import until

from redband.build.firmware import compiled
from redband.cli.app import run
from redband.desk import board_scripts, modules
from redband.desk import install as installer
from redband.desk.install import Order, install
from redband.desk.mpremote import PortError, PortTrouble
from redband.virtual.image import write_image
from redband_core import journal, numbers

OTHER_VERSION = b"M\x05\x00\x1f\x01\x00"
FAILS_AT_START = """
def add_power(badge, supervisor):
    raise RuntimeError("broken at start")
"""
MAIN = b"from redband_core import part\nprint('NEW', part.NAME)\n"


@pytest.fixture
def small_firmware(monkeypatch, tmp_path):
    """Install two small files instead of the whole firmware."""
    source = tmp_path / "part.py"
    source.write_text("NAME = 'new part'\n")
    files = {
        "/lib/redband_core/part.mpy": compiled(source, "redband_core/part.py"),
        "/main.py": MAIN,
    }
    monkeypatch.setattr(installer, "firmware_files", lambda: files)
    return files


@pytest.fixture
def make_board(make_bench):
    """Return make(files): a board with MicroPython and these files at its prompt."""

    async def make(files: dict[str, bytes]):
        bench = await make_bench(
            with_power=False, with_firmware=False, replace={"/main.py": b"print('OLD')\n"} | files
        )
        await bench.badge.power_on()
        await bench.badge.console.wait_output(b"OLD")
        return bench

    return make


def boots(bench) -> int:
    return [record[1] for record in bench.records()].count(journal.BOOT)


async def installed(bench, order: Order | None = None):
    order = order or Order(badge_id=7)
    return await asyncio.to_thread(install, str(bench.badge.usb_path), order)


OLD = b"NAME = 'old part'\n"


@pytest.mark.parametrize(
    "stale",
    [
        ["/lib/redband_core/part.py"],
        ["/lib/redband_core/part/__init__.py"],
        ["/redband_core/part.py", "/redband_core/__init__.py"],
        ["/redband_core.py"],
        ["/lib/redband_core.py"],
        ["/redband_core.mpy", "/redband_badge/app.py"],
    ],
)
async def test_R20_old_file_that_would_shadow_the_new_module_is_gone(
    make_board, small_firmware, stale
):
    bench = await make_board(dict.fromkeys(stale, OLD))
    await installed(bench)
    await bench.badge.console.wait_output(b"NEW new part")
    assert not set(stale) & set(bench.files())


@pytest.mark.parametrize(
    "hiding", ["/json.py", "/lib/asyncio/__init__.py", "/time.mpy", "/hashlib.py"]
)
async def test_R20_file_that_hides_micropythons_own_module_is_refused_before_anything_is_written(
    make_board, small_firmware, hiding
):
    bench = await make_board({hiding: b"x = 1\n"})
    before = bench.files()
    with pytest.raises(installer.RedbandUserError, match="would be taken for MicroPython's own"):
        await installed(bench)
    assert bench.files() == before


async def test_R20_file_of_somebody_else_is_left_alone(make_board, small_firmware):
    bench = await make_board({"/lib/aioble/__init__.py": b"x = 1\n", "/notes.txt": b"hello"})
    await installed(bench)
    assert bench.files()["/lib/aioble/__init__.py"] == b"x = 1\n"
    assert bench.files()["/notes.txt"] == b"hello"


async def test_R20_badge_itself_tells_that_an_old_file_was_loaded(
    make_board, small_firmware, monkeypatch
):
    kept = board_scripts.FINISH_SCRIPT.replace("path = place + package", 'path = "/nowhere"')
    assert kept != board_scripts.FINISH_SCRIPT
    monkeypatch.setattr(board_scripts, "FINISH_SCRIPT", kept)
    bench = await make_board({"/lib/redband_core/part.py": OLD})
    with pytest.raises(PortError, match=r"takes /lib/redband_core/part.py for redband_core.part"):
        await installed(bench)


async def test_R20_byte_code_of_another_version_is_named(make_board, small_firmware, monkeypatch):
    small_firmware["/lib/redband_core/part.mpy"] = OTHER_VERSION
    bench = await make_board({})
    with pytest.raises(PortError, match=r"does not load redband_core.part ValueError") as wrong:
        await installed(bench)
    assert wrong.value.trouble == PortTrouble.NOT_LOADED


def test_what_the_firmware_imports_is_known():
    assert {"asyncio", "json", "machine", "bluetooth", "os"} <= modules.foreign_imports()
    assert not modules.foreign_imports() & set(modules.OURS)


async def test_R12_badge_in_safe_mode_answers_provisioning_and_keeps_its_journal(make_bench):
    bench = await make_bench()
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    files = bench.files()
    broken = {"/lib/redband_badge/power_parts.mpy": FAILS_AT_START}
    write_image(bench.badge.image_path, files | changed_firmware(broken))
    await bench.badge.power_on()
    await until(lambda: (numbers.NOTE_SAFE_MODE, 4) in bench.notes())
    starts = boots(bench)
    await installed(bench, Order(with_self_test=False))
    await until(lambda: boots(bench) > starts)
    await bench.acknowledged(bench.badge.press())
    await bench.badge.power_cut()
    assert [event for event, _args in bench.events()] == [1, 1]
    reasons = [value for code, value in bench.notes() if code == numbers.NOTE_SAFE_MODE]
    assert reasons == [4], "the new version got a fresh start"


async def test_install_sets_settings_and_asks_for_a_self_test_unless_told_not_to(
    make_board, small_firmware
):
    bench = await make_board({})
    command = ["badge", "install", "--port", str(bench.badge.usb_path), "--badge-id", "7"]
    command += ["--setting", "brightness_pct=40", "--setting", "impact=off"]
    assert await asyncio.to_thread(run, command) == 0
    settings = json.loads(bench.files()["/settings.json"])
    assert (settings["brightness_pct"], settings["impact"]) == (40, "off")
    assert bench.files()["/selftest"] == b"run"
    await bench.badge.console.wait_output(b"NEW new part")
    command += ["--no-self-test", "--setting", "impact=switch"]
    await bench.badge.power_cut()
    files = bench.files()
    del files["/selftest"]
    write_image(bench.badge.image_path, files)
    await bench.badge.power_on()
    assert await asyncio.to_thread(run, command) == 0
    settings = json.loads(bench.files()["/settings.json"])
    assert (settings["brightness_pct"], settings["impact"]) == (40, "switch")
    assert "/selftest" not in bench.files()


async def test_G13_setting_of_another_version_is_left_out_and_told(make_board, small_firmware):
    old = {"badge_id": 7, "player": "Anna", "volume": 11, "brightness_pct": 900, "role": "king"}
    bench = await make_board({"/settings.json": json.dumps(old).encode()})
    heard = []
    port = str(bench.badge.usb_path)
    await asyncio.to_thread(install, port, Order(), heard.append)
    settings = json.loads(bench.files()["/settings.json"])
    assert (settings["badge_id"], settings["player"], settings["role"]) == (7, "Anna", "player")
    assert "volume" not in settings
    assert "brightness_pct" not in settings
    assert sum("not one of this version" in line for line in heard) == 3
