"""Settings: the prices of a product over time."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import date, timedelta

from msgspec import Struct
from starlette.responses import Response

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import NotFound
from masthead.model.orders.offers import Prices, price_name
from masthead.model.orders.price_lists import PriceList, PriceLists, find_list, list_on, next_list
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.services.product_prices import delete_prices
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import day_in, get_locale


class PeriodOfPrices(Struct, frozen=True):
    """Prices with their days. first, last: None without limit. is_coming: not reached yet."""

    first: date | None
    last: date | None
    prices: Prices
    status: str
    is_coming: bool

    @property
    def media(self) -> set[Medium]:
        """The media that are sold."""
        return {medium for medium, _group in self.prices}


class ChangedPrice(Struct, frozen=True):
    """A price that changes on a day. before, after: None if it is not sold."""

    medium: Medium
    group: CountryGroup
    before: int | None
    after: int | None

    @property
    def name(self) -> str:
        """The name of the price in words."""
        return price_name(f"{self.medium}, {self.group}")


class ComingPrices(Struct, frozen=True):
    """The next prices of a product. changed: those that differ, in the order of the form."""

    first_day: date
    prices: Prices
    changed: Sequence[ChangedPrice]
    has_same_range: bool


def find_coming(lists: PriceLists, today: date) -> ComingPrices | None:
    """The next prices; None if no others are known.

    has_same_range: whether the lowest and the highest price stay, so that they say nothing.
    """
    coming = next_list(lists, today)
    if coming is None or coming.first_day is None:
        return None
    held, after = list_on(lists, today).prices, coming.prices
    changed = [
        ChangedPrice(medium, group, held.get((medium, group)), after.get((medium, group)))
        for medium in Medium
        for group in CountryGroup
        if held.get((medium, group)) != after.get((medium, group))
    ]
    return ComingPrices(coming.first_day, after, changed, _range(held) == _range(after))


def _range(prices: Prices) -> tuple[int, int] | None:
    amounts = prices.values()
    return (min(amounts), max(amounts)) if amounts else None


def periods_of(lists: PriceLists, today: date) -> Sequence[PeriodOfPrices]:
    """The prices of a product over time, oldest first; empty if they never change."""
    if not any(each.first_day for each in lists):
        return []
    held, coming = list_on(lists, today), next_list(lists, today)
    followers = [*lists[1:], None]
    return [
        PeriodOfPrices(
            each.first_day,
            after.first_day - timedelta(days=1) if after and after.first_day else None,
            each.prices,
            _status(each, held, coming, today),
            is_coming=bool(each.first_day and each.first_day > today),
        )
        for each, after in zip(lists, followers, strict=True)
    ]


def _status(each: PriceList, held: PriceList, coming: PriceList | None, today: date) -> str:
    if each is held:
        return _("Now")
    if each is coming:
        return _("Next")
    return _("Later") if each.first_day and each.first_day > today else _("Past")


def read_coming(context: PageContext, lists: PriceLists) -> PriceList | None:
    """The coming prices that the address names; None for those of today. Raises: NotFound.

    After another user has deleted them, a sent form is for the prices of today.
    """
    text = context.query.get("from", "")
    if not text:
        return None
    try:
        listed = find_list(lists, date.fromisoformat(text))
    except ValueError:
        listed = None
    today = context.membership.daily_date
    if listed is not None and listed.first_day and listed.first_day > today:
        return listed
    if context.is_post:
        return None
    raise NotFound("price", text)


async def delete_coming_prices(context: PageContext) -> Response:
    """Delete the prices from a day on. Raises: NotFound, Invalid."""
    message = _("The prices from {day} are deleted.")
    return await delete_from_day(context, "price", delete_prices, message)


async def delete_from_day(
    context: PageContext, noun: str, delete: Callable[..., Awaitable[None]], message: str
) -> Response:
    """Delete what a product has from the day in the address on. Raises: NotFound, Invalid.

    noun: of what is not found. message: what the page says afterwards, with `{day}`.
    """
    id, text = context.path["id"], context.path["day"]
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise NotFound(noun, text) from None
    await delete(context.db, context.account_id, id, day, by=context.actor)
    message = message.format(day=day_in(day, get_locale(context.locale)))
    return context.redirect(context.url("settings", "products", id, "edit"), message=message)
