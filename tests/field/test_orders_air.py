"""Orders on whole virtual badges: events, words passed on from badge to badge, an emergency."""

from __future__ import annotations

import asyncio

from bleak import BleakClient
from tests.support.badge_journal import cut_and_read, events_of, noted_in
from tests.support.fields import redband
from tests.support.host_radio import Observer
from tests.support.waiting import WAIT_S, until

from redband import rules
from redband.gateway.bleak_radio import BleakRadio
from redband.gateway.broadcasts import COMMANDS, make_broadcast
from redband.gateway.gateway import Gateway
from redband.overview.names import open_rulesets
from redband.radio import command_badge, new_request
from redband.store.store import STORE_FILE, Store
from redband.virtual.bleak_backend import backend
from redband.virtual.field import BadgeSpec, Field
from redband.wire import command_frames as wire_command_frames
from redband_core import frames, journal, numbers


def address(badge_id: int) -> str:
    return BadgeSpec(badge_id).address


async def test_event_by_name_is_done_refused_in_words_and_journalled_with_the_role(field: Field):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    out, _err = await redband(field, "command", "1", "hit", "1", "staff", "--as", "marshal")
    assert out == "Badge 1: hit 1 staff: done.\n"
    out, _err = await redband(field, "command", "1", "blink")
    assert out == "Badge 1: blink: done.\n"
    out, err = await redband(field, "command", "1", "exclude", "--as", "medic", code=1)
    assert (out, err) == ("", "Badge 1: exclude: refused, our role may not do this.\n")
    _out, err = await redband(field, "command", "1", "bandage", "--lang", "ru", code=1)
    assert err.startswith("Badge 1: bandage: отказ, ")
    _out, err = await redband(field, "command", "1", "hti", code=2)
    assert err == 'redband: The ruleset hits has no event "hti"; did you mean "hit"?\n'
    records = await cut_and_read(badge)
    events = events_of(records)
    assert events == [(1, (1, 2))]
    assert noted_in(records, numbers.NOTE_SENT_BY) == [2, 3]


async def test_order_is_done_once_although_its_answer_is_lost_with_the_link(field: Field):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    observer = Observer(field)
    heard = await observer.next()
    message = wire_command_frames.encode_event(new_request(field.keys.chance), 1, (1, 2))
    links = 0

    def orders(_welcome) -> list[bytes]:
        nonlocal links
        links += 1
        return [message]

    def walk_off(_now_s: float, leds: tuple[int, int, int]) -> None:
        # The hit is shown; out of range before the answer is on the air.
        if leds[0] and leds[1] and links == 1:
            field.ether.set_rssi(address(1), host, None)
            field.ether.call_later_ms(8000, field.ether.set_rssi, address(1), host, -60)

    badge.on_leds.append(walk_off)
    hosts = {radio.name for radio in field.ether.controllers} - {address(1)}
    (host,) = hosts
    done = await command_badge(heard.device, orders, field.keys, observer.radio, 90)
    assert (
        wire_command_frames.decode_result(done.answers[0], frames.EVENT)[1] == numbers.ANSWER_DONE
    )
    assert links > 1
    await observer.close()
    records = await cut_and_read(badge)
    assert sum(kind == journal.EVENT for _seq, kind, _ms, _payload in records) == 1


async def test_stop_passes_along_three_badges_of_which_only_neighbours_hear_each_other(
    field: Field,
):
    badges = [await field.add_badge(BadgeSpec(number, "P")) for number in (1, 2, 3)]
    observer = Observer(field)
    await until(lambda: all(observer.newest(number) for number in (1, 2, 3)))
    (host,) = {one.name for one in field.ether.controllers} - {address(n) for n in (1, 2, 3)}
    field.ether.set_rssi(address(1), address(3), None)
    store = Store(field.directory / STORE_FILE)
    word = make_broadcast(store, field.keys, COMMANDS["stop"])
    heard = next(one for one in reversed(observer.heard) if one.advert.badge_id == 1)
    orders = [wire_command_frames.encode_broadcast(word.payload)]
    done = await command_badge(heard.device, lambda _w: orders, field.keys, observer.radio, WAIT_S)
    assert wire_command_frames.decode_result(done.answers[0], frames.BROADCAST) == (word.number, 0)
    await until(lambda: all(observer.shows(number, is_paused=True) for number in (1, 2, 3)))
    store.close()
    await observer.close()
    for badge in badges:
        records = await cut_and_read(badge)
        assert [value >> 1 for value in noted_in(records, numbers.NOTE_BROADCAST)] == [word.number]
        assert sum(kind == journal.PAUSE for _seq, kind, _ms, _payload in records) == 1


async def test_say_reports_who_heard_it_and_a_badge_that_was_off_is_told_later(
    field: Field,
):
    first = await field.add_badge(BadgeSpec(1, "Anna", ruleset_id="wounds"))
    second = await field.add_badge(BadgeSpec(2, "Boris", ruleset_id="wounds"))
    await redband(field, "sync", "--listen", "3")
    await second.power_cut()
    out, err = await redband(field, "say", "stop", "--seconds", "12", code=1)
    assert out == "badge 1: has heard it\n"
    assert err == "badge 2: not yet, and it is not in range\n"
    await second.power_on()
    out, _err = await redband(field, "watch", "--seconds", "15")
    assert "paused" in [line for line in out.splitlines() if line.split()[0] == "2"][-1]
    out, _err = await redband(field, "say", "resume")
    assert {line.split(": ")[0] for line in out.splitlines()} == {"badge 1", "badge 2"}
    assert {line.split(": ")[1] for line in out.splitlines()} <= {"has heard it", "goes on"}
    out, _err = await redband(field, "say", "fight-over", "--ruleset", "wounds")
    assert out == "badge 1: has heard it\nbadge 2: has heard it\n"
    _out, err = await redband(field, "say", "fight-over", "--ruleset", "hits", code=2)
    assert err == "redband: The ruleset hits has no end of a fight.\n"
    for badge in (first, second):
        records = await cut_and_read(badge)
        kinds = [kind for _seq, kind, _ms, _payload in records]
        assert (kinds.count(journal.PAUSE), kinds.count(journal.RESUME)) == (1, 1)
        assert kinds.count(journal.EVENT) + kinds.count(journal.REFUSED) == 1


async def test_emergency_is_heard_also_while_a_host_is_connected_and_ends_by_the_gesture(
    field: Field,
):
    badge = await field.add_badge(BadgeSpec(1, "Anna"))
    observer = Observer(field)
    heard = await observer.next()
    hits = heard.advert.counter_a
    radio = backend(field.hci_path)
    await five_presses(badge)
    async with asyncio.TaskGroup() as group:
        group.create_task(badge.hold(2000, rest_ms=600))
        async with BleakClient(heard.device, backend=radio.client) as client:
            await until(lambda: observer.shows(1, is_emergency=True))
            assert client.is_connected  # a stranger has 5 s before the badge drops him
    await until(lambda: observer.shows(1, is_emergency=True, counter_a=hits))
    await emergency(badge)
    await until(lambda: observer.shows(1, is_emergency=False))
    await observer.close()
    await radio.close()
    assert noted_in(await cut_and_read(badge), numbers.NOTE_EMERGENCY) == [1, 0]


async def five_presses(badge) -> None:
    for _press in range(5):
        await badge.press(80, rest_ms=150)


async def emergency(badge) -> None:
    await five_presses(badge)
    await badge.hold(2000, rest_ms=600)


async def test_emergency_in_safe_mode_is_heard_and_staff_ends_it(field: Field):
    files = (("/ruleset.bin", b"no ruleset"),)
    badge = await field.add_badge(BadgeSpec(1, "Anna", files=files))
    observer = Observer(field)
    await observer.next()
    await emergency(badge)
    await until(lambda: observer.shows(1, is_emergency=True))
    out, _err = await redband(field, "watch", "--seconds", "4")
    assert "EMERGENCY" in out
    out, _err = await redband(field, "command", "1", "emergency-over", "--as", "technician")
    assert out == "Badge 1: emergency-over: done.\n"
    await until(lambda: observer.shows(1, is_emergency=False))
    await observer.close()


async def test_gateway_tells_missed_words_in_order(field: Field):
    """Whatever was said while it was away, it hears each word once, in the order of saying."""
    badge = await field.add_badge(BadgeSpec(1, "Anna"), with_power=False)
    store = Store(field.directory / STORE_FILE)
    said = [
        make_broadcast(store, field.keys, COMMANDS[name]) for name in ("stop", "resume", "stop")
    ]
    radio = backend(field.hci_path)
    observer = BleakRadio(radio, field.keys)
    gateway = Gateway(observer, store, open_rulesets(store), keys=field.keys)
    await gateway.load()
    running = asyncio.create_task(gateway.run())
    await badge.power_on()

    def has_all() -> bool:
        live = gateway.live(1)
        return live is not None and live.projector.broadcast_number >= said[-1].number

    await until(has_all)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await radio.close()
    store.close()
    records = await cut_and_read(badge)
    told = [value >> 1 for value in noted_in(records, numbers.NOTE_BROADCAST)]
    assert told == [word.number for word in said]
    kinds = [
        kind for _seq, kind, _ms, _payload in records if kind in (journal.PAUSE, journal.RESUME)
    ]
    assert kinds == [journal.PAUSE, journal.RESUME, journal.PAUSE]


def test_every_staff_event_of_every_shipped_ruleset_is_within_reach():
    """By role and by name: what the rules let staff or medics send can be typed and encoded."""
    from redband.gateway.command import COMMANDS as OWN
    from redband.rules.spoken import read_event

    reached = 0
    for name in (*rules.shipped(), *rules.presets()):
        found = rules.load(name)
        for event in found.events:
            assert event.name not in OWN
            if not set(event.roles) - {"player"}:
                continue
            for pick in (0, -1):
                words = [
                    arg.choices[pick][0] if arg.choices else str((arg.low, arg.high)[pick])
                    for arg in event.args
                ]
                event_id, args = read_event(found, event.name, words)
                assert event_id == event.id
                assert len(args) == len(event.args)
                wire_command_frames.encode_event(1, event_id, args)
                reached += 1
    assert reached > 100
