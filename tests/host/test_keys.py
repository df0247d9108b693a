"""Keys on the host: derived one way, kept in files that only their owner reads, never printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redband.cli.app import run
from redband.errors import RedbandUserError
from redband.keys import (
    KEY_FILE,
    GameKeys,
    RoleKeys,
    find_keys,
    game_keys,
    keep_game_keys,
    load_keys,
    save_role_keys,
)
from redband.keys.derive import badge_key
from redband_core import keys
from redband_core.settings_check import ROLES

GAME = GameKeys(bytes(range(32)))


def test_badge_has_what_a_holder_of_a_role_derives() -> None:
    access = keys.Access(GAME.badge_file(7, 0))
    assert keys.is_key_file(access.file)
    for role in (1, 2, 3, 4):
        of_role = GAME.for_role(role)
        assert access.badge_key(role) == badge_key(of_role, 7, role) == badge_key(GAME, 7, role)
    assert access.key(keys.ADVERT_ENCRYPT_AT) == GAME.advert_encrypt
    assert access.key(keys.ADVERT_PROOF_AT) == GAME.advert_proof
    assert access.key(keys.BROADCAST_AT) == GAME.broadcast


def test_player_s_badge_holds_no_role_and_staff_s_only_its_own() -> None:
    role_keys = {role: GAME.role_key(role) for role in (1, 2, 3, 4)}
    for wearer in range(5):
        file = GAME.badge_file(7, wearer)
        assert file[keys.OWN_ROLE_AT] == wearer
        for role, key in role_keys.items():
            assert key is not None
            assert (key in file) == (role == wearer)
        assert GAME.secret not in file


def test_every_key_is_another_one() -> None:
    found = [GAME.advert_encrypt, GAME.advert_proof, GAME.broadcast]
    found += [GAME.role_key(role) or b"" for role in (1, 2, 3, 4)]
    found += [badge_key(GAME, badge, role) or b"" for badge in (1, 2) for role in (1, 2, 3, 4)]
    assert len(set(found)) == len(found) == 15
    assert {len(key) for key in found} == {16}
    other = GameKeys.new()
    assert other.game_id != GAME.game_id
    assert other.secret != GameKeys.new().secret


def test_role_keys_open_one_role_and_broadcasts_only_for_those_who_may() -> None:
    for role in (1, 2, 3, 4):
        of_role = GAME.for_role(role)
        assert [of_role.role_key(each) is not None for each in (1, 2, 3, 4)] == [
            each == role for each in (1, 2, 3, 4)
        ]
        assert (of_role.broadcast is not None) == (ROLES[role] in ("marshal", "game_master"))
    assert GAME.role_key(0) is None
    with pytest.raises(ValueError, match="role 0 has no key"):
        GAME.for_role(0)


def test_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / KEY_FILE
    made = find_keys(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert find_keys(path).secret == game_keys(path).secret == made.secret
    with pytest.raises(RedbandUserError, match="--replace"):
        keep_game_keys(path)
    assert keep_game_keys(path, may_replace=True).secret != made.secret
    assert [one.name for one in tmp_path.iterdir()] == [KEY_FILE]


def test_role_file_comes_back_and_is_no_game_key(tmp_path: Path) -> None:
    path = tmp_path / "medic.key"
    save_role_keys(path, GAME.for_role(1))
    found = load_keys(path)
    assert isinstance(found, RoleKeys)
    assert vars(found) == vars(GAME.for_role(1))
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(RedbandUserError, match="the medic's; this needs the game's own key"):
        game_keys(path)
    with pytest.raises(RedbandUserError, match="--replace"):
        save_role_keys(path, GAME.for_role(2))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_file_that_others_can_read_is_refused_with_the_remedy(tmp_path: Path, mode: int) -> None:
    path = tmp_path / KEY_FILE
    keep_game_keys(path)
    path.chmod(mode)
    with pytest.raises(RedbandUserError, match=f"chmod 600 {path}"):
        load_keys(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"redband": "game key", "version": 2, "key": "00"}',
        b'{"redband": "game key", "version": 1, "key": "00"}',
        b'{"redband": "game key", "version": 1, "key": "zz"}',
        b'{"redband": "game key", "version": 1, "key": 5}',
        b'{"redband": "role key", "version": 1, "role": "king"}',
        b'{"redband": "cake", "version": 1}',
    ],
)
def test_anything_else_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / KEY_FILE
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(RedbandUserError) as caught:
        load_keys(path)
    assert "\n" not in str(caught.value)


def test_missing_file_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(RedbandUserError, match="redband keys new"):
        load_keys(tmp_path / "none.key")
    with pytest.raises(RedbandUserError, match="cannot be written"):
        keep_game_keys(tmp_path / "nowhere" / "game.key")


# --- the command -------------------------------------------------------------------------------


def said(capsys: pytest.CaptureFixture[str]) -> str:
    out = capsys.readouterr()
    return out.out + out.err


def test_command_makes_shows_and_exports_and_never_prints_a_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(tmp_path)]
    medic = tmp_path / "medic.key"
    assert run(["keys", "new", *data]) == 0
    assert run(["keys", "show", *data]) == 0
    assert run(["keys", "export", "--role", "medic", "-o", str(medic), *data]) == 0
    assert run(["keys", "show", "--key", str(medic)]) == 0
    text = said(capsys)
    made = game_keys(tmp_path / KEY_FILE)
    assert text.count(f"Game {made.game_id.hex()}") == 4
    assert "the medic's" in text
    secrets = json.loads(medic.read_text())
    hidden = [made.secret.hex(), *(secrets[name] for name in secrets if name.endswith("_key"))]
    assert not [secret for secret in hidden if secret in text]


def test_command_refuses_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(tmp_path)]
    assert run(["keys", "show", *data]) == 2
    assert "redband keys new" in said(capsys)
    assert run(["keys", "new", *data]) == 0
    assert run(["keys", "new", *data]) == 2
    assert "--replace" in said(capsys)
    for role in ("player", "king"):
        assert run(["keys", "export", "--role", role, "-o", str(tmp_path / "x"), *data]) == 2
        assert "A role with a key is one of" in said(capsys)
    assert run(["keys", "new", "--replace", *data]) == 0


def test_field_gives_its_badges_keys_that_stay(tmp_path: Path) -> None:
    """`redband virtual start` twice in one directory is one game."""
    from redband.virtual.field import BadgeSpec, Field

    field = Field(tmp_path)
    with pytest.raises(RedbandUserError, match="has not started"):
        _ = field.keys
    made = find_keys(field.key_path)
    spec = BadgeSpec(7, role="medic")
    assert spec.key_files(made) == {"/keys.bin": made.badge_file(7, 1)}
    assert BadgeSpec(7, has_keys=False).key_files(made) == {}
