"""Limits of a medic's tap on whole virtual badges: distance, skill, stock, lives, roles (G11)."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.badge_journal import kinds, records
from tests.support.taps import (
    FAR,
    NEAR,
    Air,
    answered,
    call,
    events,
    hit,
    join,
    pick,
    place,
    refusal,
    taps,
    treat,
)
from tests.support.waiting import until

from redband import rules
from redband.virtual.field import Field
from redband.wire import journal as wire_journal
from redband_core import advert, journal, numbers

TREAT, ESCORT, KIT = 4, 6, 8
# Ruleset, the medic's skill, then in turn: hits on the patient, the medic's pick, the answer.
ROWS: list[tuple[str, int, list[tuple[int, int, str]]]] = [
    ("wounds", 0, [(0, TREAT, "nothing_to_treat"), (1, KIT, ""), (0, TREAT, "")]),
    ("wounds", 0, [(2, TREAT, "needs_hospital"), (0, ESCORT, ""), (0, ESCORT, "not_heavy")]),
    ("one_heal", 0, [(1, TREAT, ""), (1, TREAT, "no_heals_left"), (0, KIT, "no_heals_left")]),
    ("no_self_heal", 0, [(1, KIT, ""), (0, TREAT, "")]),
    ("wounds_hospital", 0, [(1, TREAT, "")]),
    ("medic_skill", 0, [(1, TREAT, "no_skill")]),
    ("medic_skill", 1, [(1, TREAT, "")]),
    ("hits", 0, [(1, 1, ""), (0, 7, "bandage_not_due"), (2, 3, ""), (0, 9, "not_dying")]),
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
async def test_G11_limit_over_the_air(field: Field, air: Air, row):
    ruleset, skill, deeds = row
    patient = await join(field, 1, ruleset)
    medic = await join(field, 2, ruleset, role="medic", skill=skill)
    for hits, number, answer in deeds:
        for _ in range(hits):
            await hit(patient)
        wanted = refusal(ruleset, answer) if answer else numbers.ANSWER_DONE
        assert await treat(air, patient, medic, number) == wanted, (number, answer)
    found = kinds(patient)
    after = [found[place + 1] for place, kind in enumerate(found) if kind == journal.TAP]
    assert after == [journal.REFUSED if answer else journal.EVENT for _h, _n, answer in deeds]


async def test_G11_medic_without_stock_offers_nothing(field: Field, air: Air):
    how = {"ruleset": "medic_stock", "params": {"max_stock": 1}}
    patient = await join(field, 1, **how)
    medic = await join(field, 2, role="medic", **how)
    await hit(patient)
    assert await treat(air, patient, medic, TREAT) == numbers.ANSWER_DONE
    await until(lambda: events(medic, "medic_stock")[-1:] == ["spend"])
    await hit(patient)
    await call(air, patient)
    await pick(medic, TREAT)
    await until(lambda: journal.REFUSED in kinds(medic))
    assert len(air.of(advert.KIND_OFFER)) == 1
    _seq, kind, _ms, payload = [r for r in records(medic) if r.kind == journal.REFUSED][-1]
    spend = rules.load("medic_stock").event("spend").id
    assert wire_journal.parse_refused(payload) == (refusal("medic_stock", "no_stock"), spend, ())
    assert answered(medic) == [numbers.ANSWER_DONE]


async def test_G11_medic_whose_offer_the_rules_refuse_keeps_the_stock(field: Field, air: Air):
    patient = await join(field, 1, "medic_stock")
    medic = await join(field, 2, "medic_stock", role="medic")
    assert await treat(air, patient, medic) == refusal("medic_stock", "nothing_to_treat")
    assert "spend" not in events(medic, "medic_stock")


@pytest.mark.parametrize("dbm", [None, FAR])
async def test_medic_too_far_away_offers_nothing(field: Field, air: Air, dbm: int | None):
    patient = await join(field, 1)
    medic = await join(field, 2, role="medic")
    place(field, 1, 2, dbm)
    await hit(patient)
    await call(air, patient)
    await pick(medic, TREAT)
    await asyncio.sleep(3)
    assert bool(air.arrivals(2, advert.KIND_WANTED, 1)) == (dbm is not None)
    assert air.of(advert.KIND_OFFER) == []
    assert (taps(patient), taps(medic)) == ([], [])
    place(field, 1, 2, NEAR)
    assert await treat(air, patient, medic) == numbers.ANSWER_DONE


async def test_patient_believes_no_offer_from_far_away(field: Field, air: Air):
    patient = await join(field, 1)
    await hit(patient)
    nonce = air.nonce(await call(air, patient))
    field.ether.default_rssi_dbm = FAR
    await air.shout(air.offer(1, 2, nonce, "treat"), 10)
    assert air.arrivals(1, advert.KIND_OFFER) > 0
    assert air.results(1) == []
    field.ether.default_rssi_dbm = NEAR
    await air.shout(air.offer(1, 2, nonce, "treat"), 10)
    await air.next(advert.KIND_RESULT, 1)
    assert air.results(1) == [(2, numbers.ANSWER_DONE)]


async def test_of_two_patients_the_nearer_is_meant_and_of_two_as_near_none(field: Field, air: Air):
    near, other = await join(field, 1), await join(field, 3)
    medic = await join(field, 2, role="medic")
    place(field, 1, 2, -50)
    place(field, 3, 2, -53)
    for patient in (near, other):
        await hit(patient)
    await asyncio.gather(call(air, near), call(air, other))
    await pick(medic, TREAT)
    await asyncio.sleep(9)  # until nobody calls or listens any more
    assert all(air.arrivals(2, advert.KIND_WANTED, patient) for patient in (1, 3))
    assert air.of(advert.KIND_OFFER) == []
    place(field, 3, 2, -62)  # the medic comes closer to one of them, and all try again
    await asyncio.gather(call(air, near), call(air, other))
    await pick(medic, TREAT)
    await air.next(advert.KIND_RESULT, 1)
    await until(lambda: answered(medic))
    assert (air.results(1), air.results(3)) == ([(2, numbers.ANSWER_DONE)], [])
    assert "treat" not in events(other)


async def test_medic_of_another_ruleset_is_told_so(field: Field, air: Air):
    patient = await join(field, 1, "one_heal")
    medic = await join(field, 2, "wounds", role="medic")
    await hit(patient)
    assert await treat(air, patient, medic) == numbers.ANSWER_OTHER_RULES
    assert "treat" not in events(patient, "one_heal")


@pytest.mark.parametrize(("event", "role"), [("hit", "medic"), ("admit", "medic")])
async def test_medic_offers_only_what_the_role_may(field: Field, air: Air, event: str, role: str):
    patient = await join(field, 1)
    nonce = air.nonce(await call(air, patient))
    await air.shout(air.offer(1, 2, nonce, event, role=role))
    await air.next(advert.KIND_RESULT, 1)
    assert air.results(1) == [(2, numbers.ANSWER_ROLE)]
    assert taps(patient) == []


async def test_two_medics_treat_each_other(field: Field, air: Air):
    one = await join(field, 1, role="medic")
    other = await join(field, 2, role="medic")
    await hit(one)
    assert await treat(air, one, other) == numbers.ANSWER_DONE
    await hit(other)
    assert await treat(air, other, one) == numbers.ANSWER_DONE
