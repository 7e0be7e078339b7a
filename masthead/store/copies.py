"""Copies: each issue that goes to a subscriber under a subscription, once."""

from collections.abc import Collection
from datetime import date

from masthead.model.ids import first_copy_id
from masthead.model.inputs import CopyQuery
from masthead.model.paging import Page, PageRequest, cut_page
from masthead.model.resources import Copy, IssueRef
from masthead.model.values import CopyStatus
from masthead.store.connection import Connection, Row, Transaction

_COPY = (
    "SELECT c.id, c.date_sent, c.status, c.country, c.issue_id, c.issue_number,"
    " i.name AS issue_name, c.subscriber_id, c.subscription_id"
    " FROM copy c JOIN issue i ON i.account_id = c.account_id AND i.id = c.issue_id"
    " WHERE c.account_id = :account_id"
)

_FILTERS = {
    "status": " AND c.status = :status",
    "issue": " AND c.issue_id = :issue",
    "subscriber": " AND c.subscriber_id = :subscriber",
    "subscription": " AND c.subscription_id = :subscription",
    "country": " AND c.country = :country",
}

# The copies that periods are owed: issue periods by number, membership periods by release date
OWED = (
    " FROM period p"
    " JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id"
    " JOIN issue i ON i.account_id = p.account_id"
    " AND (i.number BETWEEN p.first_issue AND p.last_issue"
    " OR i.release_date_actual BETWEEN p.period_start AND p.period_end)"
    " WHERE p.account_id = :account_id AND s.status <> 'Cancelled'"
    " AND NOT EXISTS (SELECT 1 FROM copy c WHERE c.account_id = p.account_id"
    " AND c.subscription_id = p.subscription_id AND c.issue_number = i.number)"
)

_GRANT = (
    "INSERT INTO copy (account_id, id, subscription_id, period_id, subscriber_id, issue_id,"
    " issue_number, status, country)"
    " SELECT p.account_id,"
    " CAST(:base AS bigint) + row_number() OVER (ORDER BY p.subscription_id, i.number),"
    " p.subscription_id, p.id, s.subscriber_id, i.id, i.number, 'Not sent', s.country" + OWED
)


def copy_from_row(row: Row) -> Copy:
    """The copy that a row of `_COPY` is."""
    return Copy(
        id=row["id"],
        date_sent=row["date_sent"],
        status=CopyStatus(row["status"]),
        country=row["country"],
        issue=IssueRef(id=row["issue_id"], number=row["issue_number"], name=row["issue_name"]),
        subscriber_id=row["subscriber_id"],
        subscription_id=row["subscription_id"],
    )


async def list_copies(
    db: Connection, account_id: int, query: CopyQuery, page: PageRequest
) -> Page[Copy]:
    """Copies of an account, newest first. Queries: one."""
    asked = {name: getattr(query, name) for name in _FILTERS}
    filters = "".join(text for name, text in _FILTERS.items() if asked[name] is not None)
    rows = await db.fetch_all(
        _COPY + " AND c.id < :before" + filters + " ORDER BY c.id DESC LIMIT :fetch",
        {**asked, "account_id": account_id, "before": page.before_number, "fetch": page.fetch},
    )
    return cut_page(rows, page, "id", copy_from_row)


async def list_by_ids(db: Connection, account_id: int, ids: Collection[int]) -> list[Copy]:
    """The copies with those ids that are known, in the order of their ids. Queries: one."""
    rows = await db.fetch_all(
        _COPY + " AND c.id IN (:ids... AS bigint) ORDER BY c.id",
        {"account_id": account_id, "ids": list(ids)},
    )
    return [copy_from_row(row) for row in rows]


async def grant_for_periods(tx: Transaction, account_id: int, period_ids: Collection[int]) -> int:
    """Add the copies that new periods are owed; how many. Queries: three."""
    return await _grant(tx, account_id, " AND p.id IN (:periods... AS bigint)", list(period_ids))


async def grant_for_issue(tx: Transaction, account_id: int, issue_id: str) -> int:
    """Add the copies that subscriptions are owed of a new or newly dated issue; how many."""
    return await _grant(tx, account_id, " AND i.id = :issue", issue_id)


async def _grant(tx: Transaction, account_id: int, condition: str, subject: str | list[int]) -> int:
    """Number the copies from the account's counter on, whose row is locked."""
    counter = await tx.fetch_one(
        "SELECT last_copy FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert counter is not None
    added = await tx.execute(
        _GRANT + condition,
        {
            "account_id": account_id,
            "base": first_copy_id(account_id) + counter["last_copy"],
            "periods": subject,
            "issue": subject,
        },
    )
    if added:
        await tx.execute(
            "UPDATE account_state SET last_copy = last_copy + :added"
            " WHERE account_id = :account_id",
            {"account_id": account_id, "added": added},
        )
    return added


async def recount_memberships(
    tx: Transaction, account_id: int, subscription_ids: Collection[str]
) -> None:
    """Let the total length of memberships be the number of their copies. Queries: one."""
    await tx.execute(
        "UPDATE subscription SET total_length = (SELECT count(*) FROM copy c"
        " WHERE c.account_id = subscription.account_id AND c.subscription_id = subscription.id)"
        " WHERE account_id = :account_id AND type = 'membership' AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(subscription_ids)},
    )


async def list_holders(db: Connection, account_id: int, issue_id: str) -> list[str]:
    """The memberships that have a copy of an issue."""
    rows = await db.fetch_all(
        "SELECT c.subscription_id FROM copy c"
        " JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id"
        " WHERE c.account_id = :account_id AND c.issue_id = :issue AND s.type = 'membership'",
        {"account_id": account_id, "issue": issue_id},
    )
    return [row["subscription_id"] for row in rows]


async def mark_sent(
    tx: Transaction, account_id: int, ids: Collection[int], *, sent_on: date | None
) -> None:
    """Mark copies as sent on a day, or without a date. Queries: one."""
    await tx.execute(
        "UPDATE copy SET status = 'Sent', date_sent = :sent_on"
        " WHERE account_id = :account_id AND id IN (:ids... AS bigint)",
        {"account_id": account_id, "ids": list(ids), "sent_on": sent_on},
    )


async def cancel_unsent(
    tx: Transaction, account_id: int, subscription_ids: Collection[str]
) -> list[int]:
    """Cancel the copies of subscriptions that have not been sent; their ids. Queries: one."""
    rows = await tx.fetch_all(
        # not "= 'Not sent'", for which SQLite would read all copies of the account in that state
        "UPDATE copy SET status = 'Cancelled' WHERE account_id = :account_id"
        " AND subscription_id IN (:ids...) AND status NOT IN ('Sent', 'Cancelled') RETURNING id",
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    return sorted(row["id"] for row in rows)


async def move_copies(tx: Transaction, account_id: int, subscription_id: str, country: str) -> None:
    """Let the copies of a subscription go to another country."""
    await tx.execute(
        "UPDATE copy SET country = :country"
        " WHERE account_id = :account_id AND subscription_id = :subscription",
        {"account_id": account_id, "subscription": subscription_id, "country": country},
    )


async def mark_imported(
    tx: Transaction, account_id: int, sent: Collection[tuple[str, int, date | None]]
) -> None:
    """Mark copies as sent that another system sent. sent: subscription, issue number, day."""
    await tx.execute_many(
        "UPDATE copy SET status = 'Sent', date_sent = :sent_on WHERE account_id = :account_id"
        " AND subscription_id = :subscription AND issue_number = :number",
        [
            {"account_id": account_id, "subscription": id, "number": number, "sent_on": day}
            for id, number, day in sent
        ],
    )
