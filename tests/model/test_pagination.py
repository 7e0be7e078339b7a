"""Pages and their cursors."""

import string

import pytest
from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.ids import LAST_ID, LAST_NUMBER, new_id
from masthead.model.pagination import (
    Page,
    PageRequest,
    all_pages,
    binding_of,
    cut_page,
    decode_cursor,
    encode_cursor,
)

BINDING = binding_of(1, "/v1/issues/", {"country": "DE"})


def request(limit: int = 2, after: str | None = None) -> PageRequest:
    """A request for a page of a list."""
    return PageRequest(limit=limit, after=after, binding=BINDING)


class Numbered(Struct):
    """An item of a list."""

    number: int


def page_of_numbers(numbers: list[int], limit: int) -> tuple[list[int], bool, str | None]:
    """The page made from rows with these numbers."""
    page = cut_page([Numbered(number) for number in numbers], request(limit), key="number")
    return [item.number for item in page.items], page.has_more, page.cursor


def test_a_page_asks_for_one_row_more_than_it_shows() -> None:
    assert request(limit=50).fetch == 51


@pytest.mark.parametrize("numbers", [[], [5], [5, 4]])
def test_a_page_without_an_additional_row_is_the_last(numbers: list[int]) -> None:
    assert page_of_numbers(numbers, 2) == (numbers, False, None)


def test_an_additional_row_means_has_more_and_the_cursor_names_the_last_row_shown() -> None:
    items, has_more, cursor = page_of_numbers([5, 4, 3], 2)
    assert items == [5, 4]
    assert has_more
    assert cursor is not None
    assert decode_cursor(BINDING, cursor) == "4"


def test_the_first_page_begins_at_the_highest_key() -> None:
    assert request().after_id == LAST_ID > new_id(2**21 - 1)
    assert request().after_number == LAST_NUMBER > 2**31


def test_a_later_page_begins_after_the_last_key() -> None:
    assert request(after="0000ABC").after_id == "0000ABC"
    assert request(after="7").after_number == 7


@pytest.mark.parametrize("after", ["7", "00001" + "Z" * 26, "é"])
def test_a_cursor_is_decoded_to_its_key(after: str) -> None:
    assert decode_cursor(BINDING, encode_cursor(BINDING, after)) == after


def test_a_cursor_needs_no_escaping_in_a_query() -> None:
    allowed = set(string.ascii_letters + string.digits + "-_")
    for number in range(50):
        assert set(encode_cursor(BINDING, str(number))) <= allowed


@pytest.mark.parametrize(
    "other",
    [
        binding_of(2, "/v1/issues/", {"country": "DE"}),
        binding_of(1, "/v1/copies/", {"country": "DE"}),
        binding_of(1, "/v1/issues/", {"country": "FR"}),
        binding_of(1, "/v1/issues/", {}),
        binding_of(1, "/v1/issues/", {"country": "DE", "status": "Sent"}),
        binding_of(1, "/v1/issues/", {"status": "DE"}),
    ],
)
def test_a_cursor_is_only_valid_for_its_account_list_and_filters(other: bytes) -> None:
    with pytest.raises(Invalid) as refusal:
        decode_cursor(other, encode_cursor(BINDING, "7"))
    assert refusal.value.code == "invalid_cursor"


def test_the_order_of_filters_and_absent_filters_do_not_change_a_cursor() -> None:
    one = binding_of(1, "/", {"country": "DE", "status": "Sent", "search": None})
    assert one == binding_of(1, "/", {"status": "Sent", "country": "DE"})


def test_every_altered_cursor_is_refused() -> None:
    cursor = encode_cursor(BINDING, "1234567")
    altered = {
        cursor[:place] + letter + cursor[place + 1 :]
        for place in range(len(cursor))
        for letter in "A0_-"
    } - {cursor}
    for each in altered:
        with pytest.raises(Invalid):
            decode_cursor(BINDING, each)


@pytest.mark.parametrize("junk", ["", "A", "not a cursor", "é", "=", "====", "A" * 5000, "\0"])
def test_other_texts_are_not_cursors(junk: str) -> None:
    with pytest.raises(Invalid) as refusal:
        decode_cursor(BINDING, junk)
    assert refusal.value.code == "invalid_cursor"


def test_a_cursor_with_something_appended_is_refused() -> None:
    cursor = encode_cursor(BINDING, "7")
    for junk in ("=", "\n", " ", "AAAA"):
        with pytest.raises(Invalid):
            decode_cursor(BINDING, cursor + junk)


@pytest.mark.parametrize("rows, pages", [(0, [[]]), (2, [[0, 1]]), (5, [[0, 1], [2, 3], [4]])])
async def test_all_pages_of_a_list_are_read(rows: int, pages: list[list[int]]) -> None:
    async def list_page(request: PageRequest) -> Page[Numbered]:
        assert request.is_ascending
        numbers = range(request.after_number, rows)[: request.fetch]
        return cut_page([Numbered(number + 1) for number in numbers], request, key="number")

    read = all_pages(list_page, limit=2, is_ascending=True)
    assert [[row.number - 1 for row in page] async for page in read] == pages
