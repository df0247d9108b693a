"""The control socket and the commands on it."""

import asyncio
import json

import pytest

from redband.cli.app import run
from redband.errors import RedbandUserError
from redband.virtual import runtime
from redband.virtual.clock import field_loop
from redband.virtual.control import ask
from redband.virtual.field import BadgeSpec, Field

FOLLOWS_BUTTON = """
import asyncio
from machine import ADC, Pin
red, green = Pin(6, Pin.OUT), Pin(7, Pin.OUT)
button, sensor = Pin(3, Pin.IN, Pin.PULL_UP), Pin(5, Pin.IN, Pin.PULL_UP)
edges = 0
def on_edge(pin):
    global edges
    edges += 1
    green.value(edges & 1)
sensor.irq(on_edge)
battery = ADC(4, atten=ADC.ATTN_11DB)
async def main():
    seen = 0
    print("ready")
    while True:
        red.value(1 - button.value())
        millivolts = battery.read_uv() // 1000
        if abs(millivolts - seen) > 20:
            seen = millivolts
            print("mv", seen)
        await asyncio.sleep_ms(2)
asyncio.run(main())
"""


@pytest.fixture
async def field(tmp_path):
    field = Field(tmp_path / "field")
    await field.start()
    spec = BadgeSpec(
        3, "Raven", with_firmware=False, files=(("/main.py", FOLLOWS_BUTTON.encode()),)
    )
    badge = await field.add_badge(spec)
    await badge.console.wait_output(b"ready")
    yield field
    await field.stop()


@pytest.mark.both_paces
async def test_press_hold_and_shake_reach_the_pins(field):
    seen = []
    field.badges[3].on_leds.append(lambda _, leds: seen.append(leds[0]))
    answer = await ask(field.control_path, {"do": "press", "badge": 3, "duration_ms": 40})
    assert answer["ok"]
    await field.badges[3].wait_led(lambda leds: leds[0] == 0)
    assert seen == [1, 0]
    await ask(field.control_path, {"do": "hold", "badge": 3, "duration_ms": 60})
    await field.badges[3].wait_led(lambda leds: leds[0] == 0)
    assert seen == [1, 0, 1, 0]
    shaken = asyncio.create_task(ask(field.control_path, {"do": "shake", "badge": 3}))
    await field.badges[3].wait_led(lambda leds: leds[1] == 1)
    await shaken


@pytest.mark.both_paces
async def test_recorded_edges_and_rest_reach_the_pins(field):
    seen = []
    field.badges[3].on_leds.append(lambda _, leds: seen.append(leds[0]))
    pulse = [[0, 1], [30_000, 0], [30_000, 1], [30_000, 0]]
    request = {"do": "edges", "badge": 3, "contact": "button", "edges": pulse, "rest_ms": 30}
    answer = await ask(field.control_path, request)
    assert answer["played"] is True
    assert seen == [1, 0, 1, 0]
    assert answer["levels"] == {"red": 0, "green": 0, "vibration": 0}


@pytest.mark.both_paces
async def test_flash_is_counted(field):
    answer = await ask(field.control_path, {"do": "flash", "badge": 3})
    assert answer["flash"] == {"bytes_programmed": 0, "programs": 0, "blocks_erased": 0}


@pytest.mark.both_paces
async def test_battery_pull_and_restore(field):
    badge = field.badges[3]
    await ask(field.control_path, {"do": "battery", "badge": 3, "mv": 3100})
    await badge.console.wait_output(b"mv 15")
    answer = await ask(field.control_path, {"do": "pull", "badge": 3})
    assert (answer["powered"], badge.is_powered) == (False, False)
    answer = await ask(field.control_path, {"do": "restore", "badge": 3})
    assert (answer["powered"], answer["boots"]) == (True, 2)
    status = await ask(field.control_path, {"do": "status"})
    assert [one["badge"] for one in status["badges"]] == [3]
    assert (await ask(field.control_path, {"do": "leds", "badge": 3}))["leds"]["red"] == 0


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        ({"do": "explode", "badge": 3}, "nothing one can do"),
        ({"do": "press", "badge": 4}, "no badge 4"),
        ({"do": "press"}, "no badge None"),
        ({"do": "press", "badge": 3, "duration_ms": -1}, "duration_ms"),
        ({"do": "press", "badge": 3, "duration_ms": "long"}, "duration_ms"),
        ({"do": "press", "badge": 3, "bounces": True}, "bounces"),
        ({"do": "battery", "badge": 3}, "mv"),
        ({"do": "battery", "badge": 3, "mv": 9000}, "mv"),
        ([1], "object"),
        ({"do": ["press"], "badge": 3}, "nothing one can do"),
        ({"do": "edges", "badge": 3}, "list of"),
        ({"do": "edges", "badge": 3, "edges": [[1]]}, "list of"),
        ({"do": "edges", "badge": 3, "edges": [[0, 2]]}, "list of"),
        ({"do": "edges", "badge": 3, "edges": []}, "1 to 400 edges"),
        ({"do": "edges", "badge": 3, "contact": "lid", "edges": [[0, 1]]}, "BUTTON or IMPACT"),
        ({"do": "blow", "badge": 3}, "no accelerometer"),
        ({"do": "shake", "badge": 3, "mg": 99999}, "mg"),
    ],
)
async def test_request_that_makes_no_sense_is_one_sentence(field, request_, word):
    with pytest.raises(RedbandUserError, match=word):
        await ask(field.control_path, request_)


async def test_connection_survives_what_is_no_json_and_ends_at_an_endless_line(field):
    reader, writer = await asyncio.open_unix_connection(str(field.control_path))
    writer.write(b'not json\n\xff\xfe\n{"do": "status"}\n')
    answers = [json.loads(await reader.readline()) for _ in range(3)]
    assert [one["ok"] for one in answers] == [False, False, True]
    writer.write(b"x" * 100_000)
    assert await reader.read() == b""
    writer.close()


async def test_no_field_is_one_sentence(tmp_path):
    with pytest.raises(RedbandUserError, match="No virtual field"):
        await ask(tmp_path / "control", {"do": "status"})


async def test_second_field_in_the_same_directory_is_refused(field):
    with pytest.raises(RedbandUserError, match="Another virtual field"):
        await Field(field.directory).start()
    assert (await ask(field.control_path, {"do": "status"}))["ok"]


async def test_refused_second_field_does_not_take_the_radio_of_the_first(field):
    second = Field(field.directory)
    with pytest.raises(RedbandUserError, match="Another virtual field"):
        await second.start()
    await second.stop()
    _reader, writer = await asyncio.open_unix_connection(field.hci_path)
    writer.close()


async def test_field_in_a_very_long_directory_is_found(tmp_path):
    field = Field(tmp_path / ("long" * 30))
    await field.start()
    try:
        link = field.directory / "control"
        assert (await ask(link.resolve(), {"do": "status"}))["ok"]
    finally:
        await field.stop()


async def test_badge_id_twice_is_refused(field):
    with pytest.raises(RedbandUserError, match="badge 3 already"):
        await field.add_badge(BadgeSpec(3))


async def redband(capsys, *words: str) -> tuple[int, str]:
    with field_loop().real_pace():  # the command runs a loop of its own, in a thread
        code = await asyncio.to_thread(run, ["virtual", *words])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


async def test_commands_press_pull_and_show(field, capsys):
    where = ["--field", str(field.directory)]
    code, said = await redband(capsys, "status", *where)
    assert code == 0
    assert "badge 3 Raven: on" in said
    assert (await redband(capsys, "press", "3", "--duration-ms", "20", *where))[0] == 0
    assert (await redband(capsys, "edges", "3", "0:1", "20000:0", *where))[0] == 0
    assert (await redband(capsys, "shake", "3", "--mg", "5000", *where))[0] == 0
    code, said = await redband(capsys, "pull", "3", *where)
    assert "no battery" in said
    code, said = await redband(capsys, "restore", "3", *where)
    assert "starts: 2" in said
    code, said = await redband(capsys, "usb", "3", *where)
    assert said.startswith("/dev/pts/")


async def test_commands_say_in_one_sentence_what_is_wrong(field, capsys, tmp_path, monkeypatch):
    where = ["--field", str(field.directory)]
    code, said = await redband(capsys, "press", "9", *where)
    assert (code, said) == (2, "redband: There is no badge 9 in this field.\n")
    code, said = await redband(capsys, "blow", "3", *where)
    assert (code, said) == (2, "redband: Badge 3 has no accelerometer.\n")
    code, said = await redband(capsys, "edges", "3", "0:1", "soon:0", *where)
    assert code == 2
    assert said.startswith("redband: An edge is written as 30000:0")
    monkeypatch.chdir(tmp_path)
    code, said = await redband(capsys, "status")
    assert code == 2
    assert said.startswith("redband: No virtual field runs here")


@pytest.mark.parametrize(
    "command", [["virtual", "start", "--directory"], ["scan", "--field"], ["watch", "--field"]]
)
def test_missing_runtime_is_one_sentence_for_every_command_with_a_field(
    command, capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr(runtime, "RUNTIME_MODULES", ("no_such_runtime",))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert run([*command, str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("redband: The runtime of virtual badges is missing")
    assert said.count("\n") == 1
