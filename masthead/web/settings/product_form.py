"""The form of a product, with its prices."""

from collections.abc import Sequence
from datetime import date
from functools import partial

from wtforms import (
    BooleanField,
    HiddenField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.widgets import DateInput

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.orders.offers import MAX_LENGTH, MAX_MONTHS, Offer
from masthead.model.orders.price_rises import PriceRise, Rises
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.model.types.text import is_digits, short_text
from masthead.web.kit.amounts import localized_amount, read_amount
from masthead.web.kit.forms import BaseForm, errors_of, name_field, read_date
from masthead.web.settings.price_rise import (
    PRINTED,
    RAISED_IN,
    dump_rise,
    load_rise,
    read_rise,
    refuse_raise,
)

MAX_BENEFITS_TEXT = 20_000  # characters: 50 lines of 255, and empty lines
SLUGS = {Medium.PRINT: "print", Medium.DIGITAL: "digital", Medium.PRINT_AND_DIGITAL: "both"}
PRICE_FIELDS = {
    f"price_{slug}_{group.value}": (medium, group)
    for medium, slug in SLUGS.items()
    for group in CountryGroup
}


class ProductForm(BaseForm):
    """The name, the benefits and the offer of a product; its price fields are added below."""

    name = name_field("Give the product a name.")
    benefits = TextAreaField("Benefits")
    type = RadioField("What orders are for", default=SubscriptionType.SUBSCRIPTION.value)
    length = StringField("Number of issues")
    interval_months = StringField("Number of months")
    prices_from = StringField("These prices hold from", widget=DateInput())
    raise_by = StringField("Raise by")
    raise_medium = SelectField("Medium", default="all", validate_choice=False)
    raise_in = SelectField("Applies to", validate_choice=False)
    raises_paid = BooleanField("Raise the price of each of these renewals")
    rise = SelectMultipleField(validate_choice=False)  # hidden: of empty prices, to be saved
    was = HiddenField()  # the values when the page was shown, and their fingerprint
    currency, locale = "EUR", "en_GB"  # replaced by those of the account and the user

    def find_errors(self) -> Sequence[Invalid]:
        """Limit the length of the benefits, and read the numbers and amounts."""
        first_day = self.prices_from.data
        return errors_of(
            lambda: short_text("benefits", self.benefits.data or "", MAX_BENEFITS_TEXT),
            lambda: self._number("length", most=MAX_LENGTH),
            lambda: self._number("interval_months", most=MAX_MONTHS),
            *(partial(self._amount, name) for name in PRICE_FIELDS),
            lambda: first_day and read_date("prices_from", first_day),
            lambda: refuse_raise(self.raise_by.data),
            lambda: self.rises,
        )

    def raise_prices(self) -> None:
        """Fill in the prices after the chosen rise; where there is none, remember the rise.

        Errors are shown at the fields.
        """
        try:
            rise = read_rise(self.raise_by.data or "", self.currency, self.locale)
            rises = self._rises()
        except Invalid as reason:
            self.add_error(reason)
            return
        groups = RAISED_IN.get(self.raise_in.data or "")
        if groups is None:
            self.add_error(Invalid(_("Choose the countries."), field="raise_in"))
            return
        chosen = self.raise_medium.data
        for name, (medium, group) in PRICE_FIELDS.items():
            of_print = chosen == PRINTED and medium is not Medium.DIGITAL
            is_raised = group in groups and (of_print or chosen in ("all", None, SLUGS[medium]))
            try:
                amount = self._amount(name) if is_raised else None
            except Invalid as reason:
                self.add_error(reason)
                continue
            if amount is not None:
                self[name].data = localized_amount(rise.apply(amount), self.currency, self.locale)
            elif is_raised and rise != PriceRise():
                rises[name] = rise
        self.raise_by.data = ""
        self.rise.data = [dump_rise(name, each) for name, each in rises.items()]
        self.raises_paid.data = True

    @property
    def lines(self) -> list[str]:
        """The benefits, one on each line."""
        return (self.benefits.data or "").splitlines()

    @property
    def offer(self) -> Offer:
        """The offer of a valid form."""
        amounts = {place: self._amount(name) for name, place in PRICE_FIELDS.items()}
        return Offer(
            type=SubscriptionType(self.type.data),
            length=self._number("length", most=MAX_LENGTH),
            interval_months=self._number("interval_months", most=MAX_MONTHS),
            prices={place: amount for place, amount in amounts.items() if amount is not None},
        )

    @property
    def first_day(self) -> date | None:
        """The first day of the prices of a valid form; None for today."""
        text = self.prices_from.data
        return read_date("prices_from", text) if text else None

    @property
    def rises(self) -> Rises:
        """The rises of what renewals cost for which the form has no price. Raises: Invalid."""
        return {
            PRICE_FIELDS[name]: rise
            for name, rise in self._rises().items()
            if not self.has_price(name)
        }

    def has_price(self, name: str) -> bool:
        """Whether a price is typed."""
        return bool((self[name].data or "").strip())

    def _rises(self) -> dict[str, PriceRise]:
        """The rises that were filled in, by the name of the empty price. Raises: Invalid."""
        return dict(load_rise(text, PRICE_FIELDS) for text in self.rise.data or [])

    def _number(self, name: str, *, most: int) -> int | None:
        """The number in a field; None if it is empty. Raises: Invalid."""
        text = (self[name].data or "").strip()
        if not text:
            return None
        if not is_digits(text, at_most=4) or not 1 <= int(text) <= most:
            message = _("Type a whole number from 1 to {most}.").format(most=most)
            raise Invalid(message, field=name, value=text)
        return int(text)

    def _amount(self, name: str) -> int | None:
        """The amount in a field, in minor units; None if it is empty. Raises: Invalid."""
        text = (self[name].data or "").strip()
        if not text:
            return None
        return read_amount(name, text, currency=self.currency, locale=self.locale)


for _name in PRICE_FIELDS:
    setattr(ProductForm, _name, StringField())
