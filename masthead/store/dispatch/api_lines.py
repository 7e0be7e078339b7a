"""The lines of a run, and the addresses of an issue, as the API returns them."""

from masthead.model.dispatch.address_layout import build_layout
from masthead.model.dispatch.line_resources import (
    DispatchRunLine,
    IssueAddress,
    address_resource,
    line_resource,
)
from masthead.model.dispatch.run_inputs import DispatchLineQuery, IssueAddressQuery
from masthead.model.errors import NotFound
from masthead.model.pagination import Page, PageRequest, page_of
from masthead.store.addresses.in_force import COLUMNS, COUNTRY, FORMS_OF_ADDRESS
from masthead.store.copies import IS_FREE
from masthead.store.dispatch import lines, runs
from masthead.store.dispatch.candidates import JOIN_CHANGE, MUST_WAIT
from masthead.store.engine.interface import Connection

# By the number of the issue and the status, as in the index `copy_by_issue`
_ADDRESSES = f"""
    SELECT
        c.id AS copy_id,
        c.subscription_id,
        c.subscriber_id,
        s.medium,
        {FORMS_OF_ADDRESS},
        {COLUMNS}
    FROM copy c
    JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
    JOIN subscriber u ON u.account_id = c.account_id AND u.id = s.subscriber_id
    {JOIN_CHANGE}
    WHERE c.account_id = :account_id
      AND c.issue_number = :issue_number
      AND {IS_FREE}
      AND c.id < :after
      AND s.medium <> 'Digital'
      AND (:all_countries OR {COUNTRY} = :country)
      AND (:all_media OR s.medium = :medium)
      AND NOT {MUST_WAIT}
    ORDER BY c.id DESC
    LIMIT :fetch
"""  # noqa: S608 - the condition is a constant


async def list_run_lines(
    db: Connection, account_id: int, id: str, query: DispatchLineQuery, page: PageRequest
) -> Page[DispatchRunLine]:
    """The lines of a run that match the filters, by id. Queries: two. Raises: NotFound."""
    run = await runs.get_dispatch(db, account_id, id)
    found = await lines.list_lines(
        db,
        account_id,
        id,
        after=int(page.after or 0),
        limit=page.fetch,
        country=query.country,
        medium=query.medium,
        status=query.status,
    )
    items = [line_resource(line, run, account_id) for line in found[: page.limit]]
    return page_of(items, [line.id for line in found], page)


async def list_issue_addresses(
    db: Connection, account_id: int, issue_id: str, query: IssueAddressQuery, page: PageRequest
) -> Page[IssueAddress]:
    """The addresses of an issue's printed copies that no run holds, newest copy first.

    Copies that are sent or cancelled, or whose address is on hold, are not in the list.
    Queries: two, read aside. Raises: NotFound.
    """
    issue = await db.fetch_one(
        """
        SELECT i.number, a.country AS home
        FROM issue i
        JOIN account a ON a.id = i.account_id
        WHERE i.account_id = :account_id AND i.id = :id
        """,
        {"account_id": account_id, "id": issue_id},
    )
    if issue is None:
        raise NotFound("issue", issue_id)
    rows = await db.fetch_all(
        _ADDRESSES,
        {
            "account_id": account_id,
            "issue_number": issue["number"],
            "after": page.after_number,
            "all_countries": query.country is None,
            "country": query.country or "",
            "all_media": query.medium is None,
            "medium": query.medium or "",
            "fetch": page.fetch,
        },
    )
    layout = build_layout({row["country"] for row in rows}, issue["home"])
    items = [address_resource(row, layout) for row in rows[: page.limit]]
    return page_of(items, [row["copy_id"] for row in rows], page)
