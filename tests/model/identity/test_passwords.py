"""The password policy."""

import unicodedata
from random import Random

import pytest

from masthead.model.errors import Invalid
from masthead.model.identity.passwords import (
    FILE,
    WIDTH,
    digest_of,
    entries_of,
    is_breached,
    new_password,
)
from tests.support.cases import for_each

EMAIL = "Ann.Keeper@Lantern-and-Tide.example"


@for_each(
    "password",
    [
        "seven quiet lighthouses",
        "x7Kp2mQ9vB4n",
        "q" * 5 + "wz8!kmhtrb",
        "смелые маяки на юге",
        "p w" * 40 + "zyxwvuts",
        "👩‍🚀 over the harbour",
        "correct horse battery staple",
        "harbour-lantern-9",
        "(%$#&*@!^)_+",
        "123!(%$#&*@^)_+",
    ],
)
def test_a_password_of_twelve_characters_is_accepted(password: str) -> None:
    assert new_password(password, EMAIL) == unicodedata.normalize("NFC", password)


@pytest.mark.parametrize("length, is_taken", [(11, False), (12, True), (128, True), (129, False)])
def test_a_password_has_12_to_128_characters(length: int, is_taken: bool) -> None:
    password = ("kelp%4Nuf gd,Bow7" * 8)[:length]
    if is_taken:
        assert new_password(password, EMAIL) == password
    else:
        with pytest.raises(Invalid, match=f"has {length} characters; 12 to 128") as refusal:
            new_password(password, EMAIL)
        assert refusal.value.field == "password"


def test_composed_and_decomposed_characters_count_the_same() -> None:
    decomposed = unicodedata.normalize("NFD", "äöüäöükelp")
    assert len(decomposed) > 12
    with pytest.raises(Invalid, match="has 10 characters"):
        new_password(decomposed, EMAIL)
    assert new_password(decomposed + "zw", EMAIL) == "äöüäöükelpzw"


@for_each(
    "password",
    [
        "password1234",
        "Password!2026",
        "passwordpassword",
        "PasswordPassword1",
        "qwertyuiopas",
        "123456789012",
        "098765432109",
        "abcdefghijklm",
        "aaaaaaaaaaaa",
        "abababababab",
        "1q2w3e4r5t6y",
        "welcome12345",
        "masthead12345",
        "2026dragon2026",
        "P@ssw0rd2026!",
        "p4$$w0rd!!11",
        "$unshine1234",
        "drowssap1234",
        "pass-word-1234",
        "I love you 2026",
        "letmein!letmein!",
        "Passwort1234",
        "zaq12wsxcde3",
        "qwer-asdf-1234",
        "111222333444",
        "xyzabcdefghi",
    ],
)
def test_common_passwords_are_refused(password: str) -> None:
    with pytest.raises(Invalid, match="This password is too common") as refusal:
        new_password(password, EMAIL)
    assert password not in str(refusal.value)


@pytest.mark.parametrize(
    "password", [EMAIL, EMAIL.lower(), "lantern-and-tide.example", "ann.keeperann.keeper"]
)
def test_the_email_address_of_the_user_is_refused_as_a_password(password: str) -> None:
    with pytest.raises(Invalid, match="part of your email address"):
        new_password(password, EMAIL)


# --- The filter of breached passwords -------------------------------------------------------------


def test_the_filter_is_sorted_and_small_enough_to_ship() -> None:
    digests = FILE.read_bytes()
    entries = [digests[start : start + WIDTH] for start in range(0, len(digests), WIDTH)]
    assert len(entries) > 25_000
    assert len(digests) <= 1_000_000
    assert entries == sorted(set(entries))
    assert {len(entry) for entry in entries} == {WIDTH}


def test_the_filter_has_a_notice_with_its_origin_and_licence() -> None:
    notice = FILE.with_suffix(".txt").read_text()
    assert f"{FILE.stat().st_size // WIDTH:,} texts" in notice
    assert "Django Software Foundation" in notice
    assert "MIT License" in notice


@pytest.mark.parametrize("entry", ["password", "liverpool", "qwertyuiop123", "ladedaldedaldal"])
def test_an_entry_is_found_by_its_digest(entry: str) -> None:
    assert (digest_of(entry) in FILE.read_bytes()) is (entry != "ladedaldedaldal")
    assert is_breached(entry) is (entry != "ladedaldedaldal")


def test_random_passwords_are_almost_never_mistaken_for_breached() -> None:
    random = Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789-_. "
    for _ in range(2_000):
        assert not is_breached("".join(random.choices(letters, k=16)))


def test_the_filter_contains_only_entries_that_the_policy_could_accept() -> None:
    assert entries_of("123456", 12) == entries_of("abc1", 12) == set()
    assert entries_of("Password1!", 12) == {"password"}
    assert entries_of("IloveYou2-ever", 12) == {"iloveyou2-ever"}
    assert entries_of("\tmonkey123456\n", 12) == {"monkey", "monkey123456"}
    assert entries_of("x" * 300, 12) == {"x" * 255}
