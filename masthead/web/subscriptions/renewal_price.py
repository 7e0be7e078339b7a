"""The price that the page of a renewal proposes: that of the product on the order date."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.orders.price_lists import PriceLists, list_on
from masthead.model.orders.price_rises import DatedRises
from masthead.model.renewals.prices import PricedRenewal, RenewedCopies, price_renewal
from masthead.model.translations import gettext as _
from masthead.model.types.money import money_in_words
from masthead.web.kit.amounts import localized_amount
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.subscriptions.renew_form import RenewForm


class RenewalPrice(Struct, frozen=True, kw_only=True):
    """What a renewal costs, in minor units of the currency of the last order.

    lists: the prices of the product over time; empty if they do not count. rises: of the product
    in this currency. sees_money: whether the user may see what the last order cost.
    net: what the last orders cost without VAT, if it is added to what is typed.
    """

    lists: PriceLists
    rises: Sequence[DatedRises]
    renewed: RenewedCopies
    home: str | None
    currency: str
    sees_money: bool
    net: int | None = None

    def is_of_product(self, day: date) -> bool:
        """Whether the product has a price on a day."""
        return self._priced(day).is_of_product

    def is_raised(self, day: date) -> bool:
        """Whether it is more or less on a day than the last order cost."""
        return self._priced(day).is_raised

    def hidden_message(self, day: date) -> str:
        """What a price that the user may not see is, in words."""
        if self.is_raised(day):
            return _("It costs what the last order cost, with the price rises since then.")
        return _("It costs what the last order cost.")

    def on(self, day: date) -> int:
        """The price of an order of this day, for all subscriptions."""
        found, last = self._priced(day), self.renewed.last
        if self.net is None or found.is_of_product or not last:
            return found.amount
        return (2 * found.amount * self.net + last) // (2 * last)  # half up

    def hidden_on(self, day: date) -> int | None:
        """The price of an order of this day, if the user may not see it."""
        return None if self.sees_money or self.is_of_product(day) else self.on(day)

    def in_words(self, day: date) -> str:
        """The price of an order of this day with its currency; empty if it is hidden."""
        hidden = self.hidden_on(day) is not None
        return "" if hidden else money_in_words(self.on(day), self.currency)

    def proposed(self, day: date, locale: str) -> str:
        """The price of an order of this day for its field; empty if it is hidden."""
        hidden = self.hidden_on(day) is not None
        return "" if hidden else localized_amount(self.on(day), self.currency, locale)

    def _priced(self, day: date) -> PricedRenewal:
        return price_renewal(
            list_on(self.lists, day).prices,
            self.renewed,
            rises=self.rises,
            day=day,
            home=self.home,
        )


def typed_day(form: RenewForm) -> date | None:
    """The order date of a form, if it is one."""
    try:
        return date.fromisoformat((form.order_date.data or "").strip())
    except ValueError:
        return None


def fill_price(form: RenewForm, price: RenewalPrice, today: date) -> str:
    """Fill in the price of the order date, unless the user typed one; returns a remark about it."""
    if (day := typed_day(form)) is None:
        return ""
    then = price.proposed(day, form.locale)
    shown, shown_now = price.in_words(day), price.in_words(today)
    typed, offered = (form.price.data or "").strip(), form.offered_price.data or ""
    form.offered_price.data = then
    words = {"day": day_in(day, get_locale(form.locale)), "price": shown, "today": shown_now}
    if typed not in ("", offered, then):
        if not shown:
            return ""
        text = _("You typed a price, so it stays. The price on {day} is {price}.")
        return text.format(**words)
    form.price.data = then
    if shown == shown_now or not (shown and shown_now):
        return ""
    text = _("On {day}, the price is {price}; today it is {today}.")
    return text.format(**words)
