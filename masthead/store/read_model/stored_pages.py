"""Pages of all subscriptions, read from their stored JSON alone."""

from functools import cache

from masthead.model.pagination import PageRequest
from masthead.store.engine.interface import Connection
from masthead.store.pagination import PaginatedList
from masthead.store.read_model.subscription_json import SubscriptionsJson

STORED = PaginatedList(table="subscription_document", alias="d")


async def fetch_stored_page(
    db: Connection, account_id: int, page: PageRequest
) -> SubscriptionsJson | None:
    """A page of all subscriptions, in its order, if no JSON of the account is outdated.

    None otherwise, and for a page without subscriptions. Queries: one. Index: the primary key.
    """
    table, parameters = STORED.page(
        {},
        after=page.after_id,
        fetch=page.fetch,
        columns="d.id, d.document",
        is_ascending=page.is_ascending,
    )
    row = await db.fetch_one(_stored_json(table), {**parameters, "account_id": account_id})
    if row is None or row["ids"] is None:
        return None
    found = SubscriptionsJson(row["ids"].split("\n"), row["lines"])
    return found.in_order(is_ascending=page.is_ascending)


@cache
def _stored_json(page: str) -> str:
    """Selects a page of stored JSON as one row, empty if any JSON of the account is outdated.

    A subscription without stored JSON counts as outdated, so the page leaves none out.
    `id > ''` keeps SQLite from reading all of an account by another index than that of old JSON.
    """
    return f"""
        SELECT
            group_concat(id, '\n') AS ids,
            CAST(group_concat(document, '\n') AS blob) AS lines
        FROM {page} AS page
        WHERE NOT EXISTS (SELECT 1 FROM subscription_change WHERE account_id = :account_id)
          AND NOT EXISTS (
              SELECT 1
              FROM subscription_document
              WHERE account_id = :account_id
                AND id > ''
                AND format_revision IS DISTINCT FROM revision
          )
        """  # noqa: S608 - the page is of `PaginatedList.page`
