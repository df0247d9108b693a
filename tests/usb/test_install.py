"""`redband badge install` on a virtual badge's USB port, with the real mpremote."""

import asyncio
import json
from pathlib import Path

import pytest

from redband.cli.app import run
from redband.desk import install as installer
from redband.desk.install import Order, install
from redband.desk.mpremote import Mpremote, PortError, PortTrouble
from redband.virtual.image import read_image

FIRMWARE = Path(__file__).parents[2] / "firmware"
OLD_MAIN = b"import asyncio\nfrom redband_core import part\nprint('OLD', part.NAME)\n"
OLD_FILES = (
    ("/lib/redband_core/part.py", b"NAME = 'old part'\n"),
    ("/lib/redband_core/gone.py", b"NAME = 'stale'\n"),
    ("/journal/00000000.seg", b"kept"),
    ("/boot.py", b"# the board's own\n"),
    ("/main.py", OLD_MAIN),
)
NEW_FILES = {
    "/lib/redband_core/part.mpy": b"",
    "/lib/redband_badge/deep/more.py": b"NAME = 'more'\n",
    "/lib/redband_hal/big.py": b"# " + b"x" * 3000 + b"\nNAME = 'big'\n",
    "/main.py": b"from redband_core import part\nfrom redband_badge.deep import more\n"
    b"from redband_hal import big\nprint('NEW', part.NAME, more.NAME, big.NAME)\n",
}
FEEDS = b"""import asyncio, machine
watchdog = machine.WDT(timeout=1500)
async def main():
    print("playing")
    while True:
        watchdog.feed()
        await asyncio.sleep_ms(200)
asyncio.run(main())
"""


@pytest.fixture
def small_firmware(monkeypatch, tmp_path):
    """Install four small files instead of the whole firmware."""
    from redband.build.firmware import compiled

    source = tmp_path / "part.py"
    source.write_text("NAME = 'new part'\n")
    files = NEW_FILES | {"/lib/redband_core/part.mpy": compiled(source, "redband_core/part.py")}
    monkeypatch.setattr(installer, "firmware_files", lambda: files)
    return files


async def in_thread(port, order, say=lambda _: None):
    return await asyncio.to_thread(install, str(port), order, say)


async def test_blank_board_gets_the_firmware_and_plays(make_badge):
    badge = await make_badge()
    await badge.console.wait_output(b">>> ")
    done = await in_thread(badge.usb_path, Order(badge_id=7, player="Лис", role="medic"))
    assert (done.badge_id, done.chip) == (7, "c0de00000001")
    await badge.wait_led(lambda leds: any(leds), timeout_s=20)
    await badge.power_cut()
    files = read_image(badge.image_path)
    settings = json.loads(files["/settings.json"])
    assert (settings["badge_id"], settings["player"], settings["role"]) == (7, "Лис", "medic")
    assert files["/ruleset.bin"]
    assert "/boot.cnt" in files, "the firmware has counted its start"
    assert not [name for name in files if name.startswith(("/stage", "/boot.py"))]


async def test_R20_old_modules_are_gone_and_the_journal_stays(make_badge, small_firmware):
    badge = await make_badge(files=OLD_FILES)
    await badge.console.wait_output(b"OLD old part")
    await in_thread(badge.usb_path, Order(badge_id=1))
    await badge.console.wait_output(b"NEW new part more big")
    await badge.power_cut()
    files = read_image(badge.image_path)
    assert sorted(files) == sorted(
        [*small_firmware, "/settings.json", "/ruleset.bin", "/boot.py", "/journal/00000000.seg"]
        + ["/selftest"]
    )
    assert files["/boot.py"] == b"# the board's own\n"
    assert files["/journal/00000000.seg"] == b"kept"


async def test_R8_badge_that_plays_is_not_reset_in_the_middle(make_badge, small_firmware):
    badge = await make_badge(files=(("/main.py", FEEDS),))
    await badge.console.wait_output(b"playing")
    await in_thread(badge.usb_path, Order(badge_id=1))
    await badge.console.wait_output(b"NEW new part")
    assert badge.chip.watchdog_resets == 0


class Cut(Exception):
    """The cable is pulled."""


@pytest.mark.parametrize("cut_at", range(4))
async def test_T7_cable_pulled_between_steps_leaves_a_whole_version(
    make_badge, small_firmware, monkeypatch, cut_at
):
    badge = await make_badge(files=OLD_FILES)
    await badge.console.wait_output(b"OLD old part")
    calls = 0
    whole_run = Mpremote.run

    def cut_run(self, *commands, **options):
        nonlocal calls
        calls += 1
        if calls > cut_at:
            raise Cut
        return whole_run(self, *commands, **options)

    monkeypatch.setattr(Mpremote, "run", cut_run)
    with pytest.raises(Cut):
        await in_thread(badge.usb_path, Order(badge_id=1))
    monkeypatch.undo()
    await badge.power_cut()
    badge.console.log.clear()
    await badge.power_on()
    is_taken_over = cut_at >= 3
    await badge.console.wait_output(b"NEW new part more big" if is_taken_over else b"OLD old part")


async def test_T7_power_cut_anywhere_in_the_take_over_ends_in_the_new_version(
    make_badge, small_firmware, monkeypatch
):
    badge = await make_badge(files=OLD_FILES)
    committed: list[bytes] = []

    def commit(remote: Mpremote) -> None:
        remote.run("exec", installer.board_scripts.COMMIT, timeout_s=30)
        committed.append(badge.image_path.read_bytes())  # before the start that takes over

    monkeypatch.setattr(installer, "_finish", commit)
    monkeypatch.setattr(installer.modules, "check_loaded", lambda *_: None)
    await in_thread(badge.usb_path, Order(badge_id=1))
    # A flash operation is the smallest step: the next one is torn, then the badge starts for good.
    for operations in range(0, 1000, 5):
        await badge.power_cut()
        badge.image_path.write_bytes(committed[0])
        badge.console.log.clear()
        badge.chip.flash_cut_after = operations
        await badge.power_on()
        is_cut = await first_of(
            badge.chip.wait_flash_cut(), badge.console.wait_output(b"NEW new part more big")
        )
        if not is_cut:
            assert operations > 20, "the cuts must hit the work"
            return
        badge.chip.flash_cut_after = None
        await badge.power_on()
        await badge.console.wait_output(b"NEW new part more big")


async def first_of(one, other) -> bool:
    """Return whether `one` was the first to end."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    for task in done:
        task.result()
    return tasks[0] in done


async def test_T7_copy_cut_in_the_middle_is_finished_by_the_second_try(make_badge, small_firmware):
    badge = await make_badge(files=OLD_FILES)
    badge.chip.flash_cut_after = 25  # from the soft reset that the installer begins with
    first = asyncio.create_task(in_thread(badge.usb_path, Order(badge_id=1)))
    async with asyncio.timeout(30):
        await badge.chip.wait_flash_cut()
    assert any(name.startswith("/stage/") for name in read_image(badge.image_path))
    badge.chip.flash_cut_after = None
    badge.console.log.clear()
    await badge.power_on()
    await badge.console.wait_output(b"OLD old part")
    with pytest.raises(PortError):
        await first
    await in_thread(badge.usb_path, Order(badge_id=1))
    await badge.console.wait_output(b"NEW new part more big")


@pytest.mark.parametrize("step", ["Copying", "Taking"])
async def test_ctrl_c_in_the_middle_leaves_no_badge_at_its_prompt(
    make_badge, small_firmware, step: str
):
    badge = await make_badge(files=OLD_FILES)
    await badge.console.wait_output(b"OLD old part")
    badge.console.log.clear()
    said = []

    def break_off(text: str) -> None:
        said.append(text)
        if text.startswith(step):
            raise KeyboardInterrupt

    def interrupted() -> bool:
        try:
            install(str(badge.usb_path), Order(badge_id=7, player="Anna"), break_off)
        except KeyboardInterrupt:
            return True
        return False

    assert await asyncio.to_thread(interrupted)
    assert said[-1].startswith("Interrupted;")
    await badge.console.wait_output(b"OLD old part", 20)
    await in_thread(badge.usb_path, Order(badge_id=7, player="Anna"))
    await badge.console.wait_output(b"NEW new part", 20)


async def test_T3_badge_with_another_id_is_not_written(make_badge, small_firmware, capsys):
    badge = await make_badge(files=(("/settings.json", b'{"badge_id": 12}'),))
    port = str(badge.usb_path)
    code = await asyncio.to_thread(run, ["badge", "install", "--port", port, "--badge-id", "17"])
    assert code == 2
    assert "is badge 12, not 17" in capsys.readouterr().err
    done = await in_thread(badge.usb_path, Order(player="Wolf"))
    assert done.badge_id == 12
    done = await in_thread(badge.usb_path, Order(badge_id=17, may_replace=True))
    assert done.badge_id == 17


async def test_H1_maximum_of_hits_is_set_at_provisioning(make_badge, small_firmware, capsys):
    badge = await make_badge()
    port = str(badge.usb_path)
    command = ["badge", "install", "--port", port, "--badge-id", "1", "--param", "max_hits=5"]
    assert await asyncio.to_thread(run, command) == 0
    assert "max_hits=5" in capsys.readouterr().out
    await badge.power_cut()
    settings = json.loads(read_image(badge.image_path)["/settings.json"])
    assert settings["params"][0] == 5


async def test_G13_numbers_of_another_ruleset_do_not_brick_the_badge(make_badge, small_firmware):
    old = b'{"badge_id": 1, "params": [900, 900]}'
    badge = await make_badge(files=(("/settings.json", old),))
    await in_thread(badge.usb_path, Order(badge_id=1))
    await badge.power_cut()
    assert "params" not in json.loads(read_image(badge.image_path)["/settings.json"])


async def test_role_that_the_firmware_does_not_know_is_not_written(small_firmware, tmp_path):
    with pytest.raises(installer.RedbandUserError, match="A role is one of player, .*, not king"):
        await in_thread(tmp_path / "port", Order(badge_id=1, role="king"))


async def test_new_badge_without_a_number_is_refused(make_badge, small_firmware):
    badge = await make_badge()
    with pytest.raises(installer.RedbandUserError, match="give it a number"):
        await in_thread(badge.usb_path, Order())


async def test_T5_absent_forbidden_and_busy_ports_are_three_sentences(
    make_badge, open_port, tmp_path, monkeypatch
):
    remote = Mpremote(str(tmp_path / "nothing"))
    with pytest.raises(PortError, match="There is no port") as absent:
        remote.check_port()
    (tmp_path / "port").touch()
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PortError, match="You may not use") as forbidden:
        Mpremote(str(tmp_path / "port")).check_port()
    monkeypatch.undo()
    badge = await make_badge()
    open_port(badge)
    with pytest.raises(PortError, match="Another program uses") as busy:
        await in_thread(badge.usb_path, Order(badge_id=1))
    codes = [one.value.exit_code for one in (absent, forbidden, busy)]
    assert codes == [3, 4, 5]
    assert len(set(codes)) == 3


@pytest.mark.parametrize("port", ["/dev/null", __file__, "/tmp"])
async def test_T5_what_is_no_serial_port_is_not_called_busy(small_firmware, port):
    with pytest.raises(PortError, match=f"{port} is no serial port") as wrong:
        await in_thread(port, Order(badge_id=1))
    assert wrong.value.exit_code == 3


async def test_T6_board_that_starts_late_is_tried_again(make_badge, small_firmware, monkeypatch):
    monkeypatch.setattr(installer, "RETRY_PAUSE_S", 0.0)
    badge = await make_badge(files=OLD_FILES)
    failures = [PortTrouble.SILENT, PortTrouble.BROKEN_OFF]
    whole_run = Mpremote.run

    def flaky_run(self, *commands, **options):
        if failures:
            raise PortError(failures.pop(), "weak cable")
        return whole_run(self, *commands, **options)

    monkeypatch.setattr(Mpremote, "run", flaky_run)
    heard = []
    done = await in_thread(badge.usb_path, Order(badge_id=1), heard.append)
    assert done.retries == 2
    assert heard[0] == "No answer, trying again (1 of 2)."


async def test_T6_board_that_never_answers_is_named_with_its_remedy(tmp_path, monkeypatch):
    def silent_run(self, *commands, **options):
        raise self._trouble("mpremote: could not enter raw repl")

    monkeypatch.setattr(installer, "RETRY_PAUSE_S", 0.0)
    monkeypatch.setattr(Mpremote, "run", silent_run)
    with pytest.raises(PortError, match="check the cable") as silent:
        await in_thread(tmp_path, Order(badge_id=1))
    assert silent.value.trouble == PortTrouble.SILENT


@pytest.mark.parametrize("is_unbuffered", ["", "1"])
async def test_install_that_gave_no_sense_when_python_buffered_its_output(
    make_badge, small_firmware, monkeypatch, is_unbuffered
):
    monkeypatch.setenv("PYTHONUNBUFFERED", is_unbuffered)
    badge = await make_badge()
    done = await in_thread(badge.usb_path, Order(badge_id=3))
    assert done.badge_id == 3
