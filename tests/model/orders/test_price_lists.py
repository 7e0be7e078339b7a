"""Which prices of a product hold on a day."""

from datetime import date

import pytest

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.orders.price_lists import PriceList, check_first_day, list_on, next_list
from masthead.model.types.enums import Medium

HOME = Medium.PRINT, CountryGroup.HOME
TODAY, NEW_YEAR, SUMMER = date(2026, 11, 27), date(2027, 1, 1), date(2027, 7, 1)
FIRST, SECOND, THIRD = (
    PriceList(None, {HOME: 4800}),
    PriceList(NEW_YEAR, {HOME: 5200}),
    PriceList(SUMMER, {}),
)
LISTS = [FIRST, SECOND, THIRD]


@pytest.mark.parametrize(
    "day, held, following",
    [
        (date(1999, 1, 1), FIRST, SECOND),
        (date(2026, 12, 31), FIRST, SECOND),
        (NEW_YEAR, SECOND, THIRD),
        (SUMMER, THIRD, None),
    ],
)
def test_prices_hold_from_their_first_day_until_the_next_ones(
    day: date, held: PriceList, following: PriceList | None
) -> None:
    assert (list_on(LISTS, day), next_list(LISTS, day)) == (held, following)


def test_without_prices_nothing_is_sold() -> None:
    assert list_on([], TODAY).prices == {}
    assert list_on([SECOND], TODAY).prices == {}


@pytest.mark.parametrize(
    "first_day, replaced, message",
    [
        (date(2026, 11, 26), None, "Choose 27 November 2026 or a later day"),
        (date(2127, 1, 1), None, "1 January 2127 is more than ten years ahead"),
        (NEW_YEAR, None, "There are prices from 1 January 2027 already"),
        (SUMMER, NEW_YEAR, "There are prices from 1 July 2027 already"),
    ],
)
def test_a_day_on_which_new_prices_cannot_begin_is_refused(
    first_day: date, replaced: date | None, message: str
) -> None:
    with pytest.raises(Invalid, match=message) as refused:
        check_first_day(LISTS, first_day, today=TODAY, replaced=replaced)
    assert refused.value.field == "prices_from"


def test_new_prices_begin_today_or_later_or_replace_coming_ones() -> None:
    for first_day, replaced in ((TODAY, None), (date(2027, 1, 2), None), (NEW_YEAR, NEW_YEAR)):
        check_first_day(LISTS, first_day, today=TODAY, replaced=replaced)
