"""Orders that a payer gets an invoice for, and the lines of their invoice."""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby

from msgspec import Struct, structs

from masthead.model.billing.documents import DocumentLine, Payer, with_vat
from masthead.model.billing.exchange_rates import (
    ConvertedVat,
    ExchangeRate,
    country_currency,
    find_exchange_rate,
)
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.tax_ids import vat_country
from masthead.model.billing.vat import (
    EU,
    FULL,
    NEED_VAT_IDS,
    Sale,
    TaxedPart,
    VatRate,
    tax_of,
    vat_in,
    vat_on,
)
from masthead.model.errors import Invalid
from masthead.model.translations import format_day, gettext as _, in_language
from masthead.model.types.countries import country_in_words
from masthead.model.types.enums import Medium
from masthead.model.types.full_names import full_name
from masthead.model.types.product_names import known_product

SUPPLIED_ON_THE_LAST_DAY = frozenset({"DE"})  # a subscription with one price


class BillableOrder(Struct, frozen=True, kw_only=True):
    """An order that is to be on an invoice. amount: what is left of its price.

    first_name to company, country: where the copies go. supplied_from, supplied_to: the days of a
    membership, or the dates of the first and the last issue; None if such a date is not set yet.
    first_billed: the date of its first invoice, which counts as that of those that replace it.
    """

    period_id: int
    order_id: str
    subscription_id: str
    payer_id: str
    order_reference: str
    due_days: int
    is_debited: bool = False
    amount: int
    currency: str
    product_id: str
    product_name: str
    medium: Medium
    first_name: str | None
    last_name: str | None
    company: str | None
    country: str
    first_issue: int | None
    last_issue: int | None
    period_start: date | None
    period_end: date | None
    supplied_from: date | None
    supplied_to: date | None
    first_billed: date | None


class Buyer(Struct, frozen=True):
    """What of a payer decides about VAT. vat_id: empty if there is none."""

    country: str
    vat_id: str = ""


class Taxation(Struct, frozen=True, kw_only=True):
    """All that decides about VAT. day: on which the invoice is issued."""

    settings: BillingSettings
    rates: Sequence[VatRate]
    day: date

    def of_supply(self, until: date | None, *, billed: date | None = None) -> "Taxation":
        """What decides about an order that is billed. until: the last day of its supply, if known.

        billed: the date of its first invoice; by default, the day. What was supplied before that
        has the VAT of its last day. In Germany, so has what is supplied later: see decision 0092.
        """
        day = billed or self.day
        if until and (until < day or self.settings.country in SUPPLIED_ON_THE_LAST_DAY):
            day = until
        return self if day == self.day else structs.replace(self, day=day)

    @property
    def turns(self) -> list[date]:
        """The days on which something else begins to hold."""
        days = {each.first_day for each in self.rates}
        return sorted(days | {each.first_day for each in self.settings.vat_settings})

    @property
    def digital_percent(self) -> int:
        """How much of the price of print and digital together is for the digital copies."""
        return self.settings.vat_on(self.day).digital_percent

    def find_tax(
        self, *, product_id: str, medium: Medium, country: str, buyer: Buyer
    ) -> TaxedPart | None:
        """The VAT of printed or digital copies; None if it needs a rate that is missing.

        country: where the copies go.
        """
        home = self.settings.country
        other = vat_country(buyer.vat_id)
        return tax_of(
            self.rates,
            Sale(
                day=self.day,
                product_id=product_id,
                medium=medium,
                country=buyer.country if medium is Medium.DIGITAL else country,
                has_vat_id=home in EU and other not in ("", home),
            ),
            home=home,
            is_small_business=self.settings.vat_on(self.day).is_small_business,
        )

    def tax(self, *, product_id: str, medium: Medium, country: str, buyer: Buyer) -> TaxedPart:
        """The same. Raises: Invalid `missing_rate`, `missing_vat_id`."""
        found = self.find_tax(product_id=product_id, medium=medium, country=country, buyer=buyer)
        if found is None:
            place = buyer.country if medium is Medium.DIGITAL else country
            raise Invalid(
                _(
                    "There is no rate of VAT for {medium} to {country} on {day}. Add it in the "
                    "settings, under VAT."
                ).format(
                    medium=_(medium), country=country_in_words(place), day=format_day(self.day)
                ),
                code="missing_rate",
            )
        seller = self.settings.seller
        if found.category in NEED_VAT_IDS and not seller.vat_id:
            raise Invalid(
                _(
                    "{name} has no VAT id, and an invoice without VAT to a company in another EU "
                    "country must have one. Add it in the settings, under Invoices."
                ).format(name=seller.name),
                code="missing_vat_id",
            )
        return found

    def split(
        self, amount: int, *, product_id: str, medium: Medium, country: str, buyer: Buyer
    ) -> list["TaxedMedium"]:
        """The printed and the digital part of an amount that includes VAT.

        There is none where a rate is missing.
        """
        parts = []
        for each, gross in split_media(amount, medium, self.digital_percent):
            tax = self.find_tax(product_id=product_id, medium=each, country=country, buyer=buyer)
            vat = vat_in(gross, tax.rate) if tax else 0
            parts.append(TaxedMedium(each, tax, gross - vat, vat))
        return parts

    def with_vat_added(
        self, net: int, *, product_id: str, medium: Medium, country: str, buyer: Buyer
    ) -> int:
        """What the payer owes for a price without VAT. Raises: Invalid."""
        parts = split_media(net, medium, self.digital_percent)
        total = net
        for part, amount in parts:
            tax = self.tax(product_id=product_id, medium=part, country=country, buyer=buyer)
            total += vat_on(amount, tax.rate)
        return total


class TaxedMedium(Struct, frozen=True):
    """The printed or the digital part of an amount. tax: None if a rate is missing."""

    medium: Medium
    tax: TaxedPart | None
    net: int
    vat: int


def split_media(amount: int, medium: Medium, digital_percent: int) -> list[tuple[Medium, int]]:
    """The printed and the digital part of an amount, which may have different rates."""
    if medium is not Medium.PRINT_AND_DIGITAL:
        return [(medium, amount)]
    digital = amount * digital_percent * 100 // FULL
    parts = [(Medium.PRINT, amount - digital), (Medium.DIGITAL, digital)]
    return [each for each in parts if each[1]] or parts[:1]


def lines_of(
    orders: Iterable[BillableOrder], payer: Payer, taxation: Taxation, locale: str
) -> list[DocumentLine]:
    """The lines of an invoice, in its own language.

    Raises: Invalid if a rate is missing, in the language of the user.
    """
    lines = []
    buyer = Buyer(payer.country, payer.vat_id)
    for order in orders:
        on_day = taxation.of_supply(order.supplied_to, billed=order.first_billed)
        parts = split_media(order.amount, order.medium, on_day.digital_percent)
        for medium, amount in parts:
            tax = on_day.tax(
                product_id=order.product_id, medium=medium, country=order.country, buyer=buyer
            )
            named = medium if len(parts) > 1 else order.medium
            with in_language(locale):
                text = f"{known_product(order.product_name) or _kind(order)}, {_(named)}"
                detail = _detail(order)
            lines.append(
                DocumentLine(
                    period_id=order.period_id,
                    order_id=order.order_id,
                    text=text,
                    detail=detail,
                    quantity=1,
                    country=buyer.country if medium is Medium.DIGITAL else order.country,
                    category=tax.category,
                    rate=tax.rate,
                    net=amount,
                    vat=0,
                )
            )
    return with_vat(lines)


def together(pending: Iterable[BillableOrder]) -> list[list[BillableOrder]]:
    """The orders of each invoice: those with one currency and one order reference."""

    def key(order: BillableOrder) -> tuple[str, str, bool]:
        return order.currency, order.order_reference, order.is_debited

    return [list(group) for _, group in groupby(sorted(pending, key=key), key=key)]


def convert_vat(
    orders: Sequence[BillableOrder],
    lines: Iterable[DocumentLine],
    taxation: Taxation,
    rates: Iterable[ExchangeRate],
) -> ConvertedVat | None:
    """The VAT of an invoice in the currency of the publisher's country.

    None if it has that currency, or no VAT. The rate is that of the day that decides about the
    VAT, but never of a day after the invoice; of several orders, that of the last of their days.
    Raises: Invalid `missing_exchange_rate`.
    """
    vat, currency = sum(each.vat for each in lines), orders[0].currency
    own = country_currency(taxation.settings.country)
    if not vat or own in ("", currency):
        return None
    days = []
    for order in orders:
        billed = order.first_billed or taxation.day
        days.append(min(billed, taxation.of_supply(order.supplied_to, billed=billed).day))
    found = find_exchange_rate(rates, own, currency, max(days))
    if found is None:
        raise Invalid(
            _(
                "There is no exchange rate of {currency} on {day}. An invoice in {currency} must "
                "have its VAT in {own}, too. Add the rate in the settings, under VAT, then "
                "Exchange rates."
            ).format(currency=currency, own=own, day=format_day(max(days))),
            code="missing_exchange_rate",
        )
    return ConvertedVat(currency=own, vat=found.convert(vat, currency), rate=found)


def _kind(order: BillableOrder) -> str:
    return _("Subscription") if order.period_start is None else _("Membership")


def _detail(order: BillableOrder) -> str:
    """What an order covers, and for whom."""
    name = full_name(order.first_name, order.last_name, order.company, "")
    if order.period_start and order.period_end:
        first, last = format_day(order.period_start), format_day(order.period_end)
        text = _("{first} to {last}").format(first=first, last=last)
    elif order.first_issue == order.last_issue:
        text = _("Issue {number}").format(number=order.first_issue)
    else:
        text = _("Issues {first} to {last}").format(first=order.first_issue, last=order.last_issue)
    return _("{what}, for {name}").format(what=text, name=name) if name else text
