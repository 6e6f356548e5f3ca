"""Keys and their owners."""

import hashlib

import pytest
from pydantic import SecretStr

from dure.errors import SettingsError, Unauthorized
from dure.keys import Keys


def keys(*given: str) -> Keys:
    return Keys(SecretStr(k) for k in given)


def test_without_keys_all_are_the_default_owner() -> None:
    assert not keys()
    assert keys().owner(None) == ("default", "admin")
    assert keys().owner("Bearer whatever") == ("default", "admin")


def test_a_key_names_its_owner() -> None:
    known = keys("kim:secret-1", "lee:secret-2")
    assert known.owner("Bearer secret-2") == ("lee", "owner")
    assert known.owner("bearer  secret-1 ") == ("kim", "owner")


def test_a_key_may_have_a_role() -> None:
    assert keys("kim:reader:secret-1").owner("Bearer secret-1") == ("kim", "reader")


def test_who_may_ask_has_a_key_that_may() -> None:
    assert keys().may_ask("anybody")
    known = keys("kim:1", "lee:reader:2", "lee:approver:3", "boss:admin:4", "han:reader:5", "han:owner:6")
    assert [known.may_ask(owner) for owner in ("kim", "lee", "boss", "han", "gone")] == [True, False, True, True, False]


def test_a_bare_keys_owner_comes_from_its_hash() -> None:
    assert keys("k3y!").owner("Bearer k3y!")[0] == "k-" + hashlib.sha256(b"k3y!").hexdigest()[:16]


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer secret-3", "Basic secret-1", "secret-1", "Bearer kim:secret-1"]
)
def test_other_headers_are_refused(header: str | None) -> None:
    with pytest.raises(Unauthorized):
        keys("kim:secret-1").owner(header)


@pytest.mark.parametrize(
    "given",
    [
        "s3cret열쇠",
        "s3cret ",
        "my s3cret",
        "kim: s3cret",
        "s3cret\n",
        ":s3cret",
        "s3cret:",
        "o" * 65 + ":s3cret",
        "a b:s3cret",
        "a/b:s3cret",
        "kim:boss:s3cret",
        "kim::s3cret",
        ":reader:s3cret",
        "kim:reader:x:s3cret",
    ],
)
def test_unusable_keys_are_a_settings_error_without_the_key(given: str) -> None:
    with pytest.raises(SettingsError) as error:
        keys(given)
    assert "s3cret" not in str(error.value)


def test_a_key_belongs_to_one_owner() -> None:
    with pytest.raises(SettingsError, match="twice"):
        keys("kim:secret-1", "lee:secret-1")
    with pytest.raises(SettingsError, match="twice"):
        keys("kim:reader:secret-1", "kim:admin:secret-1")
