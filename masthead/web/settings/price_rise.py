"""Settings: raise several prices of a product by an amount or by percent."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from msgspec import Struct

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
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


class PriceRise(Struct, frozen=True):
    """A rise of prices; below zero, it lowers them. amount: in minor units."""

    amount: int = 0
    percent: Decimal = Decimal(0)

    def apply(self, price: int) -> int:
        """The new price; percent are rounded to the minor unit, half up. It is never negative."""
        raised = price + self.amount + price * self.percent / 100
        return max(int(raised.quantize(Decimal(1), ROUND_HALF_UP)), 0)


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
        if 0 < percent <= MAX_PERCENT:
            return PriceRise(percent=sign * percent)
    elif number:
        return PriceRise(
            amount=sign * read_amount("raise_by", number, currency=currency, locale=locale)
        )
    raise Invalid(
        _("Type an amount like {example}, or a number with a percent sign.").format(
            example=example_amount(currency, locale)
        ),
        field="raise_by",
        value=text,
    )


def refuse_raise(text: str | None) -> None:
    """Refuse to save while a rise is typed that was not filled in. Raises: Invalid."""
    if (text or "").strip():
        message = _("Press “Fill in the new prices” first, or empty this field.")
        raise Invalid(message, field="raise_by", value=text)
