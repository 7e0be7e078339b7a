"""Ids and API keys: what they contain and what they reveal."""

import string
import time
from collections.abc import Iterator

import pytest
from ulid import ULID

from masthead.model import ids

ALLOWED = set(string.ascii_uppercase + string.digits)


@pytest.mark.parametrize("account_id", [1, 33, ids.MAX_ACCOUNT])
def test_an_id_consists_of_capital_letters_and_digits_and_contains_its_account(
    account_id: int,
) -> None:
    id = ids.new_id(account_id)
    assert set(id) <= ALLOWED
    assert ids.is_id(id)
    assert ids.account_of(id) == account_id
    assert id < ids.LAST_ID


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time that the next id sees; it begins in 2100, after all ids of other tests."""
    now = [4_102_444_800.0]
    with monkeypatch.context() as patched:
        patched.setattr(ids._Newest, "moment", 0)
        patched.setattr("masthead.model.ids.time.time", lambda: now[0])
        yield now


@pytest.mark.parametrize("passed", [0.001, 0, -0.019], ids=["later", "the same", "set back"])
def test_ids_sort_by_creation_time_although_the_clock_is_corrected(
    clock: list[float], passed: float
) -> None:
    made = [ids.new_id(1)]
    for _ in range(50):
        clock[0] += passed
        made.append(ids.new_id(1))
    assert made == sorted(set(made))


def test_a_clock_that_was_wrong_is_not_followed_for_ever(clock: list[float]) -> None:
    ids.new_id(1)
    clock[0] -= 3600
    moment = ULID.from_str(ids.new_id(1)[ids.ACCOUNT_WIDTH :]).timestamp
    assert abs(moment - clock[0]) < 0.01


def test_ids_sort_by_creation_when_the_random_bits_of_a_millisecond_are_used_up(
    clock: list[float],
) -> None:
    first = ids.new_id(1)
    ids._Newest.noise = 2**80 - 1
    second, third = ids.new_id(1), ids.new_id(1)
    assert first < second < third
    assert ids.is_id(second)
    assert first[:15] < second[:15]


def test_new_ids_have_the_same_format_as_the_others() -> None:
    for id in ids.new_ids(33, 200, after=""):
        ulid = ULID.from_str(id[ids.ACCOUNT_WIDTH :])
        assert id[ids.ACCOUNT_WIDTH :] == str(ulid)
        assert abs(ulid.timestamp - time.time()) < 10
        assert ids.account_of(id) == 33


def test_each_id_has_80_random_bits(clock: list[float]) -> None:
    tails = []
    for _ in range(2000):
        clock[0] += 0.001
        tails.append(ids.new_id(1)[-16:])
    for place in range(16):
        assert len({tail[place] for tail in tails}) == 32


def test_the_next_id_within_a_millisecond_cannot_be_guessed(clock: list[float]) -> None:
    made = [ids.new_id(1) for _ in range(2000)]
    assert len({later[-12:] for later in made}) == 2000
    for place in range(-12, 0):
        assert len({id[place] for id in made}) == 32


def test_new_ids_are_higher_than_the_last_even_if_the_clock_is_behind() -> None:
    first = ids.new_ids(33, 2000, after="")
    assert first == sorted(first)
    assert {ids.account_of(id) for id in first} == {33}
    ahead = "00011" + "0A" + "Z" * 24  # of the year 2318
    assert min(ids.new_ids(33, 2000, after=first[-1])) > first[-1]
    assert min(ids.new_ids(33, 20, after=ahead)) > ahead
    for place in range(-15, 0):
        assert len({id[place] for id in first}) == 32


@pytest.mark.parametrize(
    "text", ["", "1", "NOSUCH", "é" * 31, "U" * 31, "0" * 30, "0" * 32, "0" * 31 + "\n"]
)
def test_other_texts_are_not_ids(text: str) -> None:
    assert not ids.is_id(text)
    assert ids.account_of(text) is None


def test_an_id_in_lower_case_is_not_an_id() -> None:
    assert not ids.is_id(ids.new_id(12345).lower())


def test_copy_ids_of_every_account_stay_below_2_to_the_53() -> None:
    assert ids.first_copy_id(ids.MAX_ACCOUNT) + ids.COPIES_PER_ACCOUNT <= 2**53


def test_a_copy_id_belongs_to_one_account() -> None:
    base = ids.first_copy_id(7)
    assert base + 1 in ids.copy_ids_of(7)
    assert base not in ids.copy_ids_of(7)
    assert ids.first_copy_id(8) + 1 not in ids.copy_ids_of(7)
    assert -1 not in ids.copy_ids_of(7)


def test_a_key_contains_its_prefix_its_account_and_a_checksum() -> None:
    key = ids.new_key(12)
    assert key.startswith("mh_")
    assert key[3:].isalnum()
    assert key[3:].isascii()
    assert ids.account_of_key(key) == 12
    assert key.startswith(ids.key_prefix(key))


def test_a_mistyped_key_is_refused_without_a_query() -> None:
    key = ids.new_key(12)
    for place in range(3, len(key)):
        other = "0" if key[place] != "0" else "1"
        assert ids.account_of_key(key[:place] + other + key[place + 1 :]) is None


@pytest.mark.parametrize("text", ["", "mh_", "junk", "mh_" + "0" * 43 + "\n", "xx_" + "0" * 43])
def test_other_texts_are_not_keys(text: str) -> None:
    assert ids.account_of_key(text) is None


def test_one_seed_creates_one_key_for_each_account() -> None:
    seed = b"s" * 32
    key = ids.new_key(12, seed)
    assert key == ids.new_key(12, seed)
    assert ids.account_of_key(key) == 12
    assert key[8:] not in {ids.new_key(13, seed)[8:], ids.new_key(12, b"t" * 32)[8:]}
    assert {ids.new_key(12, bytes([n]) * 32)[-7] for n in range(256)} > set("09AZaz")


def test_keys_differ_and_their_digests_reveal_nothing() -> None:
    one, other = ids.new_key(1), ids.new_key(1)
    assert one != other
    assert ids.key_digest(one) != ids.key_digest(other)
    assert len(ids.key_digest(one)) == 64
    assert one not in ids.key_digest(one)
