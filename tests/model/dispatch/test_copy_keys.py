"""Copy keys: unique, with a check character, and lenient when they are read."""

import re
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from masthead.model.dispatch import copy_keys
from masthead.model.errors import Invalid
from masthead.model.ids import BASE32, MAX_ACCOUNT

LINES = st.integers(0, copy_keys.MAX_LINE)
ACCOUNTS = st.integers(1, MAX_ACCOUNT)
KEY = copy_keys.key_of(7, 1234)


def code_of(text: str, account_id: int = 7) -> str:
    with pytest.raises(Invalid) as caught:
        copy_keys.line_of_key(account_id, text)
    assert caught.value.field == "key"
    return caught.value.code


@given(account_id=ACCOUNTS, line_id=LINES)
def test_a_key_leads_back_to_its_line(account_id: int, line_id: int) -> None:
    key = copy_keys.key_of(account_id, line_id)
    assert re.fullmatch(f"[{BASE32}]{{9}}", key)
    assert copy_keys.line_of_key(account_id, key) == line_id


@pytest.mark.parametrize("line_id", [0, 1, 2**20 - 1, 2**20, 2**32, copy_keys.MAX_LINE])
def test_the_limits_of_line_numbers_have_keys(line_id: int) -> None:
    assert copy_keys.line_of_key(1, copy_keys.key_of(1, line_id)) == line_id


@pytest.mark.parametrize("line_id", [-1, copy_keys.MAX_LINE + 1])
def test_a_number_outside_the_limits_has_no_key(line_id: int) -> None:
    with pytest.raises(ValueError, match=str(line_id)):
        copy_keys.key_of(1, line_id)


def test_the_keys_of_an_account_never_change() -> None:
    assert [copy_keys.key_of(7, line) for line in (1, 2, 1_000_000)] == FOREVER


FOREVER = ["WMD38R8RD", "JY6KF4W2C", "XGS5N7D1V"]


def test_keys_of_consecutive_lines_look_different() -> None:
    listed = [copy_keys.key_of(7, line) for line in range(20_000)]
    assert len(set(listed)) == 20_000
    for place in range(copy_keys.WIDTH):
        assert len({key[place] for key in listed}) == 32


@given(line_id=st.integers(1, 10**7), accounts=st.lists(ACCOUNTS, min_size=2, max_size=2))
def test_a_key_of_another_account_is_almost_surely_no_line(
    line_id: int, accounts: list[int]
) -> None:
    ours, theirs = accounts
    found = copy_keys.line_of_key(ours, copy_keys.key_of(theirs, line_id))
    assert (found == line_id) is (ours == theirs)


def test_of_many_foreign_keys_almost_none_is_the_key_of_a_line() -> None:
    foreign = [copy_keys.line_of_key(1, copy_keys.key_of(2, line)) for line in range(20_000)]
    assert sum(line <= 1_000_000 for line in foreign) == 0


@given(account_id=ACCOUNTS, line_id=LINES)
def test_every_wrong_character_is_detected(account_id: int, line_id: int) -> None:
    key = copy_keys.key_of(account_id, line_id)
    for place, right in enumerate(key):
        for wrong in BASE32.replace(right, ""):
            misread = key[:place] + wrong + key[place + 1 :]
            assert code_of(misread, account_id) == "wrong_check_digit"


@given(account_id=ACCOUNTS, line_id=LINES)
def test_every_swap_of_two_characters_is_detected(account_id: int, line_id: int) -> None:
    key = copy_keys.key_of(account_id, line_id)
    for one, other in combinations(range(copy_keys.WIDTH), 2):
        swapped = list(key)
        swapped[one], swapped[other] = key[other], key[one]
        if key[one] != key[other]:
            assert code_of("".join(swapped), account_id) == "wrong_check_digit"


@pytest.mark.parametrize(
    "form",
    [
        "#{}#",
        "# {} #",
        "{}#",
        " {}\n",
        "#{}",
    ],
)
def test_a_key_is_read_as_it_was_printed_or_scanned(form: str) -> None:
    assert copy_keys.line_of_key(7, form.format(KEY)) == 1234
    assert copy_keys.line_of_key(7, form.format(KEY.lower())) == 1234


@pytest.mark.parametrize("gap", [" ", "-", " - ", "\N{EN DASH}", "\N{NO-BREAK SPACE}"])
def test_a_key_may_be_written_in_groups(gap: str) -> None:
    assert copy_keys.line_of_key(7, gap.join([KEY[:3], KEY[3:6], KEY[6:]])) == 1234


@pytest.mark.parametrize("digit, letters", [("0", "Oo"), ("1", "IiLl")])
def test_letters_that_look_like_digits_are_read_as_digits(digit: str, letters: str) -> None:
    line_id = next(line for line in range(1000) if digit in copy_keys.key_of(7, line))
    for letter in letters:
        assert (
            copy_keys.line_of_key(7, copy_keys.key_of(7, line_id).replace(digit, letter)) == line_id
        )


@pytest.mark.parametrize("text", ["", "#", "##", KEY[:-1], KEY + "0", KEY * 10, "0" * 100_000])
def test_a_wrong_length_is_refused(text: str) -> None:
    assert code_of(text) == "wrong_key_length"


@pytest.mark.parametrize("letter", ["U", "u", "É", "ß", "٣", "!", "#", "ｋ"])
def test_a_character_of_no_key_is_refused(letter: str) -> None:
    assert code_of(KEY[:4] + letter + KEY[5:]) == "wrong_key_character"


def test_the_message_says_what_to_do() -> None:
    wrong = KEY[:-1] + BASE32[BASE32.index(KEY[-1]) - 1]
    with pytest.raises(Invalid, match=f"`{wrong}` has a wrong check digit.*misread"):
        copy_keys.line_of_key(7, wrong)


def test_a_key_is_printed_between_number_signs() -> None:
    assert copy_keys.printed(KEY) == f"#{KEY}#"


def test_a_key_in_an_address_is_found_as_it_is_printed() -> None:
    key = copy_keys.key_of(7, 101)
    assert copy_keys.find_key(7, f" #{key.lower()}# ") == key
    for text in ("", key[:-1], key[:-1] + ("A" if key[-1] != "A" else "B"), key + "&x=1", "€" * 9):
        assert copy_keys.find_key(7, text) == ""
