"""Copies: each issue that goes to a subscriber under a subscription, once."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext

from masthead.model.ids import first_copy_id
from masthead.model.inputs import CopyQuery
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.resources import Copy, IssueRef
from masthead.model.types.enums import CopyStatus
from masthead.store.engine.interface import Connection, Database, Ids, Row, Transaction
from masthead.store.pagination import Listing, fetch_page

_COPY = (
    "SELECT c.id, c.date_sent, c.status, c.country, c.issue_id, c.issue_number,"
    # not a join: neither database may begin with the issues, or sort by them
    " (SELECT name FROM issue WHERE account_id = :account_id AND id = c.issue_id) AS issue_name,"
    " c.subscriber_id, c.subscription_id"
)

COPIES = Listing(
    table="copy",
    name="c",
    conditions={
        "subscription": "c.subscription_id = :subscription",
        "subscriber": "c.subscriber_id = :subscriber",
        # by its number, which is shorter than its id by 30 bytes in every index
        "issue": (
            "c.issue_number ="
            " (SELECT number FROM issue WHERE account_id = :account_id AND id = :issue)"
        ),
        "country": "c.country = :country",
        "status": "c.status = :status",
    },
    few=("subscription", "subscriber"),
    last="status",
    values=[f"c.status = '{status}'" for status in CopyStatus],
)

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
    " p.subscription_id, p.id, s.subscriber_id, i.id, i.number, 'Not sent', s.country"
    + OWED
    + " AND i.id = :issue"
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
    db: Database, account_id: int, query: CopyQuery, page: PageRequest
) -> Page[Copy]:
    """Copies of an account, newest first. Queries: one."""
    before, fetch = page.before_number, page.fetch
    aside = COPIES.may_take_long(COPIES.asked(query))
    async with db.read(aside=True) if aside else nullcontext(db) as reader:
        rows = await fetch_page(
            reader, account_id, COPIES, _COPY, query, before=before, fetch=fetch
        )
    return cut_page(rows, page, "id", copy_from_row)


async def count_waiting(
    db: Connection, account_id: int, numbers: Collection[int]
) -> dict[int, int]:
    """How many copies of issues are Not sent, by number of the issue. Queries: one, read aside."""
    rows = await db.fetch_all(
        # issue by issue: PostgreSQL would look at all copies that wait, and then at the list
        "SELECT i.number, (SELECT count(*) FROM copy c WHERE c.account_id = i.account_id"
        " AND c.issue_number = i.number AND c.status = 'Not sent') AS count FROM issue i"
        " WHERE i.account_id = :account_id AND i.number IN (:numbers... AS bigint)",
        {"account_id": account_id, "numbers": list(numbers)},
    )
    return dict.fromkeys(numbers, 0) | {row["number"]: row["count"] for row in rows}


async def count_by_status(db: Connection, account_id: int, number: int) -> dict[CopyStatus, int]:
    """How many copies of an issue are in each state. Queries: one, read aside."""
    rows = await db.fetch_all(
        "SELECT status, count(*) AS count FROM copy"
        " WHERE account_id = :account_id AND issue_number = :number GROUP BY status",
        {"account_id": account_id, "number": number},
    )
    counts = dict.fromkeys(CopyStatus, 0)
    return counts | {CopyStatus(row["status"]): row["count"] for row in rows}


async def count_by_country(
    db: Connection, account_id: int, number: int
) -> dict[str, dict[CopyStatus, int]]:
    """How many copies of an issue go to each country, by state; most copies first.

    Queries: one, read aside.
    """
    rows = await db.fetch_all(
        "SELECT country, status, count(*) AS count FROM copy WHERE account_id = :account_id"
        " AND issue_number = :number GROUP BY country, status",
        {"account_id": account_id, "number": number},
    )
    return _by(rows, "country")


def _by(rows: Sequence[Row], column: str) -> dict[str, dict[CopyStatus, int]]:
    counts: dict[str, dict[CopyStatus, int]] = {}
    for row in rows:
        of = counts.setdefault(row[column], dict.fromkeys(CopyStatus, 0))
        of[CopyStatus(row["status"])] = row["count"]
    return dict(sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0])))


async def count_by_medium(
    db: Connection, account_id: int, number: int
) -> dict[str, dict[CopyStatus, int]]:
    """How many copies of an issue are in each medium, by state; most copies first.

    Queries: one, read aside, some 5 µs a copy: for issues of a few thousand.
    """
    rows = await db.fetch_all(
        "SELECT s.medium, c.status, count(*) AS count FROM copy c"
        " JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id"
        " WHERE c.account_id = :account_id AND c.issue_number = :number"
        " GROUP BY s.medium, c.status",
        {"account_id": account_id, "number": number},
    )
    return _by(rows, "medium")


async def list_addresses(
    db: Connection, account_id: int, number: int, status: CopyStatus, *, after: int, limit: int
) -> list[Row]:
    """Where the printed copies of an issue in a state go, in the order of their ids.

    after: the last id of the page before. Queries: one.
    """
    return await db.fetch_all(
        "SELECT c.id, c.subscription_id, s.medium, s.first_name, s.last_name, s.company,"
        " s.address1, s.address2, s.city, s.state, s.postcode, s.country FROM copy c"
        " JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id"
        " WHERE c.account_id = :account_id AND c.issue_number = :number"
        " AND c.status = :status AND c.id > :after AND s.medium <> 'Digital'"
        " ORDER BY c.id LIMIT :limit",
        {
            "account_id": account_id,
            "number": number,
            "status": status,
            "after": after,
            "limit": limit,
        },
    )


async def insert_copies(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add copies. rows: by column name. Queries: a few, however many rows."""
    await tx.insert_rows("copy", [{**row, "account_id": account_id} for row in rows])


async def grant_for_issue(tx: Transaction, account_id: int, issue_id: str) -> int:
    """Add the copies that subscriptions are owed of a new or newly dated issue; how many.

    They are numbered from the account's counter on, whose row is locked. Queries: three.
    """
    counter = await tx.fetch_one(
        "SELECT last_copy FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert counter is not None
    added = await tx.execute(
        _GRANT,
        {
            "account_id": account_id,
            "base": first_copy_id(account_id) + counter["last_copy"],
            "issue": issue_id,
        },
    )
    if added:
        await tx.execute(
            "UPDATE account_state SET last_copy = last_copy + :added"
            " WHERE account_id = :account_id",
            {"account_id": account_id, "added": added},
        )
    return added


async def recount_memberships(tx: Transaction, account_id: int, subscription_ids: Ids) -> None:
    """Let the total length of memberships be the number of their copies. Queries: one."""
    await tx.execute(
        "UPDATE subscription SET total_length = (SELECT count(*) FROM copy c"
        " WHERE c.account_id = subscription.account_id AND c.subscription_id = subscription.id)"
        " WHERE account_id = :account_id AND type = 'membership' AND id IN (:ids...)",
        {"account_id": account_id, "ids": subscription_ids},
    )


async def find_holders(db: Connection, account_id: int, issue_id: str) -> Ids:
    """The memberships that have a copy of an issue, as one text. Queries: one."""
    row = await db.fetch_one(
        "SELECT json_group_array(c.subscription_id) AS ids FROM issue i"
        " JOIN copy c ON c.account_id = i.account_id AND c.issue_number = i.number"
        " JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id"
        " WHERE i.account_id = :account_id AND i.id = :issue AND s.type = 'membership'",
        {"account_id": account_id, "issue": issue_id},
    )
    return str(row["ids"]) if row and row["ids"] else []


async def list_of_issues(
    db: Connection, account_id: int, subscription_ids: Collection[str], numbers: Collection[int]
) -> list[Row]:
    """The copies that subscriptions have of some issues. Queries: one. Index: copy_once."""
    return await db.fetch_all(
        "SELECT id, subscription_id, issue_number, status, date_sent FROM copy"
        " WHERE account_id = :account_id AND subscription_id IN (:ids...)"
        " AND issue_number IN (:numbers... AS bigint)",
        {"account_id": account_id, "ids": list(subscription_ids), "numbers": list(numbers)},
    )


async def find_issue_of(db: Connection, account_id: int, id: int) -> str | None:
    """The id of the issue that a copy is of; None if there is no such copy. Queries: one."""
    row = await db.fetch_one(
        "SELECT issue_id FROM copy WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )
    return str(row["issue_id"]) if row else None


async def list_of_subscription(db: Connection, account_id: int, id: str) -> list[Row]:
    """Number and status of all copies of a subscription. Queries: one. Index: copy_once."""
    return await db.fetch_all(
        "SELECT issue_number, status FROM copy"
        " WHERE account_id = :account_id AND subscription_id = :id ORDER BY issue_number",
        {"account_id": account_id, "id": id},
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
