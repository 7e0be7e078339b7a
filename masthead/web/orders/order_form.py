"""The form of an order from a phone call or a letter: its rules, and what is typed."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

from masthead.model.billing.supply import SupplyEnd, end_of_order
from masthead.model.errors import Invalid
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.entry_checks import ADDRESS_DOUBTS, list_entry_refusals
from masthead.model.orders.field_rules import PAGE_NAMES
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.orders.order import OrderDefaults, list_order_refusals
from masthead.model.orders.released_issues import covered_released
from masthead.model.subscribers.corrections import NAMES
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.model.validation import decode_each
from masthead.web.billing.payer_fields import OF_INVOICES, OF_THE_PAGE
from masthead.web.kit.amounts import plain_amount, read_amount
from masthead.web.kit.choices import list_payment_methods
from masthead.web.kit.forms import submitted_values
from masthead.web.orders.order_fields import OFFERED, OrderFields

AMOUNTS = ("price", "discount_amount")
NUMBERS = ("start_issue", "length", "interval_months", "copies")
ISSUES, MONTHS = ("start_issue", "length"), ("period_start", "interval_months")
# What only the page reads
_OWN = frozenset(
    {"subscriber_find", "gifter_find", "out", *(f"offered_{name}" for name in OFFERED)}
).union(OF_THE_PAGE, OF_INVOICES)
_OF_PAYMENTS = ("payment_method", "transaction_id")
SENT, UNSENT = "sent", "unsent"  # what becomes of copies of issues that are out
SELDOM_OF_PERSON = "salutation title address2 state phone".split()
SELDOM = "discount_amount transaction_id promo_code is_recurring notes".split()


def payment_methods() -> list[tuple[str, str]]:
    """The ways to pay an order, with their names in the language of the page."""
    return [("", _("Not known")), *list_payment_methods()]


class OrderForm(OrderFields):
    """The fields of an order. The rules of orders and of the page validate their values."""

    # replaced by those of the account, the user and the chosen records
    defaults = OrderDefaults("EUR", placeholder_domain="")
    locale = "en_GB"
    types: Mapping[str, SubscriptionType] = {}  # of the products, by id
    subscriber: KnownSubscriber | None = None
    giver: KnownSubscriber | None = None
    dates_of_out: Mapping[int, date | None] = {}  # the release dates of the issues that are out
    doubts_address = False  # whether the user is asked if the address is right
    changed_price = ""  # what to say of a price that was filled in for something else

    @property
    def chosen_type(self) -> SubscriptionType:
        """What the chosen product is for."""
        return self.types.get(self.product.data or "", SubscriptionType.SUBSCRIPTION)

    @property
    def is_membership(self) -> bool:
        """Whether the chosen product is a membership."""
        return self.chosen_type is SubscriptionType.MEMBERSHIP

    def mark_required(self) -> None:
        """Mark the fields that must be filled in, for browsers."""
        for name in (*self._required(), "product", "medium"):
            self[name].flags.required = True

    @property
    def given(self) -> Mapping[str, Any]:
        """The valid fields of the order, as far as they are typed."""
        return decode_each(OrderEntry, self._body())[0]

    @property
    def released_issues(self) -> list[int]:
        """The numbers of the issues of the order that are out, lowest first."""
        return covered_released(self.given, self.dates_of_out)

    @property
    def copies_out(self) -> int:
        """How many copies of issues that are out the order is for."""
        copies: int = self.given.get("copies") or 1
        return len(self.released_issues) * copies

    @property
    def seeks_giver(self) -> bool:
        """Whether the search for the giver is filled in, but no giver is chosen or typed."""
        is_named = any((self[f"gifter_{name}"].data or "").strip() for name in ("id", *NAMES))
        return bool(self.is_gift.data and (self.gifter_find.data or "").strip() and not is_named)

    def _is_searched(self, reason: Invalid) -> bool:
        """Whether an error says that the giver is missing, whom the user searches for."""
        return self.seeks_giver and reason.field == "gifter_first_name"

    @property
    def has_giver_address(self) -> bool:
        """Whether more than the country of the giver's address is typed."""
        return any((self[f"gifter_{name}"].data or "").strip() for name in ADDRESS_FIELDS[:-1])

    def is_overtyped(self, name: str) -> bool:
        """Whether the user typed another value than was filled in."""
        typed = (self[name].data or "").strip()
        return typed not in ("", self[f"offered_{name}"].data or "")

    @property
    def has_more(self) -> bool:
        """Whether a seldom needed field has an error or a value."""
        filled = [self[name].data for name in SELDOM]
        return any(filled) or any(self[name].errors for name in (*SELDOM, "order_id"))

    @property
    def has_more_of_person(self) -> bool:
        """Whether a seldom needed field of the subscriber has an error or a value."""
        return any(self[name].data or self[name].errors for name in SELDOM_OF_PERSON)

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field, and of the fields together."""
        typed = self.typed()
        given, found = decode_each(OrderEntry, typed)
        refusals = [*self._unknown(), *self._outdated(), *self._missing(typed)]
        refusals += map(self._in_words_of_the_page, found)
        refused = {refusal.field for refusal in refusals}
        for each in (
            *list_order_refusals(given, self.defaults, refused=refused, names=PAGE_NAMES),
            *(each for each in list_entry_refusals(given) if not self._is_searched(each)),
            *self._email_refusals(typed),
            *self._billing_refusals(),
        ):
            refusals.append(self._in_words_of_the_page(each))
        self.doubts_address = any(each.code in ADDRESS_DOUBTS for each in refusals)
        return refusals

    def _unknown(self) -> list[Invalid]:
        """The errors of a subscriber or a giver who was chosen, but does not exist."""
        message = _("The subscriber that you chose no longer exists. Find the subscriber again.")
        is_unknown = (self.subscriber_id.data and not self.subscriber) or (
            self.is_gift.data and self.gifter_id.data and not self.giver
        )
        return [Invalid(message)] if is_unknown else []

    def _outdated(self) -> list[Invalid]:
        """The errors of a search and of a price that no longer fit what is chosen."""
        found = list[Invalid]()
        if self.seeks_giver:
            text = _("Choose the giver from the list, or type a new one.")
            found.append(Invalid(text, field="gifter_find"))
        if self.changed_price:
            found.append(Invalid(self.changed_price, field="price"))
        return found

    def _missing(self, typed: Mapping[str, Any]) -> list[Invalid]:
        """The errors of required fields that are empty."""
        return [
            Invalid(message, field=field)
            for field, message in self._required().items()
            if not str(typed.get(field, "")).strip()
        ]

    def _required(self) -> dict[str, str]:
        """The fields that must be filled in, with what to say if they are empty."""
        wanted = {
            "country": _("The country is missing; it is required."),
            "source": _("The source is missing; it is required."),
            "price": _("The price is missing; it is required."),
            "order_date": _("The order date is missing; it is required."),
            "order_id": _("The order ID is missing; it is required."),
        }
        if self.is_membership:
            wanted["interval_months"] = _("The number of months is missing; it is required.")
        else:
            wanted["start_issue"] = _("The start issue is missing; it is required.")
            wanted["length"] = _("The number of issues is missing; it is required.")
        if self.is_comp.data:
            del wanted["price"]
        return wanted

    def _billing_refusals(self) -> list[Invalid]:
        """The errors of the fields of an invoice, and of one for nothing."""
        if self.is_billed.data and self.is_comp.data:
            message = _("Nothing is owed for a complimentary copy. Choose “It is paid already”.")
            return [Invalid(message, field="is_comp")]
        return [] if self.is_comp.data else self.payment_errors()

    def _email_refusals(self, typed: Mapping[str, Any]) -> list[Invalid]:
        """The error of an email that is to be sent to no address."""
        known = self.subscriber.email if self.subscriber else typed.get("email", "").strip()
        if known or not typed.get("send_welcome_email"):
            return []
        message = _("There is no email address to send it to. Type the email of the subscriber.")
        if self.subscriber:
            message = _("There is no email address to send it to. Add one to the subscriber.")
        return [Invalid(message, field="send_welcome_email")]

    def _in_words_of_the_page(self, reason: Invalid) -> Invalid:
        """An error of an amount, with an example in the words of the page."""
        if reason.field not in AMOUNTS:
            return reason
        try:
            read_amount(
                reason.field,
                self[reason.field].data or "",
                currency=self.defaults.currency,
                locale=self.locale,
            )
        except Invalid as refusal:
            return refusal
        if reason.field == "price" and self.is_comp.data:
            message = _(
                "A complimentary copy costs nothing. Empty the price, or untick “Complimentary”."
            )
            return Invalid(message, field="price")
        return reason  # an amount that does not fit the other fields

    @property
    def supply_end(self) -> SupplyEnd:
        """The end of what is ordered, as far as it is typed."""
        given, _found = decode_each(OrderEntry, self.typed())
        return end_of_order(
            start_issue=given.get("start_issue"),
            length=given.get("length"),
            start=given.get("period_start") or given.get("order_date"),
            months=given.get("interval_months"),
        )

    def typed(self) -> dict[str, Any]:
        """The fields of an `OrderEntry` that were typed, with the copies that count as sent."""
        out = self.released_issues if self.out.data == SENT else []
        billed: dict[str, Any] = {}
        with suppress(Invalid):  # which is found with the errors of its field
            billed = self.bill_values()
        return self._body() | billed | ({"sent_through": out[-1]} if out else {})

    def _body(self) -> dict[str, Any]:
        body = {name: it for name, it in submitted_values(self).items() if name not in _OWN}
        for name in _OF_PAYMENTS if self.is_billed.data else ():
            body.pop(name, None)
        for name in MONTHS if not self.is_membership else ISSUES:
            body.pop(name, None)
        body["type"] = self.chosen_type.value
        if body.get("is_comp") and not self.is_overtyped("price"):
            body["price"] = "0"  # what the product offered was not typed
        if not self.has_giver_address:
            body.pop("gifter_country", None)  # it is filled in
        if not body.get("is_gift"):
            for name in [name for name in body if name.startswith("gifter_")]:
                del body[name]
        for name in NUMBERS:
            text = str(body.get(name, "")).strip()
            if is_digits(text, at_most=MAX_DIGITS):
                body[name] = int(text)
        for name in AMOUNTS:
            if name in body:
                body[name] = plain_amount(body[name], self.locale)
        if "notes" in body:
            body["notes"] = body["notes"].replace("\r\n", "\n")
        return body
