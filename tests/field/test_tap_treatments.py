"""The host's part of treatments: both journals compared, and medics who treat from a host."""

from __future__ import annotations

import asyncio
import sys

from tests.support.fields import redband
from tests.support.taps import Air, call, events, hit, join, pick, taps, treat
from tests.support.waiting import until

from redband.cli import app as cli
from redband.virtual.field import Field
from redband_core import advert, numbers


async def treatments(field: Field) -> list[str]:
    """Return what `redband treatments --all` says of the field's store, when nothing is odd."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *["-m", "redband", "treatments", "--all", "--data", str(field.directory)],
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out
    return out.decode().splitlines()


async def test_journals_of_two_badges_agree_but_for_what_one_badge_did_not_hear(field: Field):
    air = Air(field)
    patient = await join(field, 1)
    medic = await join(field, 2, role="medic")
    await hit(patient)
    assert await treat(air, patient, medic) == numbers.ANSWER_DONE
    await redband(field, "sync")
    told = await treatments(field)
    assert told[0].endswith(
        "badge 2 treats badge 1: treated by a medic: done. Both badges say so."
    )
    await hit(patient)
    await call(air, patient)
    await pick(medic, 4)
    await air.next(advert.KIND_RESULT, 1, 1)
    await medic.power_cut()
    await until(lambda: events(patient)[-1] == "treat")
    await redband(field, "sync")
    told = await treatments(field)
    assert told[1].endswith("Only badge 1 knows; badge 2 has not been synced since.")
    assert told[2].startswith("2 treatments by badge: 1 in both journals, 1 in one only")


async def test_medics_treat_from_a_host_where_the_game_says_so(field: Field):
    air = Air(field)
    patient = await join(field, 1, treatment="host")
    await join(field, 2, role="medic", treatment="host")
    await hit(patient)
    await pick(patient, 4)  # in an open game a treatment
    await until(lambda: [one[3] for one in taps(patient)] == [numbers.ANSWER_SELF])
    key = field.directory / "medic.key"
    source = str(field.directory / "game.key")
    await keys_export(source, str(key))
    out, _err = await redband(field, "command", "1", "treat", "--as", "medic", "--key", str(key))
    assert out == "Badge 1: treat: done.\n"
    _out, err = await redband(
        field, "command", "1", "treat", "--as", "medic", "--key", str(key), code=1
    )
    assert err == "Badge 1: treat: refused, nothing to treat.\n"
    assert events(patient)[-1] == "treat"
    assert air.of(advert.KIND_WANTED) == []


async def keys_export(source: str, target: str) -> None:
    assert cli.run(["keys", "export", "--key", source, "--role", "medic", "-o", target]) == 0
