"""The prices of a product over time: each list holds from a day on, until the next one."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.orders.offers import Prices
from masthead.model.translations import format_day, gettext as _

MAX_DAYS_AHEAD = 3_660  # ten years: a later day is a typing error


class PriceList(Struct, frozen=True):
    """All prices of a product from a day on. first_day: None for its first prices."""

    first_day: date | None
    prices: Prices


PriceLists = Sequence[PriceList]  # of one product and currency, oldest first


def list_on(lists: PriceLists, day: date) -> PriceList:
    """The prices that hold on a day; without prices, an empty list."""
    holding = [each for each in lists if each.first_day is None or each.first_day <= day]
    return holding[-1] if holding else PriceList(None, {})


def next_list(lists: PriceLists, day: date) -> PriceList | None:
    """The prices that hold next after a day; None if no others are known."""
    return next((each for each in lists if each.first_day and each.first_day > day), None)


def find_list(lists: PriceLists, first_day: date | None) -> PriceList | None:
    """The list that begins on a day."""
    return next((each for each in lists if each.first_day == first_day), None)


def check_first_day(
    lists: PriceLists, first_day: date, *, today: date, replaced: date | None
) -> None:
    """Refuse a day on which new prices cannot begin. replaced: the day of the list they replace.

    Raises: Invalid.
    """
    field = "prices_from"
    if first_day < today:
        message = _(
            "New prices begin today or later, because past prices do not change. Choose {today} or "
            "a later day."
        )
    elif (first_day - today).days > MAX_DAYS_AHEAD:
        message = _("{day} is more than ten years ahead. Check the year.")
    elif first_day not in (today, replaced) and find_list(lists, first_day):
        message = _(
            "There are prices from {day} already. Change those, or choose another first day."
        )
    else:
        return
    message = message.format(day=format_day(first_day), today=format_day(today))
    raise Invalid(message, field=field, value=first_day)
