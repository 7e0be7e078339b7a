"""The fields of a renewal."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from wtforms import HiddenField, SelectField, StringField
from wtforms.widgets import DateInput

from masthead.model.billing.supply import SupplyEnd, end_of_renewal
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Invalid
from masthead.model.subscriptions.renewals import Renewal
from masthead.model.subscriptions.stored import StoredPeriod
from masthead.model.translations import gettext as _
from masthead.model.types.enums import PaymentMethod
from masthead.model.types.fields import required_text
from masthead.model.types.plausible_days import order_day
from masthead.model.types.text import is_digits, short_text
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.kit.amounts import read_amount
from masthead.web.kit.forms import BaseForm, read_date

MOST = {"length": 1_000, "interval_months": 1_200}


class RenewForm(PayerFields, BaseForm):
    """What a renewal needs. seen: where each subscription ended when the form was opened."""

    length = StringField("Number of issues")
    interval_months = StringField("Number of months")
    period_start = StringField("First day", widget=DateInput())
    price = StringField("Price paid")
    discount_amount = StringField("Discount included in the price")
    currency = SelectField("Currency", validate_choice=False)
    payment_method = SelectField("How it was paid", validate_choice=False)
    order_date = StringField("Order date", widget=DateInput())
    order_id = StringField("Order ID")
    transaction_id = StringField("Transaction ID of the payment")
    source = SelectField("Source", validate_choice=False)
    seen = HiddenField()
    offered_price = HiddenField()  # what was proposed, to tell it from what the user typed
    # replaced by those of the subscription, the account and the user
    is_membership = False
    default_payer_id = ""
    hidden_price: int | None = None  # what a renewal without a typed price costs
    currencies: Sequence[str] = ()
    locale = "en_GB"

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        found = list[Invalid]()
        self._read_all(found)
        return found + self.payment_errors()

    def read(self) -> Renewal:
        """The renewal of a valid form."""
        return Renewal(**self._read_all([]))

    def read_terms(self) -> BillingTerms | None:
        """How the renewal is billed; None if it is paid. Raises: Invalid."""
        if not self.is_billed.data:
            return None
        return BillingTerms(
            payer_id=self.chosen_payer_id or self.default_payer_id or None,
            due_days=self.read_due_days(),
            order_reference=self.read_reference(),
            vat_id=self.read_vat_id(),
            bills_together=self.waits,
            department=self.read_department(),
            is_debited=bool(self.is_debited.data),
            mandate=self.read_mandate(),
        )

    @property
    def seen_ends(self) -> list[str]:
        """Where each subscription ended when the form was opened."""
        return (self.seen.data or "").split(" ")

    def supply_end(self, last: StoredPeriod) -> SupplyEnd:
        """The end of what is ordered, as far as it is typed. last: the period that is renewed."""
        given = self._read_all([])
        return end_of_renewal(
            last,
            length=given.get("length"),
            months=given.get("interval_months"),
            start=given.get("period_start"),
        )

    def _read_all(self, found: list[Invalid]) -> dict[str, Any]:
        """The fields of the renewal that are valid. found: the errors of the others are added."""
        count = "interval_months" if self.is_membership else "length"
        subscribers = {
            count: lambda: self._number(count),
            "price": self._price,
            "discount_amount": lambda: self._amount("discount_amount", default="0"),
            "currency": self._currency,
            "order_date": self._order_date,
            "order_id": lambda: required_text("order_id", (self.order_id.data or "").strip()),
            "transaction_id": lambda: (
                short_text("transaction_id", (self.transaction_id.data or "").strip()) or None
            ),
            "payment_method": self._payment_method,
        }
        if self.is_membership and (self.period_start.data or "").strip():
            subscribers["period_start"] = lambda: read_date("period_start", self.period_start.data)
        if self.is_billed.data:
            del subscribers["transaction_id"], subscribers["payment_method"]
        values = dict[str, Any]()
        for name, read in subscribers.items():
            try:
                values[name] = read()
            except Invalid as reason:
                found.append(reason)
        return values

    def _number(self, name: str) -> int:
        text = (self[name].data or "").strip()
        if not is_digits(text, at_most=4) or not 1 <= int(text) <= MOST[name]:
            message = _("Type a whole number from 1 to {most}.").format(most=MOST[name])
            raise Invalid(message, field=name)
        return int(text)

    def _currency(self) -> str:
        chosen = self.currency.data or self.currencies[0]
        if chosen not in self.currencies:
            raise Invalid(_("Choose a currency."), field="currency")
        return chosen

    @property
    def has_hidden_price(self) -> bool:
        """Whether the renewal costs what the user may not see."""
        return self.hidden_price is not None and not (self.price.data or "").strip()

    def _price(self) -> int:
        """The price, which is hidden in the currency of the last order, the first one."""
        if self.has_hidden_price and self._currency() == self.currencies[0]:
            return self.hidden_price or 0
        return self._amount("price")

    def _amount(self, name: str, default: str = "") -> int:
        text = (self[name].data or "").strip() or default
        return read_amount(name, text, currency=self._currency(), locale=self.locale)

    def _order_date(self) -> date:
        return order_day("order_date", read_date("order_date", self.order_date.data))

    def _payment_method(self) -> PaymentMethod | None:
        text = self.payment_method.data or ""
        if text and text not in set(PaymentMethod):
            raise Invalid(_("Choose how it was paid."), field="payment_method")
        return PaymentMethod(text) if text else None
