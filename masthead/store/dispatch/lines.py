"""The lines of dispatch runs: a copy, a replacement or a grace copy each, at its frozen address."""

from collections.abc import Collection

from masthead.model.dispatch.runs import DispatchLine, LineStatus
from masthead.model.types.enums import Medium
from masthead.store.addresses.in_force import COLUMNS, FORMS_OF_ADDRESS, join_change
from masthead.store.engine.interface import Connection, Ids, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one

LINES = """
    SELECT
        id,
        dispatch_id,
        copy_id,
        nullif(claim_id, '') AS claim_id,
        subscription_id,
        subscriber_id,
        issue_number,
        medium,
        salutation,
        title,
        first_name,
        last_name,
        company,
        address1,
        address2,
        city,
        state,
        postcode,
        country,
        status,
        left_reason,
        left_at,
        shipped_date,
        coalesce(is_grace, false) AS is_grace
    FROM dispatch_line
    WHERE account_id = :account_id
"""


_INSERT = f"""
    INSERT INTO dispatch_line (
        account_id,
        id,
        dispatch_id,
        copy_id,
        claim_id,
        subscription_id,
        subscriber_id,
        issue_number,
        medium,
        salutation,
        title,
        first_name,
        last_name,
        company,
        address1,
        address2,
        city,
        state,
        postcode,
        country,
        status,
        is_grace
    )
    SELECT
        n.account_id,
        CAST(:last_line AS bigint) + row_number() OVER (
            ORDER BY
                CASE n.medium WHEN 'Digital' THEN 1 ELSE 0 END,
                n.country,
                coalesce(n.postcode, ''),
                coalesce(n.last_name, ''),
                coalesce(n.first_name, ''),
                n.subscriber_id,
                coalesce(n.address1, ''),
                coalesce(n.address2, ''),
                coalesce(n.company, ''),
                n.copy_id,
                n.claim_id
        ),
        :dispatch,
        n.copy_id,
        n.claim_id,
        n.subscription_id,
        n.subscriber_id,
        n.issue_number,
        n.medium,
        n.salutation,
        n.title,
        n.first_name,
        n.last_name,
        n.company,
        n.address1,
        n.address2,
        n.city,
        n.state,
        n.postcode,
        n.country,
        'held',
        CASE WHEN n.kind = 'grace' THEN true END
    FROM (
        SELECT
            t.account_id,
            t.copy_id,
            t.claim_id,
            t.kind,
            s.id AS subscription_id,
            s.subscriber_id,
            t.issue_number,
            s.medium,
            {FORMS_OF_ADDRESS},
            {COLUMNS}
        FROM (
            SELECT
                c.account_id,
                c.id AS copy_id,
                '' AS claim_id,
                c.subscription_id,
                c.issue_number,
                'copy' AS kind
            FROM copy c
            WHERE c.account_id = :account_id AND c.dispatch_id = :dispatch
            UNION ALL
            SELECT k.account_id, k.copy_id, k.id, k.subscription_id, k.issue_number, 'replacement'
            FROM claim k
            WHERE k.account_id = :account_id AND k.dispatch_id = :dispatch
            UNION ALL
            SELECT g.account_id, g.id, '', g.subscription_id, g.issue_number, 'grace'
            FROM grace_copy g
            WHERE g.account_id = :account_id AND g.dispatch_id = :dispatch
        ) AS t
        JOIN subscription s ON s.account_id = :account_id AND s.id = t.subscription_id
        JOIN subscriber u ON u.account_id = :account_id AND u.id = s.subscriber_id
        {join_change("t.issue_number")}
    ) AS n
"""  # noqa: S608 - names of columns


async def insert_lines(tx: Transaction, account_id: int, dispatch_id: str) -> tuple[int, int]:
    """Freeze the addresses of the copies, claims and grace copies of a run.

    The address is that for the issue: of a planned change, or of the subscription.

    Returns the id of the first line, and how many there are. They are sorted by country, postcode
    and name, and the copies of one subscriber for one address follow each other. Digital copies
    come last, so that the numbers in a file for the post have no gaps.
    Queries: three.
    """
    counter = await tx.fetch_one(
        "SELECT last_line FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert counter is not None
    added = await tx.execute(
        _INSERT,
        {"account_id": account_id, "dispatch": dispatch_id, "last_line": counter["last_line"]},
    )
    await tx.execute(
        """
        UPDATE account_state
        SET last_line = last_line + :added
        WHERE account_id = :account_id
        """,
        {"account_id": account_id, "added": added},
    )
    return counter["last_line"] + 1, added


async def count_by_country(db: Connection, account_id: int, dispatch_id: str) -> dict[str, int]:
    """The number of lines of a run by country, most first. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT country, count(*) AS count
        FROM dispatch_line
        WHERE account_id = :account_id AND dispatch_id = :dispatch
        GROUP BY country
        ORDER BY count DESC, country
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )
    return {row["country"]: row["count"] for row in rows}


async def list_lines(
    db: Connection,
    account_id: int,
    dispatch_id: str,
    *,
    after: int,
    limit: int,
    country: str | None = None,
    medium: Medium | None = None,
    status: LineStatus | None = None,
) -> list[DispatchLine]:
    """The lines of a run after an id that match the filters, by id. Queries: one."""
    return await fetch_all(
        db,
        LINES
        + """
        AND dispatch_id = :dispatch
        AND id > :after
        AND (:all_countries OR country = :country)
        AND (:all_media OR medium = :medium)
        AND (:all_statuses OR status = :status)
        ORDER BY id
        LIMIT :limit
        """,
        {
            "account_id": account_id,
            "dispatch": dispatch_id,
            "after": after,
            "all_countries": country is None,
            "country": country or "",
            "all_media": medium is None,
            "medium": medium or "",
            "all_statuses": status is None,
            "status": status or "",
            "limit": limit,
        },
        into=DispatchLine,
    )


async def find_line(db: Connection, account_id: int, id: int) -> DispatchLine | None:
    """A line by its id, which its key contains. Queries: one."""
    return await fetch_one(
        db, LINES + "AND id = :id", {"account_id": account_id, "id": id}, into=DispatchLine
    )


async def list_lines_of_copies(
    db: Connection, account_id: int, copy_ids: Collection[int]
) -> list[DispatchLine]:
    """All lines of some copies, in all runs, oldest first. Queries: one."""
    return await fetch_all(
        db,
        LINES + "AND copy_id IN (:copies... AS bigint) ORDER BY id",
        {"account_id": account_id, "copies": list(copy_ids)},
        into=DispatchLine,
    )


async def count_lines(
    db: Connection, account_id: int, dispatch_id: str
) -> dict[tuple[str, str, LineStatus], int]:
    """The number of lines of a run by country, medium and status. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT country, medium, status, count(*) AS count
        FROM dispatch_line
        WHERE account_id = :account_id AND dispatch_id = :dispatch
        GROUP BY country, medium, status
        ORDER BY country, medium, status
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )
    return {
        (row["country"], row["medium"], LineStatus(row["status"])): row["count"] for row in rows
    }


async def count_with(db: Connection, account_id: int, ids: Ids, status: LineStatus) -> int:
    """The number of lines of some runs with a status. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM dispatch_line
        WHERE account_id = :account_id AND dispatch_id IN (:ids...) AND status = :status
        """,
        {"account_id": account_id, "ids": list(ids), "status": status},
    )
    assert row is not None
    return int(row["count"])


async def list_left(
    db: Connection, account_id: int, dispatch_id: str, *, limit: int
) -> list[DispatchLine]:
    """The lines that left a run, in its order. Queries: one, 1 µs a line: read aside."""
    return await fetch_all(
        db,
        LINES + "AND dispatch_id = :dispatch AND status = 'left' ORDER BY id LIMIT :limit",
        {"account_id": account_id, "dispatch": dispatch_id, "limit": limit},
        into=DispatchLine,
    )
