"""Which passwords are taken."""

import unicodedata

import pytest

from masthead.model.errors import Invalid
from masthead.model.passwords import COMMON, new_password

EMAIL = "Ann.Keeper@Lantern-and-Tide.example"


@pytest.mark.parametrize(
    "password",
    [
        "seven quiet lighthouses",
        "x7Kp2mQ9vB4n",
        "q" * 5 + "wz8!kmhtrb",
        "смелые маяки на юге",
        "p w" * 40 + "zyxwvuts",
        "👩‍🚀 over the harbour",
    ],
)
def test_a_password_of_twelve_characters_is_taken(password: str) -> None:
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


def test_characters_are_counted_once_however_they_are_composed() -> None:
    decomposed = unicodedata.normalize("NFD", "äöüäöükelp")
    assert len(decomposed) > 12
    with pytest.raises(Invalid, match="has 10 characters"):
        new_password(decomposed, EMAIL)
    assert new_password(decomposed + "zw", EMAIL) == "äöüäöükelpzw"


@pytest.mark.parametrize(
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
        "2026dragon2026",
    ],
)
def test_what_is_tried_first_is_refused(password: str) -> None:
    with pytest.raises(Invalid, match="among those that are tried first") as refusal:
        new_password(password, EMAIL)
    assert password not in str(refusal.value)


@pytest.mark.parametrize(
    "password",
    [EMAIL, EMAIL.lower(), "lantern-and-tide.example", "ann.keeperann.keeper"],
)
def test_the_address_of_its_owner_is_refused(password: str) -> None:
    with pytest.raises(Invalid, match="part of your e-mail address"):
        new_password(password, EMAIL)


def test_the_list_names_no_comment_and_says_where_it_is_from() -> None:
    assert len(COMMON) > 1000
    assert not [word for word in COMMON if word.startswith("#") or len(word) < 5]
