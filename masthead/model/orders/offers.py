"""What a product offers: a number of issues or months, and its prices."""

from collections.abc import Mapping

from msgspec import Struct

from masthead.model.dispatch.postal.rules import country_group
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.model.types.money import money_text

MAX_LENGTH, MAX_MONTHS = 1_000, 1_200
MAX_PRICE = 10**13 - 1  # in minor units: 9 digits before the point, and 4 after it

# In minor units of the account's currency, by medium and group of countries
Prices = Mapping[tuple[Medium, CountryGroup], int]


class Offer(Struct, frozen=True, kw_only=True):
    """What a product offers.

    length: the number of issues, or None if orders choose it. interval_months: the same for
    memberships. prices: those that are known.
    """

    type: SubscriptionType = SubscriptionType.SUBSCRIPTION
    length: int | None = None
    interval_months: int | None = None
    prices: Prices = {}


def checked_offer(offer: Offer) -> Offer:
    """The offer, without the length of the other type. Raises: Invalid."""
    is_membership = offer.type is SubscriptionType.MEMBERSHIP
    length = None if is_membership else offer.length
    months = offer.interval_months if is_membership else None
    for field, value, most in (
        ("length", length, MAX_LENGTH),
        ("interval_months", months, MAX_MONTHS),
    ):
        if value is not None and not 1 <= value <= most:
            raise Invalid(
                _("`{field}` is {value}. Type a whole number from 1 to {most}.").format(
                    field=field, value=value, most=most
                ),
                field=field,
                value=value,
            )
    if any(not 0 <= price <= MAX_PRICE for price in offer.prices.values()):
        raise Invalid(_("A price must be 0 or more."), field="prices")
    return Offer(type=offer.type, length=length, interval_months=months, prices=offer.prices)


def price_for(prices: Prices, medium: Medium, country: str, *, home: str | None) -> int | None:
    """The price for a medium to a country, in minor units; None if there is none.

    home: the publisher's country.
    """
    return prices.get((medium, country_group(country, home)))


def price_texts(prices: Prices, currency: str) -> dict[str, str]:
    """The prices for the audit trail: `{"Print, home": "42.00 EUR"}`."""
    return {
        f"{medium}, {group}": f"{money_text(price, currency)} {currency}"
        for (medium, group), price in sorted(prices.items())
    }


def price_name(offered: str) -> str:
    """The name of a price in words. offered: a key of `price_texts`."""
    medium, place = place_name(offered)
    return _("Price {place}, {medium}").format(place=place, medium=medium)


def place_name(offered: str) -> tuple[str, str]:
    """The medium and the countries of a price in words. offered: a key of `price_texts`."""
    medium, _comma, group = offered.rpartition(", ")
    media = {
        Medium.PRINT: _("print"),
        Medium.DIGITAL: _("digital"),
        Medium.PRINT_AND_DIGITAL: _("print + digital"),
    }
    groups = {
        CountryGroup.HOME: _("your country"),
        CountryGroup.EUROPE: _("Europe"),
        CountryGroup.REST: _("rest of the world"),
    }
    return media[Medium(medium)], groups[CountryGroup(group)]
