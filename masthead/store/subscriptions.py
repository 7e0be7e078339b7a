"""Subscriptions, shown with their periods, subscriber, source, product and first issue."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from masthead.model.errors import NotFound
from masthead.model.inputs import SubscriptionQuery
from masthead.model.lifecycle import issues_covered, next_charge_date
from masthead.model.paging import Page, PageRequest, page_of
from masthead.model.resources import (
    GifterRef,
    IssueRef,
    Product,
    ShippingAddress,
    SourceRef,
    SubscriberRef,
    Subscription,
    SubscriptionPeriod,
    SubscriptionState,
)
from masthead.model.values import (
    Medium,
    SubscriptionStatus,
    SubscriptionType,
    country_name,
    full_name,
    money_text,
)
from masthead.store.connection import Connection, Row, Transaction
from masthead.store.periods import list_granted, list_periods
from masthead.store.searching import found_by

_SUBSCRIPTION = (
    "SELECT s.id, s.type, s.status, s.medium, s.first_name, s.last_name, s.company, s.address1,"
    " s.address2, s.city, s.state, s.postcode, s.country, s.phone, s.notes, s.is_recurring,"
    " s.is_comp, s.is_gift, s.gifter_name, s.gifter_email, s.start_issue, s.total_length,"
    " u.id AS subscriber_id, u.first_name AS subscriber_first_name,"
    " u.last_name AS subscriber_last_name, u.company AS subscriber_company,"
    " u.email AS subscriber_email, o.id AS source_id, o.name AS source_name,"
    " p.id AS product_id, p.name AS product_name, p.benefits,"
    " i.id AS start_issue_id, i.name AS start_issue_name, n.recurring_charge_date AS charge_date"
    " FROM subscription s"
    " JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id"
    " JOIN source o ON o.account_id = s.account_id AND o.id = s.source_id"
    " JOIN product p ON p.account_id = s.account_id AND p.id = s.product_id"
    " LEFT JOIN issue i ON i.account_id = s.account_id AND i.number = s.start_issue"
    " LEFT JOIN issue n ON n.account_id = s.account_id AND n.number = s.last_issue + 1"
    " WHERE s.account_id = :account_id"
)

_FILTERS = {
    "subscriber": " AND s.subscriber_id = :subscriber",
    "country": " AND s.country = :country",
    "source": " AND s.source_id = :source",
    "is_gift": " AND s.is_gift = :is_gift",
}


async def list_subscriptions(
    db: Connection, account_id: int, query: SubscriptionQuery, page: PageRequest
) -> Page[Subscription]:
    """Subscriptions of an account, newest first. Queries: three at most."""
    asked = {name: getattr(query, name) for name in _FILTERS}
    filters = "".join(text for name, text in _FILTERS.items() if asked[name] is not None)
    conditions, patterns = found_by("s.search_text", query.search)
    rows = await db.fetch_all(
        _SUBSCRIPTION
        + " AND s.id < :before"
        + filters
        + conditions
        + " ORDER BY s.id DESC LIMIT :fetch",
        {
            **asked,
            **patterns,
            "account_id": account_id,
            "before": page.before_id,
            "fetch": page.fetch,
        },
    )
    return page_of(await _in_full(db, account_id, rows[: page.limit]), rows, page, "id")


async def get_subscription(db: Connection, account_id: int, id: str) -> Subscription:
    """A subscription by id. Queries: three at most. Raises: NotFound."""
    rows = await db.fetch_all(
        _SUBSCRIPTION + " AND s.id = :id", {"account_id": account_id, "id": id}
    )
    if not rows:
        raise NotFound("subscription", id)
    return (await _in_full(db, account_id, rows))[0]


async def get_status(db: Connection, account_id: int, id: str) -> SubscriptionState:
    """The status alone. Index: the primary key. Raises: NotFound."""
    row = await db.fetch_one(
        "SELECT status FROM subscription WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )
    if row is None:
        raise NotFound("subscription", id)
    return SubscriptionState(status=SubscriptionStatus(row["status"]))


async def _in_full(db: Connection, account_id: int, rows: Sequence[Row]) -> list[Subscription]:
    """Rows of `_SUBSCRIPTION` as subscriptions. Queries: one, two if there are memberships."""
    periods = await list_periods(db, account_id, [row["id"] for row in rows])
    memberships = [row["id"] for row in rows if row["type"] == SubscriptionType.MEMBERSHIP]
    granted = await list_granted(db, account_id, memberships) if memberships else {}
    return [_subscription_from_rows(row, periods[row["id"]], granted) for row in rows]


def _period_from_row(row: Row, granted: Mapping[int, list[int]]) -> SubscriptionPeriod:
    """The period that a row is. granted: issue numbers by id of membership periods."""
    covered = (
        granted.get(row["id"], [])
        if row["first_issue"] is None
        else list(issues_covered(row["first_issue"], row["length"]))
    )
    return SubscriptionPeriod(
        id=row["id"],
        order_date=row["order_date"],
        is_complete=row["is_complete"],
        length=row["length"],
        interval_months=row["interval_months"],
        period_start=row["period_start"],
        period_end=row["period_end"],
        issue_list=covered,
    )


def _subscription_from_rows(
    row: Row, period_rows: Sequence[Row], granted: Mapping[int, list[int]]
) -> Subscription:
    """The subscription that its row and those of its periods, oldest first, are."""
    current = period_rows[-1]
    status = SubscriptionStatus(row["status"])
    periods = [_period_from_row(each, granted) for each in period_rows]
    currency = current["currency"]
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
        length=current["length"],
        interval_months=current["interval_months"],
        total_length=row["total_length"],
        notes=row["notes"],
        is_recurring=row["is_recurring"],
        current_period_start=current["period_start"],
        current_period_end=current["period_end"],
        next_charge_date=next_charge_date(
            status,
            is_recurring=row["is_recurring"],
            period_end=current["period_end"],
            charge_date=row["charge_date"],
        ),
        is_comp=row["is_comp"],
        is_gift=row["is_gift"],
        gifter=(
            GifterRef(full_name=row["gifter_name"], email=row["gifter_email"])
            if row["is_gift"]
            else None
        ),
        promo_code=current["promo_code"],
        discount_amount=money_text(current["discount_amount"], currency),
        refunded=money_text(current["refunded"], currency),
        currency=currency,
        price=money_text(current["price"], currency),
        order_date=period_rows[0]["order_date"],
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
        source=SourceRef(id=row["source_id"], name=row["source_name"]),
        product=Product(
            id=row["product_id"],
            name=row["product_name"],
            benefits=msgspec.json.decode(row["benefits"], type=list[str]),
        ),
    )


async def find_facts(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, dict[str, Any]]:
    """The subscriptions' own columns, by id. Queries: one."""
    rows = await db.fetch_all(
        "SELECT * FROM subscription WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: dict(row) for row in rows}


async def insert_subscriptions(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add subscriptions. rows: by column name. Queries: one, however many rows."""
    await tx.insert_rows("subscription", [{**row, "account_id": account_id} for row in rows])


async def update_subscription(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set the columns that are named."""
    named = ", ".join(f"{name} = :{name}" for name in columns)
    await tx.execute(
        f"UPDATE subscription SET {named}"  # noqa: S608 - names are fields of our structs
        " WHERE account_id = :account_id AND id = :id",
        {**columns, "account_id": account_id, "id": id},
    )


async def update_status(
    tx: Transaction, account_id: int, ids: Collection[str], status: SubscriptionStatus
) -> None:
    """Give subscriptions a status. Queries: one."""
    await tx.execute(
        "UPDATE subscription SET status = :status"
        " WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids), "status": status},
    )


async def extend_subscriptions(
    tx: Transaction, account_id: int, rows: Collection[Mapping[str, object]]
) -> None:
    """Write down renewals. rows: id, status, last_issue, total_length, and lines to search by."""
    await tx.execute_many(
        "UPDATE subscription SET status = :status, last_issue = :last_issue,"
        " total_length = :total_length, search_text = search_text || :more_text"
        " WHERE account_id = :account_id AND id = :id",
        [{**row, "account_id": account_id} for row in rows],
    )


async def list_of_subscriber(db: Connection, account_id: int, subscriber_id: str) -> list[Row]:
    """All of a subscriber's subscriptions, own columns, oldest first. Queries: one."""
    return await db.fetch_all(
        "SELECT * FROM subscription WHERE account_id = :account_id"
        " AND subscriber_id = :subscriber ORDER BY id",
        {"account_id": account_id, "subscriber": subscriber_id},
    )
