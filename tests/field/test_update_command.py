"""`redband update` as a user types it, against a field of virtual badges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.fields import redband

from redband.build import packages
from redband.cli.app import run
from redband.gateway import air_update
from redband.keys import save_role_keys
from redband.rules import load
from redband.virtual.field import BadgeSpec, Field
from redband.virtual.image import read_image
from redband_core import upload


@pytest.fixture
async def field(field: Field) -> Field:
    """A field with badges 1 and 2."""
    for badge_id in (1, 2):
        await field.add_badge(BadgeSpec(badge_id))
    return field


async def update(field: Field, *arguments: str, code: int = 0) -> tuple[str, str]:
    return await redband(field, "update", *arguments, "--listen", "5", code=code)


def settings(field: Field, badge_id: int) -> dict:
    return json.loads(read_image(field.badges[badge_id].image_path)["/settings.json"])


async def test_several_badges_one_after_the_other_and_who_was_not_heard_is_named(
    field: Field,
) -> None:
    out, err = await update(
        field, "settings", "--badges", "1,2,9", "--set", "brightness_pct=40", code=1
    )
    assert err == "badge 9: was not heard in 5 s\n"
    for badge_id in (1, 2):
        assert f"badge {badge_id}: runs the new settings" in out
        assert settings(field, badge_id)["brightness_pct"] == 40
    _out, err = await update(
        field, "ruleset", "--badges", "all", "--ruleset", "wounds_hospital", code=1
    )
    assert err.count("would begin a new game there") == 2
    assert "Traceback" not in err


async def test_technician_may_and_medic_may_not(field: Field, tmp_path: Path) -> None:
    for role, code in ((4, 0), (1, 2)):
        key = tmp_path / f"{role}.key"
        save_role_keys(key, field.keys.for_role(role), False)
        arguments = ["settings", "--badges", "1", "--set", "player=Boris", "--key", str(key)]
        _out, err = await update(field, *arguments, code=code)
    assert err == "redband: A medic may not update badges; take the technician's key with --key.\n"
    assert settings(field, 1)["player"] == "Boris"
    await update(field, "abort", "--badges", "1")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["settings", "--badges", "x", "--set", "impact=off"], "--badges is all, or numbers"),
        (["settings", "--badges", "0", "--set", "impact=off"], "--badges is all, or numbers"),
        (["settings", "--badges", "1", "--set", "role=medic"], "role is changed over USB only"),
        (["settings", "--badges", "1", "--set", "radio=off"], "radio is changed over USB only"),
        (["settings", "--badges", "1", "--set", "brightness_pct=0"], "a whole number from 1 to"),
        (["ruleset", "--badges", "1", "--ruleset", "no_such"], "no_such"),
    ],
)
def test_mistake_is_one_sentence(
    arguments: list[str], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["update", *arguments]) == 2
    error = capfd.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_every_refusal_has_its_sentence() -> None:
    assert set(air_update.REFUSALS) == set(range(1, upload.TAP_GOES_ON + 1)) - {upload.GAP}


def test_older_version_is_told_from_a_newer() -> None:
    assert packages.is_older("0.1.0", "0.1.1")
    assert packages.is_older("0.9.0", "0.10.0")
    assert not packages.is_older("0.1.0", "0.1.0")
    assert not packages.is_older("1.0.0", "0.9.9")


def test_equal_contents_give_equal_packages() -> None:
    assert packages.firmware_package().begin(0, False) == packages.firmware_package().begin(
        0, False
    )
    ruleset = load("hits")
    assert packages.ruleset_package(ruleset) != packages.ruleset_package(load("wounds_hospital"))
