"""The medic's tap on whole virtual badges: who is treated, by whom, and what both journals say."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.badge_journal import kinds, noted
from tests.support.taps import (
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
from redband.keys import GameKeys
from redband.virtual.field import Field
from redband_core import advert, journal, numbers, tap

AUTH_REFUSED = 70


@pytest.mark.parametrize("radio_mode", ["continuous", "windowed"])
async def test_medic_treats_the_patient_who_calls_and_both_journals_say_so(
    field: Field, air: Air, radio_mode: str
):
    patient = await join(field, 1, radio_mode=radio_mode)
    medic = await join(field, 2, role="medic", radio_mode=radio_mode)
    await hit(patient)
    assert await treat(air, patient, medic) == numbers.ANSWER_DONE
    treated = (rules.load("wounds").event("treat").id, ())
    (theirs,) = taps(patient)
    assert theirs[:2] == ((tap.PATIENT, 1), 2)
    assert theirs[3:] == (numbers.ANSWER_FOLLOWS, treated)
    asked, result = taps(medic)
    assert asked == ((tap.MEDIC, 1), 1, theirs[2], numbers.ANSWER_ASKED, treated)
    assert result == ((tap.MEDIC, 1), 1, theirs[2], numbers.ANSWER_DONE, treated)
    # The hold's press is no hit, nor are the medic's presses.
    assert events(patient) == ["hit", "hit", "void", "treat"]
    assert events(medic) == ["hit", "hit", "void"]
    found = kinds(patient)
    assert found[found.index(journal.TAP) + 1] == journal.EVENT


async def test_medics_badge_repeats_the_number_and_says_that_nobody_answered(
    field: Field, air: Air
):
    medic = await join(field, 2, role="medic")
    shown: list[tuple[int, ...]] = []
    done = asyncio.Event()

    def look(_now_s: float, leds) -> None:
        if not shown or shown[-1] != tuple(leds):
            shown.append(tuple(leds))
        if len(shown) > 1 and shown.count((1, 1, 0)) == 5 and shown[-1] == (0, 0, 0):
            done.set()

    for _ in range(4):
        await medic.press(rest_ms=100)
    medic.on_leds.append(look)
    await medic.hold()
    async with asyncio.timeout(30):
        await done.wait()  # four flashes, and at the end of the time a long one
    assert air.of(advert.KIND_OFFER) == []
    assert taps(medic) == []


async def test_two_medics_at_once_the_first_valid_offer_counts(field: Field, air: Air):
    patient = await join(field, 1)
    medics = [await join(field, number, role="medic") for number in (2, 3)]
    await hit(patient)
    nonce = air.nonce(await call(air, patient))
    await asyncio.gather(*[pick(medic, 4) for medic in medics])
    await air.next(advert.KIND_RESULT, 1)
    await air.shout(air.offer(1, 4, nonce, "treat"))  # of a third medic, a moment later
    await until(lambda: any(numbers.ANSWER_DONE in answered(medic) for medic in medics))
    first = next(medic for medic in medics if numbers.ANSWER_DONE in answered(medic)).badge_id
    outcomes = dict(air.results(1))
    assert (outcomes[first], outcomes[4]) == (numbers.ANSWER_DONE, numbers.ANSWER_ALREADY)
    # The other of the two may have been too late to be heard; what it was told is this.
    assert outcomes.get(5 - first, numbers.ANSWER_ALREADY) == numbers.ANSWER_ALREADY
    assert events(patient).count("treat") == 1
    assert [one[1] for one in taps(patient)] == [first]


async def test_hit_between_contact_and_treatment_ends_the_contact(field: Field, air: Air):
    how = {"ruleset": "contact_time", "params": {"contact_ms": 1000}}
    patient = await join(field, 1, **how)
    medic = await join(field, 2, role="medic", **how)
    await hit(patient)
    assert await treat(air, patient, medic, 7) == numbers.ANSWER_DONE  # contact begun
    await hit(patient)
    # The wound is heavy now, the contact over.
    assert await treat(air, patient, medic) == refusal("contact_time", "needs_hospital")
    assert "treat" not in events(patient, "contact_time")


async def test_contact_broken_and_resumed_goes_on_as_the_rules_say(field: Field, air: Air):
    how = {"ruleset": "contact_time", "params": {"contact_ms": 3000}}
    patient = await join(field, 1, **how)
    medic = await join(field, 2, role="medic", **how)
    await hit(patient)
    assert await treat(air, patient, medic, 7) == numbers.ANSWER_DONE
    place(field, 1, 2, None)  # the medic has to go
    await call(air, patient)
    await pick(medic, 4)
    assert air.results(1)[1:] == []
    place(field, 1, 2, -50)
    assert await treat(air, patient, medic, 9) == numbers.ANSWER_DONE  # and says so: contact_lost
    assert await treat(air, patient, medic) == refusal("contact_time", "contact_too_short")
    assert await treat(air, patient, medic, 7) == numbers.ANSWER_DONE
    assert await treat(air, patient, medic) == numbers.ANSWER_DONE


async def test_patient_out_of_range_between_offer_and_answer_is_treated_and_only_he_knows(
    field: Field, air: Air
):
    patient = await join(field, 1)
    medic = await join(field, 2, role="medic")
    await hit(patient)
    await call(air, patient)
    picking = asyncio.ensure_future(pick(medic, 4))
    await air.next(advert.KIND_OFFER, 2)
    await air.next(advert.KIND_RESULT, 1)
    place(field, 1, 2, None)
    await picking
    await until(lambda: "treat" in events(patient))
    assert [one[3] for one in taps(medic)][:1] == [numbers.ANSWER_ASKED]
    place(field, 1, 2, -50)
    assert await treat(air, patient, medic) == refusal("wounds", "nothing_to_treat")


async def test_patients_restart_ends_the_call_and_what_is_offered_to_it_is_worth_nothing(
    field: Field, air: Air
):
    patient = await join(field, 1)
    medic = await join(field, 2, role="medic")
    await hit(patient)
    old = air.nonce(await call(air, patient))
    await patient.power_cut()
    await patient.power_on()
    await patient.wait_led(lambda leds: leds[0] == 1, 30)
    await call(air, patient)
    await air.shout(air.offer(1, 2, old, "treat"))
    assert (air.results(1), taps(patient)) == ([], [])
    assert await treat(air, patient, medic) == numbers.ANSWER_DONE


async def test_medics_restart_leaves_what_the_patients_journal_says(field: Field, air: Air):
    patient = await join(field, 1)
    medic = await join(field, 2, role="medic")
    await hit(patient)
    await call(air, patient)
    picking = asyncio.ensure_future(pick(medic, 4))
    await air.next(advert.KIND_OFFER, 2)
    await medic.power_cut()
    await picking
    await air.next(advert.KIND_RESULT, 1)
    await medic.power_on()
    await until(lambda: [one[3] for one in taps(medic)] == [numbers.ANSWER_ASKED])
    assert events(patient)[-1] == "treat"
    await hit(patient)
    assert await treat(air, patient, medic) == numbers.ANSWER_DONE


async def test_G12_recorded_offer_is_refused_a_second_later_after_a_reboot_and_by_another_badge(
    field: Field, air: Air
):
    patient = await join(field, 1)
    other = await join(field, 3)
    medic = await join(field, 2, role="medic")
    place(field, 2, 3, -90)
    await hit(patient)
    await hit(other)
    assert await treat(air, patient, medic) == numbers.ANSWER_DONE
    (recorded,) = air.of(advert.KIND_OFFER, 2)
    await hit(patient)
    await asyncio.sleep(1)
    await air.shout(recorded)  # nobody has called
    await call(air, patient)
    await air.shout(recorded)
    await call(air, other)
    await air.shout(recorded)
    assert air.arrivals(1, advert.KIND_OFFER) > 0
    assert air.arrivals(3, advert.KIND_OFFER) > 0
    await patient.power_cut()
    await patient.power_on()
    await patient.wait_led(lambda leds: leds[0] == 1, 30)
    await call(air, patient)
    await air.shout(recorded)
    assert (len(air.results(1)), len(air.results(3))) == (1, 0)
    assert events(patient).count("treat") == 1
    assert "treat" not in events(other)


async def test_G12_offer_forged_by_a_player_is_refused_and_noted_once(field: Field, air: Air):
    patient = await join(field, 1)
    await join(field, 4)
    await hit(patient)
    nonce = air.nonce(await call(air, patient))
    # Badge 4 was opened: its own key of a medic, and those of all badges.
    await air.shout(air.offer(1, 4, nonce, "treat", badge=4), 5)
    for role in ("medic", "marshal"):
        await air.shout(air.offer(1, 2, nonce, "treat", badge=4, role=role), 5)
    assert air.results(1) == []
    assert taps(patient) == []
    await until(lambda: sum(noted(patient, AUTH_REFUSED)) > 0)
    assert len(noted(patient, AUTH_REFUSED)) == 1


async def test_offer_in_the_patients_own_name_is_refused(field: Field, air: Air):
    patient = await join(field, 1)
    await hit(patient)
    nonce = air.nonce(await call(air, patient))
    await air.shout(air.offer(1, 1, nonce, "treat"))
    assert air.arrivals(1, advert.KIND_OFFER) > 0
    assert air.results(1) == []


async def test_medic_of_another_game_hears_no_call_and_is_not_heard(field: Field, air: Air):
    patient = await join(field, 1)
    strange = GameKeys.new()
    files = (("/keys.bin", strange.badge_file(2, 1)),)
    medic = await join(field, 2, role="medic", files=files)
    await hit(patient)
    nonce = air.nonce(await call(air, patient))
    await pick(medic, 4)
    await air.shout(air.offer(1, 2, nonce, "treat", keys=strange))
    assert air.of(advert.KIND_OFFER) == []
    assert (air.results(1), taps(medic)) == ([], [])


async def test_G7_wearers_own_button_does_nothing_that_medics_do(field: Field, air: Air):
    patient = await join(field, 1, "hits")
    await hit(patient)
    await pick(patient, 3)  # the radical measure, which in an open game is the patient's gesture
    await pick(patient, 1)  # and holding, by which the patient is treated there
    await until(lambda: len(taps(patient)) == 2)
    assert {one[3] for one in taps(patient)} == {numbers.ANSWER_SELF}
    assert {one[1] for one in taps(patient)} == {1}
    assert not {"treat", "operation"} & set(events(patient, "hits"))
    assert air.of(advert.KIND_WANTED) == []


async def test_open_game_is_as_before_and_nobody_calls(field: Field, air: Air):
    patient = await join(field, 1, treatment="open")
    await hit(patient)
    await pick(patient, 4)
    await until(lambda: events(patient)[-1:] == ["treat"])
    assert taps(patient) == []
    assert air.of(advert.KIND_WANTED) == []
