"""The made-up publication of a sandbox: a quarterly with the same records each time.

Dates count from the first day of the sandbox. Issues 1 to 4 are out; issue 5 is charged a month
later, and comes out two months later. There are issues for four years.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.inputs import IssueCreate
from masthead.model.orders.order import Giver, Order, OrderDefaults
from masthead.model.orders.period_coverage import add_months
from masthead.model.sandboxes import DECLINED, LATE, SHOP
from masthead.model.types.enums import Medium, SourceType, SubscriptionStatus, SubscriptionType
from masthead.services.issues.records import add_issue
from masthead.services.orders.place import place_all
from masthead.store import products, sources
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction
from masthead.store.orders import product_prices

ISSUES, OUT, LENGTH = 20, 4, 4
YEAR, QUARTER, GIFT = 4_000, 1_200, 4_200  # prices in minor units
PEOPLE = [
    line.split(", ")
    for line in """\
Ada, Berg, Berlin, 10115, DE
Ben, Carter, Leeds, LS1 4DY, GB
Clara, Dietz, Hamburg, 20095, DE
David, Evans, Cardiff, CF10 1EP, GB
Elif, Fischer, Wien, 1010, AT
Finn, Gruber, Graz, 8010, AT
Greta, Holm, Kiel, 24103, DE
Hugo, Ivers, Utrecht, 3511 AB, NL
Ida, Jansen, Gent, 9000, BE
Jonas, Keller, Bern, 3011, CH
Karla, Lind, Bremen, 28195, DE
Leo, Moreau, Lyon, 69001, FR
Mara, Novak, Leipzig, 04109, DE
Nils, Olsen, Oslo, 0150, NO
Olga, Petrov, Dresden, 01067, DE
Paul, Quast, Essen, 45127, DE
Rosa, Romano, Torino, 10121, IT
Sven, Schulz, Mainz, 55116, DE
Tara, Thomas, Bath, BA1 1SU, GB
Uwe, Urban, Erfurt, 99084, DE
Vera, Vogel, Jena, 07743, DE
Willem, Wouters, Delft, 2611 AB, NL
Xenia, Wolf, Ulm, 89073, DE
Yann, Weber, Nancy, 54000, FR
""".splitlines()
]


class Offered(Struct, frozen=True):
    """The ids of what a new sandbox sells, and of the shop that it charges itself."""

    shop: str
    year: str
    quarter: str


async def insert_offered(tx: Transaction, account: Account) -> Offered:
    """Add the source and the products of the made-up publication. A reset keeps them."""
    shop = await sources.insert_source(tx, account.id, name=SHOP, type=SourceType.SHOP)
    ids = []
    for name, medium, price, terms in (
        ("One year", Medium.PRINT, YEAR, _TERMS),
        ("Membership", Medium.DIGITAL, QUARTER, _MEMBERSHIP),
    ):
        added = await products.insert_product(tx, account.id, name=name, benefits=(), **terms)
        prices = {(medium, group): price for group in CountryGroup}
        await product_prices.replace_prices(
            tx, account.id, added.id, prices, currency=account.currency
        )
        ids.append(added.id)
    return Offered(shop.id, *ids)


_TERMS: dict[str, str | int | None] = {
    "type": SubscriptionType.SUBSCRIPTION.value,
    "length": LENGTH,
    "interval_months": None,
}
_MEMBERSHIP: dict[str, str | int | None] = {
    "type": SubscriptionType.MEMBERSHIP.value,
    "length": None,
    "interval_months": 3,
}


async def insert_demo_data(
    tx: Transaction, account: Account, offered: Offered, *, placeholder_domain: str, by: Actor
) -> None:
    """Add issues and subscriptions. account: locked, empty, and on its first day."""
    first_day = account.daily_date
    for number in range(1, ISSUES + 1):
        await add_issue(tx, account, _issue(number, first_day), by=by)
    orders = list(_orders(first_day, account.currency, offered))
    defaults = OrderDefaults(account.currency, placeholder_domain)
    await place_all(tx, account, offered.shop, orders, defaults=defaults, by=by)


def _later(day: date, months: int) -> date:
    later = add_months(day, months)
    assert later is not None
    return later


def _issue(number: int, first_day: date) -> IssueCreate:
    charged = _later(first_day, 3 * (number - OUT) - 2)
    released = _later(first_day, 3 * (number - OUT) - 1)
    return IssueCreate(
        number=number,
        release_date_actual=released,
        date_as_start_issue=released,
        recurring_charge_date=charged,
    )


def _orders(first_day: date, currency: str, offered: Offered) -> Iterator[Order]:
    """24 subscriptions, one of each person, the oldest first."""

    def order(place: int, *, email: str = "", **more: Any) -> Order:
        first, last, city, postcode, country = PEOPLE[place]
        return Order(
            order_id=f"SANDBOX-{place + 1:02}",
            email=email or f"{first}.{last}@reader.test".lower(),
            first_name=first,
            last_name=last,
            address1="1 Sandbox Street",
            city=city,
            postcode=postcode,
            country=country,
            currency=currency,
            **more,
        )

    def of_year(place: int, start: int, **more: Any) -> Order:
        given: dict[str, Any] = {
            "order_date": min(_later(first_day, 3 * (start - OUT) - 1), first_day),
            "price": YEAR,
            "product_id": offered.year,
            "start_issue": start,
            "length": LENGTH,
            "sent_through": OUT,
        }
        return order(place, **given | more)

    def membership(place: int, *, email: str = "", **more: Any) -> Order:
        start = _later(first_day, -3) + timedelta(days=9 * (place - 11))
        given: dict[str, Any] = {
            "order_date": start,
            "price": QUARTER,
            "product_id": offered.quarter,
            "type": SubscriptionType.MEMBERSHIP,
            "medium": Medium.DIGITAL,
            "interval_months": 3,
            "period_start": start,
            "period_end": _later(start, 3) - timedelta(days=1),
            "is_recurring": True,
        }
        return order(place, email=email, **given | more)

    for place in range(8):  # two for each of the issues 1 to 4
        yield of_year(place, place // 2 + 1, is_recurring=True)
    for place in range(8, 12):
        yield of_year(place, place - 7)
    for place in range(12, 16):
        yield membership(place)
    yield membership(16, email=f"{DECLINED}.rosa@reader.test")
    yield membership(17, email=f"{LATE}.sven@reader.test")
    yield membership(18, status=SubscriptionStatus.RENEWALS_STOPPED)
    for place in (19, 20):  # gifts of Ada and Clara, from the next issue on
        giver = PEOPLE[2 * (place - 19)]
        name, email = f"{giver[0]} {giver[1]}", f"{giver[0]}.{giver[1]}@reader.test".lower()
        gift = {"is_gift": True, "gifter_name": name, "gifter_email": email}
        yield of_year(
            place, OUT + 1, price=GIFT, giver=Giver(email=email), is_recurring=place == 20, **gift
        )
    yield of_year(21, 3, is_comp=True, price=0)
    yield of_year(
        22,
        2,
        is_recurring=True,
        status=SubscriptionStatus.CANCELLED,
        cancelled_date=_later(first_day, -2),
    )
    yield of_year(23, OUT + 1)
