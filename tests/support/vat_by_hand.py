"""The VAT in all orders of an account on a day, worked out from what was sold and nothing else.

It knows how `turn_on_billing` sets rates, and that credit notes take back whole invoices. It shares
no rule and no rounding with masthead.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tests.conftest import Cast

_ORDERS = """
    SELECT
        p.id,
        p.order_date,
        p.price,
        s.medium,
        s.country,
        b.payer_id,
        (
            SELECT y.country
            FROM subscription y
            WHERE y.account_id = :account_id AND y.subscriber_id = b.payer_id
            ORDER BY y.id
            LIMIT 1
        ) AS payer_country
    FROM period p
    JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
    LEFT JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
    WHERE p.account_id = :account_id
"""
_DOCUMENTS = """
    SELECT DISTINCT i.id, i.kind, i.issue_date, i.corrects_id, l.period_id
    FROM invoice i
    JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
    WHERE i.account_id = :account_id AND i.kind <> 'fee'
    ORDER BY i.id
"""
_REFUNDS = """
    SELECT period_id, refund_date, amount FROM refund WHERE account_id = :account_id
"""


def vat_in(cents: int, percent: int) -> int:
    """The VAT in an amount, rounded as bookkeepers do."""
    exact = Decimal(cents) * percent / (100 + percent)
    return int(exact.quantize(Decimal(1), ROUND_HALF_UP))


class VatByHand:
    """All that was sold. By their first days, oldest first, print_percent: the rates of print;
    digital_percent: the digital parts of bundles.
    """

    def __init__(self, print_percent: dict[date, int], digital_percent: dict[date, int]) -> None:
        self.print_percent = print_percent
        self.digital_percent = digital_percent
        self.orders: dict[int, Any] = {}
        self.documents: list[Any] = []
        self.refunds = defaultdict[int, list[Any]](list)

    async def read(self, cast: Cast) -> "VatByHand":
        """Read what was sold."""
        account = {"account_id": cast.account_id}
        async with cast.db.read() as db:
            self.orders = {row["id"]: row for row in await db.fetch_all(_ORDERS, account)}
            self.documents = list(await db.fetch_all(_DOCUMENTS, account))
            for each in await db.fetch_all(_REFUNDS, account):
                self.refunds[each["period_id"]].append(each)
        return self

    def on(self, day: date) -> int:
        """The VAT on a day."""
        alive = dict[str, list[Any]]()
        first = dict[int, date]()  # an invoice that replaces another has the rates of the first
        for each in self.documents:  # a credit note comes after its invoice
            if each["issue_date"] <= day and each["kind"] == "invoice":
                alive.setdefault(each["id"], []).append(each)
                first.setdefault(each["period_id"], each["issue_date"])
            elif each["issue_date"] <= day:
                alive.pop(each["corrects_id"], None)
        vat = 0
        for lines in alive.values():
            orders = [self.orders[each["period_id"]] for each in lines]
            vat += self._vat_of(orders, first, day)
        paid = [order for order in self.orders.values() if not order["payer_id"]]
        for order in paid:
            if order["order_date"] <= day:
                vat += self._vat_of([order], {order["id"]: order["order_date"]}, day)
        return vat + self.on_waiting(day)

    def on_waiting(self, day: date) -> int:
        """The VAT on a day of orders that wait for their invoice: as if it were issued then."""
        billed = {each["period_id"] for each in self.documents if each["issue_date"] <= day}
        return sum(
            self._vat_of([order], {order["id"]: day}, day)
            for order in self.orders.values()
            if order["payer_id"] and order["order_date"] <= day and order["id"] not in billed
        )

    def _vat_of(self, orders: list[Any], rate_days: dict[int, date], day: date) -> int:
        """The VAT of orders that are rounded together."""
        sums = Counter[int]()
        for order in orders:
            for percent, cents in self._parts(order, rate_days[order["id"]], day):
                sums[percent] += cents
        return sum(vat_in(cents, percent) for percent, cents in sums.items())

    def _parts(self, order: Any, rate_day: date, day: date) -> Iterator[tuple[int, int]]:
        """The rates of an order, with what is left of its price for each."""
        left = order["price"] - sum(
            each["amount"] for each in self.refunds[order["id"]] if each["refund_date"] <= day
        )
        part = _begun(self.digital_percent, rate_day)
        digital = {"Print": 0, "Digital": left}.get(order["medium"], left * part // 100)
        yield (
            _begun(self.print_percent, rate_day) if order["country"] == "DE" else 0,
            left - digital,
        )
        buyer = order["payer_country"] or order["country"]
        yield 19 if buyer == "DE" else 0, digital


def _begun(percent: dict[date, int], day: date) -> int:
    """What holds on a day."""
    return [each for first, each in percent.items() if first <= day][-1]
