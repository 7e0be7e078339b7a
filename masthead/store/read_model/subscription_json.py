"""The read model of subscriptions: their JSON, stored ready to serve.

The stored JSON shows every write of its account up to its revision. A write that changes what a
subscription shows adds a row to `subscription_change`, with its own revision and in its own
transaction. While such a row is newer than the JSON, the JSON is outdated, and readers render the
subscription from its tables. The background worker renders it, stores it, and deletes the rows of
the changes that it then shows. decision 0017.

JSON that an older masthead stored lacks fields, and counts as outdated too: that masthead leaves
`format_revision` as it is, so that it differs from `revision`. decision 0064.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cache

import msgspec

from masthead.model.pagination import JsonRows
from masthead.store.engine.interface import Connection, Ids, Parameters, Reader, Transaction
from masthead.store.moments import find_moments
from masthead.store.read_model.subscription_query import find_subscriptions

_encoder = msgspec.json.Encoder()

_PAGE_OF_ID = "(SELECT id FROM subscription WHERE account_id = :account_id AND id = :id)"
# The first order, and the orders from before masthead stored their sources, have that of the row
_OF_SOURCE = """s.id IN (
    SELECT id
    FROM subscription
    WHERE account_id = :account_id AND source_id = :source
    UNION
    SELECT subscription_id
    FROM period
    WHERE account_id = :account_id AND source_id = :source
)"""
_PAGE_OF_IDS = "(SELECT id FROM subscription WHERE account_id = :account_id AND id IN (:ids...))"


class SubscriptionsJson(JsonRows, frozen=True):
    """Subscriptions as JSON, by their ids."""

    def in_order(self, *, is_ascending: bool = False) -> "SubscriptionsJson":
        """The same, newest or oldest first. It copies no JSON that is in that order already."""
        keys = sorted(self.keys, reverse=not is_ascending)
        if self.keys == keys:
            return self
        by_id = self.by_key()
        return SubscriptionsJson.of({id: by_id[id] for id in keys})

    @classmethod
    def of(cls, by_id: Mapping[str, bytes]) -> "SubscriptionsJson":
        """The subscriptions in the order of the mapping."""
        return cls(list(by_id), b"\n".join(by_id.values()))


# --- Reading -------------------------------------------------------------------------------------


async def fetch_json(
    db: Reader, account_id: int, page: str, parameters: Parameters
) -> SubscriptionsJson:
    """The subscriptions of a page, newest first.

    page: their ids, as a table to select from; see `PaginatedList.page`.
    Queries: one if all are up to date, otherwise also those of `read_json`.
    """
    found, is_complete = await _find(db, account_id, page, parameters)
    if is_complete:
        return found
    async with db.read() as snapshot:
        return await read_json(snapshot, account_id, page, parameters)


async def fetch_json_by_id(db: Reader, account_id: int, id: str) -> SubscriptionsJson:
    """A subscription, or an empty page. Queries: as `fetch_json`."""
    return await fetch_json(db, account_id, _PAGE_OF_ID, {"id": id})


async def read_json(
    db: Connection, account_id: int, page: str, parameters: Parameters
) -> SubscriptionsJson:
    """A page of subscriptions from one snapshot. Queries: one, up to four if any are rendered."""
    found, is_complete = await _find(db, account_id, page, parameters)
    if is_complete:
        return found
    by_id = found.by_key()
    missing = [id for id, json in by_id.items() if not json]
    return SubscriptionsJson.of(by_id | await render_json(db, account_id, missing))


async def read_json_by_ids(db: Connection, account_id: int, ids: Ids) -> SubscriptionsJson:
    """The subscriptions with these ids, newest first, from one snapshot."""
    return await read_json(db, account_id, _PAGE_OF_IDS, {"ids": ids})


async def find_current_json(db: Connection, account_id: int, ids: Ids) -> dict[str, bytes]:
    """The stored JSON that is up to date, by id. Queries: one."""
    found, _ = await _find(db, account_id, _PAGE_OF_IDS, {"ids": ids})
    return {id: json for id, json in found.by_key().items() if json}


async def _find(
    db: Connection, account_id: int, page: str, parameters: Parameters
) -> tuple[SubscriptionsJson, bool]:
    """The stored JSON, empty where it is outdated or missing; and whether none of it is."""
    row = await db.fetch_one(_stored_json(page), {**parameters, "account_id": account_id})
    if row is None or row["ids"] is None:
        return SubscriptionsJson([], b""), True
    found = SubscriptionsJson(row["ids"].split("\n"), row["lines"])
    return found.in_order(), row["missing"] == 0


@cache
def _stored_json(page: str) -> str:
    """Selects the stored JSON of a page, as one row: between two rows, other threads may run.

    No id contains a line break, and JSON escapes them. An account seldom has changes: the first
    condition, which is evaluated once, spares the second one.
    """
    return f"""
        SELECT
            group_concat(id, '\n') AS ids,
            CAST(group_concat(coalesce(document, ''), '\n') AS blob) AS lines,
            count(*) - count(document) AS missing
        FROM (
            SELECT page.id, d.document
            FROM {page} AS page
            LEFT JOIN subscription_document d
                ON d.account_id = :account_id
                AND d.id = page.id
                AND d.format_revision = d.revision
                AND (
                    NOT EXISTS (SELECT 1 FROM subscription_change WHERE account_id = :account_id)
                    OR NOT EXISTS (
                        SELECT 1
                        FROM subscription_change c
                        WHERE c.account_id = :account_id
                          AND c.id = d.id
                          AND c.revision > d.revision
                    )
                )
        ) AS stored
        """  # noqa: S608 - the page is one of the constants above, or of `PaginatedList.page`


# --- Marking as outdated -------------------------------------------------------------------------


async def mark_outdated(tx: Transaction, account_id: int, ids: Ids) -> None:
    """Mark subscriptions as changed by this write. Queries: one, or none."""
    if ids:
        await _mark(tx, account_id, "s.id IN (:ids...)", {"ids": ids})


async def mark_new(
    tx: Transaction, account_id: int, ids: Collection[str], *, revision: int, moment: datetime
) -> None:
    """Mark subscriptions that this write creates, which it marked in no other way. Queries: one.

    revision, moment: of this write. Many cost a quarter of what `mark_outdated` does.
    """
    common = {"account_id": account_id, "revision": revision, "changed_at": moment}
    await tx.insert_rows("subscription_change", [{**common, "id": id} for id in ids])


async def mark_all_outdated(tx: Transaction, account_id: int) -> None:
    """Let the JSON of all subscriptions be rendered. Queries: one."""
    await _mark(tx, account_id, "true", {})


async def mark_outdated_by_source(tx: Transaction, account_id: int, source_id: str) -> None:
    """Mark all subscriptions with orders of a source; reads all periods of the account."""
    await _mark(tx, account_id, _OF_SOURCE, {"source": source_id})


async def mark_outdated_by_product(tx: Transaction, account_id: int, product_id: str) -> None:
    """Mark all subscriptions of a product; reads all subscriptions of the account."""
    await _mark(tx, account_id, "s.product_id = :product", {"product": product_id})


async def mark_outdated_by_start(tx: Transaction, account_id: int, number: int) -> None:
    """Mark all subscriptions that start with an issue. Index: subscription_by_start."""
    await _mark(tx, account_id, "s.start_issue = :number", {"number": number})


async def mark_outdated_by_charge(tx: Transaction, account_id: int, number: int) -> None:
    """Mark all subscriptions that are charged again with an issue. Index: subscription_by_last."""
    await _mark(tx, account_id, "s.last_issue = :last AND s.is_recurring", {"last": number - 1})


async def _mark(tx: Transaction, account_id: int, condition: str, parameters: Parameters) -> None:
    await tx.execute(
        f"""
        INSERT INTO subscription_change (account_id, id, revision, changed_at)
        SELECT s.account_id, s.id, a.writes, a.changed_at
        FROM account_state a
        JOIN subscription s ON s.account_id = a.account_id
        WHERE a.account_id = :account_id AND {condition}
        ON CONFLICT (account_id, id, revision) DO NOTHING
        """,  # noqa: S608 - the condition is one of those above
        {**parameters, "account_id": account_id},
    )


# --- Refreshing ----------------------------------------------------------------------------------


async def list_outdated_accounts(db: Connection) -> list[int]:
    """The accounts with outdated subscriptions. Citus could not ask `account` in this way.

    `id > ''` keeps SQLite from reading all of an account by another index than that of old JSON.
    """
    rows = await db.fetch_all(
        """
        SELECT s.account_id
        FROM account_state s
        WHERE EXISTS (SELECT 1 FROM subscription_change c WHERE c.account_id = s.account_id)
           OR EXISTS (
               SELECT 1
               FROM subscription_document d
               WHERE d.account_id = s.account_id
                 AND d.id > ''
                 AND d.format_revision IS DISTINCT FROM d.revision
           )
        ORDER BY s.account_id
        """,
        {},
    )
    return [row["account_id"] for row in rows]


async def list_outdated(db: Connection, account_id: int, *, after: str, limit: int) -> list[str]:
    """Outdated subscriptions, newest first. after: the last id of the page before."""
    rows = await db.fetch_all(
        """
        SELECT id
        FROM subscription_change
        WHERE account_id = :account_id AND id < :after
        UNION
        SELECT id
        FROM subscription_document
        WHERE account_id = :account_id AND id < :after AND format_revision IS DISTINCT FROM revision
        ORDER BY id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "after": after, "limit": limit},
    )
    return [row["id"] for row in rows]


async def render_json(db: Connection, account_id: int, ids: Collection[str]) -> dict[str, bytes]:
    """The JSON of subscriptions, made from their tables, by id. Queries: two or three."""
    found = await find_subscriptions(db, account_id, ids)
    return {id: _encoder.encode(each) for id, each in found.items()}


async def write_json(
    tx: Transaction, account_id: int, by_id: Mapping[str, bytes], *, revision: int
) -> None:
    """Store JSON, unless newer JSON is stored, and delete the changes that it shows.

    It replaces JSON of the same revision only if an older masthead stored that.

    revision: of the account's last write in the snapshot that the JSON was rendered from.
    """
    common = {"account_id": account_id, "revision": revision}
    moments = await find_moments(tx, account_id, list(by_id), revision)
    await tx.execute_many(
        """
        INSERT INTO subscription_document
            (account_id, id, revision, format_revision, document, changed_at)
        VALUES (:account_id, :id, :revision, :revision, :document, :changed_at)
        ON CONFLICT (account_id, id) DO UPDATE
        SET
            revision = excluded.revision,
            format_revision = excluded.format_revision,
            document = excluded.document,
            changed_at = excluded.changed_at
        WHERE subscription_document.revision < excluded.revision
           OR (
               subscription_document.revision = excluded.revision
               AND subscription_document.format_revision
                   IS DISTINCT FROM subscription_document.revision
           )
        """,
        [
            {**common, "id": id, "document": json, "changed_at": moments[id]}
            for id, json in by_id.items()
        ],
    )
    await tx.execute(
        """
        DELETE FROM subscription_change
        WHERE account_id = :account_id AND id IN (:ids...) AND revision <= :revision
        """,
        {**common, "ids": list(by_id)},
    )
