"""Read subscriptions with all their fields, from the seven tables that have them."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

import msgspec

from masthead.model.errors import NotFound
from masthead.model.resources import (
    GifterRef,
    IssueRef,
    Product,
    ShippingAddress,
    SourceRef,
    SubscriberRef,
    Subscription,
    SubscriptionPeriod,
)
from masthead.model.subscriptions.lifecycle import next_charge_date
from masthead.model.subscriptions.stored import StoredPeriod
from masthead.model.types.countries import country_name
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.full_names import full_name
from masthead.model.types.money import money_text
from masthead.store.engine.interface import Connection, Row
from masthead.store.subscriptions.periods import list_issue_numbers, list_periods

_SUBSCRIPTION = """
    SELECT
        s.id,
        s.type,
        s.status,
        s.medium,
        s.first_name,
        s.last_name,
        s.company,
        s.address1,
        s.address2,
        s.city,
        s.state,
        s.postcode,
        s.country,
        s.phone,
        s.notes,
        s.is_recurring,
        s.is_comp,
        s.is_gift,
        s.gifter_name,
        s.gifter_email,
        g.first_name AS giver_first_name,
        g.last_name AS giver_last_name,
        g.company AS giver_company,
        g.email AS giver_email,
        s.start_issue,
        s.total_length,
        u.id AS subscriber_id,
        u.first_name AS subscriber_first_name,
        u.last_name AS subscriber_last_name,
        u.company AS subscriber_company,
        u.email AS subscriber_email,
        o.id AS source_id,
        o.name AS source_name,
        p.id AS product_id,
        p.name AS product_name,
        p.benefits,
        i.id AS start_issue_id,
        i.name AS start_issue_name,
        n.recurring_charge_date AS charge_date
    FROM subscription s
    JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
    JOIN source o ON o.account_id = s.account_id AND o.id = s.source_id
    JOIN product p ON p.account_id = s.account_id AND p.id = s.product_id
    LEFT JOIN subscriber g ON g.account_id = s.account_id AND g.id = s.gifter_id
    LEFT JOIN issue i ON i.account_id = s.account_id AND i.number = s.start_issue
    LEFT JOIN issue n ON n.account_id = s.account_id AND n.number = s.last_issue + 1
    WHERE s.account_id = :account_id AND s.id IN (:ids...)
"""


async def find_subscriptions(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, Subscription]:
    """The subscriptions with these ids, by id. Queries: two, three if there are memberships."""
    rows = await db.fetch_all(_SUBSCRIPTION, {"account_id": account_id, "ids": list(ids)})
    periods = await list_periods(db, account_id, [row["id"] for row in rows])
    memberships = [row["id"] for row in rows if row["type"] == SubscriptionType.MEMBERSHIP]
    issue_numbers = await list_issue_numbers(db, account_id, memberships) if memberships else {}
    return {
        row["id"]: _subscription_from_rows(row, periods[row["id"]], issue_numbers) for row in rows
    }


async def get_subscription(db: Connection, account_id: int, id: str) -> Subscription:
    """A subscription by id. Queries: two or three. Raises: NotFound."""
    found = await find_subscriptions(db, account_id, [id])
    if id not in found:
        raise NotFound("subscription", id)
    return found[id]


def _period_from_row(
    row: StoredPeriod, first_source: SourceRef, issue_numbers: Mapping[int, list[int]]
) -> SubscriptionPeriod:
    """The period in a row. first_source: of the subscription. issue_numbers: by membership period.

    Orders that masthead took before it stored their sources have that of the subscription.
    """
    covered = issue_numbers.get(row.id, []) if row.first_issue is None else row.included
    return SubscriptionPeriod(
        id=row.id,
        order_date=row.order_date,
        is_complete=row.is_complete,
        length=row.length,
        interval_months=row.interval_months,
        period_start=row.period_start,
        period_end=row.period_end,
        issue_list=covered,
        order_id=row.order_id,
        transaction_id=row.transaction_id,
        price=money_text(row.price, row.currency),
        currency=row.currency,
        discount_amount=money_text(row.discount_amount, row.currency),
        refunded=money_text(row.refunded, row.currency),
        source=(
            first_source
            if row.source_id is None
            else SourceRef(id=row.source_id, name=row.source_name or "")
        ),
    )


def _subscription_from_rows(
    row: Row, period_rows: Sequence[StoredPeriod], issue_numbers: Mapping[int, list[int]]
) -> Subscription:
    """The subscription in a row, with the rows of its periods, oldest first."""
    current = period_rows[-1]
    status = SubscriptionStatus(row["status"])
    source = SourceRef(id=row["source_id"], name=row["source_name"])
    periods = [_period_from_row(each, source, issue_numbers) for each in period_rows]
    currency = current.currency
    return Subscription(
        id=row["id"],
        type=SubscriptionType(row["type"]),
        status=status,
        medium=Medium(row["medium"]),
        first_name=row["first_name"],
        last_name=row["last_name"],
        shipping_address=ShippingAddress(
            company=row["company"],
            address1=row["address1"],
            address2=row["address2"],
            city=row["city"],
            state=row["state"],
            postcode=row["postcode"],
            country=row["country"],
            country_name=country_name(row["country"]),
            phone=row["phone"],
        ),
        length=current.length,
        interval_months=current.interval_months,
        total_length=row["total_length"],
        notes=row["notes"],
        is_recurring=row["is_recurring"],
        current_period_start=current.period_start,
        current_period_end=current.period_end,
        next_charge_date=next_charge_date(
            status,
            is_recurring=row["is_recurring"],
            period_end=current.period_end,
            charge_date=row["charge_date"],
        ),
        is_comp=row["is_comp"],
        is_gift=row["is_gift"],
        gifter=_gifter(row) if row["is_gift"] else None,
        promo_code=current.promo_code,
        discount_amount=money_text(current.discount_amount, currency),
        refunded=money_text(current.refunded, currency),
        currency=currency,
        price=money_text(current.price, currency),
        order_date=period_rows[0].order_date,
        start_issue=(
            None
            if row["start_issue"] is None
            else IssueRef(
                id=row["start_issue_id"], number=row["start_issue"], name=row["start_issue_name"]
            )
        ),
        issue_list=sorted(chain.from_iterable(period.issue_list for period in periods)),
        periods=periods,
        subscriber=SubscriberRef(
            id=row["subscriber_id"],
            full_name=full_name(
                row["subscriber_first_name"],
                row["subscriber_last_name"],
                row["subscriber_company"],
                row["subscriber_email"],
            ),
            email=row["subscriber_email"],
        ),
        source=source,
        product=_product(row["product_id"], row["product_name"], row["benefits"]),
    )


def _gifter(row: Row) -> GifterRef | None:
    """The giver as they were named, or else their record: after an erasure, or without an email.

    None if they had no record, and were erased.
    """
    email = row["gifter_email"] or row["giver_email"]
    if email is None:
        return None
    name = row["gifter_name"] or full_name(
        row["giver_first_name"], row["giver_last_name"], row["giver_company"], email
    )
    return GifterRef(full_name=name, email=email)


def _product(id: str, name: str, benefits: str) -> Product:
    """A product. benefits: as JSON."""
    return Product(id=id, name=name, benefits=msgspec.json.decode(benefits, type=list[str]))
