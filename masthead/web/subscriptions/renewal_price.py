"""The price that the page of a renewal proposes: that of the product on the order date."""

from datetime import date

from msgspec import Struct

from masthead.model.orders.price_lists import PriceLists, list_on
from masthead.model.renewals.prices import PricedRenewal, RenewedCopies, price_renewal
from masthead.model.translations import gettext as _
from masthead.model.types.money import money_in_words
from masthead.web.kit.amounts import localized_amount
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.subscriptions.renew_form import RenewForm


class RenewalPrice(Struct, frozen=True, kw_only=True):
    """What a renewal costs, in minor units of the currency of the last order.

    lists: the prices of the product over time; empty if they do not count.
    """

    lists: PriceLists
    renewed: RenewedCopies
    home: str | None
    currency: str

    def is_of_product(self, day: date) -> bool:
        """Whether the product has a price on a day."""
        return self._priced(day).is_of_product

    def on(self, day: date) -> int:
        """The price of an order of this day, for all subscriptions."""
        return self._priced(day).amount

    def _priced(self, day: date) -> PricedRenewal:
        return price_renewal(list_on(self.lists, day).prices, self.renewed, home=self.home)


def fill_price(form: RenewForm, price: RenewalPrice, today: date) -> str:
    """Fill in the price of the order date, unless the user typed one; returns a remark about it."""
    try:
        day = date.fromisoformat((form.order_date.data or "").strip())
    except ValueError:
        return ""
    amounts = [price.on(each) for each in (day, today)]
    then, now = (localized_amount(each, price.currency, form.locale) for each in amounts)
    shown, shown_now = (money_in_words(each, price.currency) for each in amounts)
    typed, offered = (form.price.data or "").strip(), form.offered_price.data or ""
    form.offered_price.data = then
    words = {"day": day_in(day, get_locale(form.locale)), "price": shown, "today": shown_now}
    if typed not in ("", offered, then):
        text = _("You typed a price, so it stays. The price on {day} is {price}.")
        return text.format(**words)
    form.price.data = then
    if then == now:
        return ""
    text = _("On {day}, the price is {price}; today it is {today}.")
    return text.format(**words)
