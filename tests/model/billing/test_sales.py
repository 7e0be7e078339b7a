"""Orders that were paid at once have the VAT of their own day, also when they are added up."""

import random
from collections import Counter
from datetime import date, timedelta

import pytest
from msgspec import structs

from bench.large.billing import SELLER
from masthead.model.billing.orders import Buyer, Taxation
from masthead.model.billing.sales import PaidOrders, add_up_vat, sales_of
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.vat import VatRate, VatSetting
from masthead.model.types.enums import Medium

NEW_YEAR = date(2026, 1, 1)


def some_orders(chance: random.Random) -> list[PaidOrders]:
    orders = []
    for _ in range(60):
        day = NEW_YEAR + timedelta(days=chance.randrange(365))
        before = chance.choice((0, 0, 5_000))
        orders.append(
            PaidOrders(
                day=day,
                order_day=day - timedelta(days=chance.choice((0, 0, 200))),
                source_name=chance.choice("AB"),
                product_id=chance.choice(("P1", "P2")),
                product_name="Magazine",
                medium=chance.choice(list(Medium)),
                country=chance.choice(("DE", "FR", "US")),
                currency=chance.choice(("EUR", "USD")),
                before=before,
                after=chance.choice((before, 333, 6_000)),
                orders=chance.randrange(1, 4),
            )
        )
    return orders


@pytest.mark.parametrize("seed", range(20))
def test_orders_are_taxed_by_the_rates_of_their_day(seed: int) -> None:
    chance = random.Random(seed)
    rates = [
        VatRate(
            first_day=NEW_YEAR + timedelta(days=chance.randrange(-300, 300)),
            place=chance.choice(("home", "eu", "other", "FR")),
            rate=chance.choice((0, 700, 1_900)),
            medium=chance.choice((None, Medium.PRINT, Medium.DIGITAL)),
            product_id=chance.choice((None, "P1")),
        )
        for _ in range(chance.randrange(7))
    ]
    settings = BillingSettings(
        **structs.asdict(SELLER),
        digital_percent=chance.choice((0, 20)),
        is_small_business=chance.random() < 0.1,
        vat_settings=tuple(
            VatSetting(
                first_day=NEW_YEAR + timedelta(days=day),
                digital_percent=chance.choice((0, 50)),
                is_small_business=chance.random() < 0.3,
            )
            for day in sorted(chance.sample(range(-300, 300), chance.randrange(3)))
        ),
    )
    taxation = Taxation(settings=settings, rates=rates, day=NEW_YEAR)
    orders = some_orders(chance)
    expected = Counter[tuple[object, ...]]()
    for each in orders:
        of_day = structs.replace(taxation, day=each.order_day)
        for sign, amount in ((-1, each.before), (1, each.after)):
            for part in of_day.split(
                amount,
                product_id=each.product_id,
                medium=each.medium,
                country=each.country,
                buyer=Buyer(each.country),
            ):
                where = each.country, each.currency, part.tax
                expected[*where, "net"] += sign * part.net * each.orders
                expected[*where, "vat"] += sign * part.vat * each.orders
    for lines in (add_up_vat([], orders, taxation), add_up_vat(sales_of(orders, taxation))):
        found = Counter[tuple[object, ...]]()
        for line in lines:
            where = line.country, line.currency, line.tax
            found[*where, "net"], found[*where, "vat"] = line.net, line.vat
        assert found == expected


def test_without_settings_for_invoices_sales_have_no_known_vat() -> None:
    order = PaidOrders(
        day=NEW_YEAR,
        order_day=NEW_YEAR,
        source_name="A",
        product_id="P1",
        product_name="Magazine",
        medium=Medium.PRINT_AND_DIGITAL,
        country="DE",
        currency="EUR",
        before=0,
        after=6_000,
        orders=2,
    )
    refund = structs.replace(order, before=6_000, after=4_000, orders=1)
    same = structs.replace(order, before=6_000)
    [sale] = sales_of([order, refund, same], None)
    assert (sale.net, sale.vat, sale.tax) == (10_000, 0, None)
