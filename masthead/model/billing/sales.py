"""What was sold: orders that were paid at once, and all sales by country and rate of VAT.

Amounts are minor units.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date

from msgspec import Struct, structs

from masthead.model.billing.journal import JournalSale
from masthead.model.billing.orders import Buyer, Taxation, split_media
from masthead.model.billing.vat import OneStopShop, TaxedPart, vat_in
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium


class PaidOrders(Struct, frozen=True, kw_only=True):
    """Equal orders that were paid at once, or the refund of one. Amounts are with VAT.

    day: on which they count. order_day: of the order, whose rates hold for its refunds, too.
    before, after: what was left of the price of each; nothing before an order.
    """

    day: date
    order_day: date
    source_name: str
    product_id: str
    product_name: str
    medium: Medium
    country: str
    currency: str
    before: int
    after: int
    orders: int = 1


def sales_of(paid: Iterable[PaidOrders], taxation: Taxation | None) -> list[JournalSale]:
    """The sales in orders that were paid at once: a sale for each group that is the same.

    Each order has the VAT that its own day says, rounded for itself, so that it has the same in
    revenue statements. taxation: of any day; None if the account has no settings for invoices,
    so that no rate is known.
    """
    taxes = _Taxes(taxation) if taxation else None
    sums: dict[tuple[object, ...], JournalSale] = {}
    for each in paid:
        for medium, tax, net, vat in _changes(each, taxes):
            sale = JournalSale(
                day=each.day,
                document="",
                text=f"{each.product_name}, {_(medium)}, {each.source_name}",
                currency=each.currency,
                country=each.country,
                tax=tax,
                net=net * each.orders,
                vat=vat * each.orders,
            )
            key = sale.day, sale.text, each.product_id, sale.currency, sale.country, tax
            if key in sums:
                sale = structs.replace(
                    sale, net=sums[key].net + sale.net, vat=sums[key].vat + sale.vat
                )
            sums[key] = sale
    return list(sums.values())


class _Taxes:
    """The VAT of orders that were paid at once; looked up once for all that have the same."""

    def __init__(self, taxation: Taxation) -> None:
        self._taxation = taxation
        self._turns = taxation.turns
        self._days: dict[int, tuple[Taxation, int]] = {}
        self._known: dict[tuple[object, ...], TaxedPart | None] = {}

    def split(
        self, paid: PaidOrders, amount: int
    ) -> Iterator[tuple[Medium, TaxedPart | None, int]]:
        """The printed and the digital part of an amount, which includes VAT."""
        begun = bisect_right(self._turns, paid.order_day)
        if begun not in self._days:
            on_day = structs.replace(self._taxation, day=paid.order_day)
            self._days[begun] = on_day, on_day.digital_percent
        on_day, digital_percent = self._days[begun]
        for medium, gross in split_media(amount, paid.medium, digital_percent):
            key = begun, paid.product_id, medium, paid.country
            if key not in self._known:
                self._known[key] = on_day.find_tax(
                    product_id=paid.product_id,
                    medium=medium,
                    country=paid.country,
                    buyer=Buyer(paid.country),
                )
            yield medium, self._known[key], gross


def _changes(
    paid: PaidOrders, taxes: _Taxes | None
) -> Iterator[tuple[Medium, TaxedPart | None, int, int]]:
    """What an order adds to sales, or a refund takes back, without VAT, and the VAT."""
    if taxes is None:
        if paid.after != paid.before:
            yield paid.medium, None, paid.after - paid.before, 0
        return
    if not paid.before:  # as of all orders, which may be many; each medium comes once
        for medium, tax, gross in taxes.split(paid, paid.after):
            if gross:
                vat = vat_in(gross, tax.rate) if tax else 0
                yield medium, tax, gross - vat, vat
        return
    sums: dict[tuple[Medium, TaxedPart | None], list[int]] = {}
    for sign, amount in ((-1, paid.before), (1, paid.after)):
        for medium, tax, gross in taxes.split(paid, amount):
            vat = vat_in(gross, tax.rate) if tax else 0
            found = sums.setdefault((medium, tax), [0, 0])
            found[0] += sign * (gross - vat)
            found[1] += sign * vat
    for (medium, tax), (net, vat) in sums.items():
        if net or vat:
            yield medium, tax, net, vat


class VatLine(Struct, frozen=True, kw_only=True):
    """What was sold into a country at a rate in some months. tax: None if no rate is known."""

    country: str
    currency: str
    tax: TaxedPart | None
    net: int
    vat: int


class RateSum(Struct, frozen=True, kw_only=True):
    """What was sold at a rate into all countries. is_oss: whether the one-stop shop has it."""

    tax: TaxedPart | None
    is_oss: bool
    net: int
    vat: int


def sum_by_rate(lines: Iterable[VatLine], shop: OneStopShop) -> list[RateSum]:
    """Sales in one currency by rate, the highest first, and then those without VAT."""
    sums: defaultdict[tuple[TaxedPart | None, bool], list[int]] = defaultdict(lambda: [0, 0])
    for line in lines:
        found = sums[line.tax, shop.has(line.tax, line.country)]
        found[0] += line.net
        found[1] += line.vat

    def order(each: RateSum) -> tuple[bool, bool, int, str]:
        if each.tax is None:
            return True, False, 0, ""
        return False, each.is_oss, -each.tax.rate, each.tax.category

    made = [
        RateSum(tax=tax, is_oss=is_oss, net=net, vat=vat)
        for (tax, is_oss), (net, vat) in sums.items()
    ]
    return sorted(made, key=order)


def add_up_vat(
    sales: Iterable[JournalSale], paid: Iterable[PaidOrders] = (), taxation: Taxation | None = None
) -> list[VatLine]:
    """Sales by country, currency and rate, as tax returns need them.

    sales: without fees, which are none. paid, taxation: orders that were paid at once, as for
    `sales_of`.
    """
    sums: defaultdict[tuple[str, str, TaxedPart | None], list[int]] = defaultdict(lambda: [0, 0])
    for sale in sales:
        found = sums[sale.country, sale.currency, sale.tax]
        found[0] += sale.net
        found[1] += sale.vat
    taxes = _Taxes(taxation) if taxation else None
    for each in paid:
        for _medium, tax, net, vat in _changes(each, taxes):
            found = sums[each.country, each.currency, tax]
            found[0] += net * each.orders
            found[1] += vat * each.orders
    return [
        VatLine(country=country, currency=currency, tax=tax, net=net, vat=vat)
        for (country, currency, tax), (net, vat) in sorted(
            sums.items(),
            key=lambda each: (each[0][1], each[0][0], -each[0][2].rate if each[0][2] else 1),
        )
    ]
