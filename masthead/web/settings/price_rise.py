"""Settings: raise several prices of a product by an amount or by percent."""

from collections.abc import Collection, Sequence
from decimal import Decimal, InvalidOperation

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.orders.offers import MAX_PRICE
from masthead.model.orders.price_rises import PriceRise
from masthead.model.translations import gettext as _
from masthead.web.kit.amounts import example_amount, plain_amount, read_amount

MAX_PERCENT = 1_000
PRINTED = "printed"  # media with a printed copy, which postage is paid for
RAISED_IN = {
    "all": tuple(CountryGroup),
    "other": (CountryGroup.EUROPE, CountryGroup.REST),
    "home": (CountryGroup.HOME,),
    "europe": (CountryGroup.EUROPE,),
    "rest": (CountryGroup.REST,),
}


def raise_choices() -> Sequence[tuple[str, str]]:
    """The countries whose prices can be raised together, with their names; first, none of them."""
    return (
        ("", _("Choose the countries")),
        ("home", _("Your country")),
        ("europe", _("Europe")),
        ("rest", _("Rest of the world")),
        ("other", _("Abroad: Europe and rest of the world")),
        ("all", _("All countries")),
    )


def read_rise(text: str, currency: str, locale: str) -> PriceRise:
    """A typed rise, such as `4`, `+4.00`, `5 %` or `-2`. Raises: Invalid."""
    typed = text.strip()
    sign = -1 if typed[:1] in ("-", "−") else 1
    number = typed.lstrip("+-−").strip()
    if number.endswith("%"):
        try:
            percent = Decimal(plain_amount(number.removesuffix("%"), locale))
        except InvalidOperation:
            percent = Decimal(-1)
        rate = percent * 100
        if 0 < percent <= MAX_PERCENT and rate == int(rate):
            return PriceRise(rate=sign * int(rate))
    elif number:
        return PriceRise(
            amount=sign * read_amount("raise_by", number, currency=currency, locale=locale)
        )
    raise Invalid(
        _(
            "Type an amount like {example}, or a number of at most two decimals with a percent "
            "sign."
        ).format(example=example_amount(currency, locale)),
        field="raise_by",
        value=text,
    )


def dump_rise(name: str, rise: PriceRise) -> str:
    """A rise as a hidden field has it. name: of the price that is empty."""
    return f"{name} {rise.amount} {rise.rate}"


def load_rise(text: str, names: Collection[str]) -> tuple[str, PriceRise]:
    """What `dump_rise` wrote. Raises: Invalid."""
    try:
        name, amount, rate = text.split(" ")
        rise = PriceRise(int(amount), int(rate))
    except ValueError:
        name, rise = "", PriceRise()
    is_known = name in names and (rise.amount == 0) != (rise.rate == 0)
    if is_known and abs(rise.amount) <= MAX_PRICE and abs(rise.rate) <= MAX_PERCENT * 100:
        return name, rise
    raise Invalid(_("Press “Fill in the new prices” again."), field="raise_by", value=text)


def refuse_raise(text: str | None) -> None:
    """Refuse to save while a rise is typed that was not filled in. Raises: Invalid."""
    if (text or "").strip():
        message = _("Press “Fill in the new prices” first, or empty this field.")
        raise Invalid(message, field="raise_by", value=text)
