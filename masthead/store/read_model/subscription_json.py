"""The ready documents of subscriptions: fetched, noted as outdated by writes, and made anew.

A document shows every write of its account up to its revision. A write that changes what a
subscription shows notes so in `subscription_change`, under its own number and in its transaction;
while a change stands there that is later than the document, the document is stale, and readers
render the subscription from its tables. The background task makes it anew and strikes the changes
out that it then shows. decision 0017.
"""

from collections.abc import Collection, Mapping

import msgspec
from msgspec import Struct

from masthead.store.engine.interface import Connection, Database, Ids, Parameters, Transaction
from masthead.store.read_model.subscription_query import find_subscriptions

_encoder = msgspec.json.Encoder()

# The documents of a page, empty where one is stale or missing. As one row, since other threads of
# the process may come in between a row and the next; with line breaks between, which stand in no
# id, nor in JSON, where they are escaped. As bytes, which need not be decoded.
_READY = (
    "SELECT group_concat(id, '\n') AS ids, count(*) - count(document) AS stale,"
    " CAST(group_concat(coalesce(document, ''), '\n') AS blob) AS documents"
    " FROM (SELECT page.id, d.document FROM {page} AS page"
    " LEFT JOIN subscription_document d ON d.account_id = :account_id AND d.id = page.id"
    " AND NOT EXISTS (SELECT 1 FROM subscription_change c WHERE c.account_id = d.account_id"
    " AND c.id = d.id AND c.revision > d.revision)) AS ready"
)
# A page of the subscriptions that are named by `ids`
NAMED = "(SELECT id FROM subscription WHERE account_id = :account_id AND id IN (:ids...))"

_OUTDATE = (
    "INSERT INTO subscription_change (account_id, id, revision)"
    " SELECT s.account_id, s.id, a.writes FROM account_state a"
    " JOIN subscription s ON s.account_id = a.account_id WHERE a.account_id = :account_id"
)
_ONCE = " ON CONFLICT (account_id, id, revision) DO NOTHING"


class Ready(Struct, frozen=True):
    """Subscriptions in an order. documents: the JSON of each, in that order, a line each."""

    ids: list[str]
    documents: bytes

    def by_id(self) -> dict[str, bytes]:
        """The document of each."""
        documents = self.documents.split(b"\n") if self.ids else []
        return dict(zip(self.ids, documents, strict=True))

    def in_order(self) -> "Ready":
        """The same, newest first: here, where it moves no documents if they are so already."""
        if self.ids == sorted(self.ids, reverse=True):
            return self
        return Ready.of(dict(sorted(self.by_id().items(), reverse=True)))

    @classmethod
    def of(cls, documents: Mapping[str, bytes]) -> "Ready":
        """Subscriptions in the order in which they stand."""
        return cls(list(documents), b"\n".join(documents.values()))


async def fetch_documents(
    db: Database, account_id: int, page: str, parameters: Parameters
) -> Ready:
    """The subscriptions of a page, newest first.

    page: their ids, as a table to select from. Queries: one if all are ready;
    otherwise that of `read_documents` besides.
    """
    ready, is_stale = await _find(db, account_id, page, parameters)
    if not is_stale:
        return ready
    async with db.read() as snapshot:
        return await read_documents(snapshot, account_id, page, parameters)


async def read_documents(
    db: Connection, account_id: int, page: str, parameters: Parameters
) -> Ready:
    """The same from one snapshot. Queries: one, and two or three if any are to be rendered."""
    ready, is_stale = await _find(db, account_id, page, parameters)
    if not is_stale:
        return ready
    found = ready.by_id()
    stale = [id for id, document in found.items() if not document]
    found |= await render_documents(db, account_id, stale)
    return Ready.of(found)


async def _find(
    db: Connection, account_id: int, page: str, parameters: Parameters
) -> tuple[Ready, bool]:
    """The documents, empty where one is stale or missing; and whether any is."""
    sql = _READY.replace("{page}", page)
    row = await db.fetch_one(sql, {**parameters, "account_id": account_id})
    if row is None or row["ids"] is None:
        return Ready([], b""), False
    ready = Ready(row["ids"].split("\n"), row["documents"])
    return ready.in_order(), row["stale"] > 0


async def find_ready(db: Connection, account_id: int, ids: Ids) -> dict[str, bytes]:
    """Those documents of subscriptions that are ready, by id. Queries: one."""
    ready, _ = await _find(db, account_id, NAMED, {"ids": ids})
    return {id: document for id, document in ready.by_id().items() if document}


async def outdate(tx: Transaction, account_id: int, ids: Ids) -> None:
    """Note that subscriptions show something else from this write on. Queries: one, or none."""
    if ids:
        await tx.execute(
            _OUTDATE + " AND s.id IN (:ids...)" + _ONCE, {"account_id": account_id, "ids": ids}
        )


async def outdate_by_source(tx: Transaction, account_id: int, source_id: str) -> None:
    """Note so of all subscriptions of a source. Index: subscription_by_source."""
    await tx.execute(
        _OUTDATE + " AND s.source_id = :source" + _ONCE,
        {"account_id": account_id, "source": source_id},
    )


async def outdate_by_product(tx: Transaction, account_id: int, product_id: str) -> None:
    """Note so of all subscriptions of a product; walks those of the account."""
    await tx.execute(
        _OUTDATE + " AND s.product_id = :product" + _ONCE,
        {"account_id": account_id, "product": product_id},
    )


async def outdate_by_start(tx: Transaction, account_id: int, number: int) -> None:
    """Note so of all subscriptions that start with an issue. Index: subscription_by_start."""
    await tx.execute(
        _OUTDATE + " AND s.start_issue = :number" + _ONCE,
        {"account_id": account_id, "number": number},
    )


async def outdate_by_charge(tx: Transaction, account_id: int, number: int) -> None:
    """Note so of all that are charged again with an issue. Index: subscription_by_last."""
    await tx.execute(
        _OUTDATE + " AND s.last_issue = :last AND s.is_recurring" + _ONCE,
        {"account_id": account_id, "last": number - 1},
    )


async def list_behind(db: Connection) -> list[int]:
    """The accounts that have subscriptions to be rendered anew."""
    rows = await db.fetch_all(
        "SELECT a.id FROM account a WHERE EXISTS"
        " (SELECT 1 FROM subscription_change c WHERE c.account_id = a.id) ORDER BY a.id",
        {},
    )
    return [row["id"] for row in rows]


async def list_outdated(db: Connection, account_id: int, *, before: str, limit: int) -> list[str]:
    """The subscriptions to be rendered anew, newest first. before: only smaller ids."""
    rows = await db.fetch_all(
        "SELECT DISTINCT id FROM subscription_change"
        " WHERE account_id = :account_id AND id < :before ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "before": before, "limit": limit},
    )
    return [row["id"] for row in rows]


async def render_documents(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, bytes]:
    """The documents of subscriptions as the tables have them, by id. Queries: two or three."""
    found = await find_subscriptions(db, account_id, ids)
    return {id: _encoder.encode(each) for id, each in found.items()}


async def write_documents(
    tx: Transaction, account_id: int, texts: Mapping[str, bytes], *, revision: int
) -> None:
    """Keep documents, unless newer ones are there, and strike out the changes that they show.

    revision: the last write of the account in the snapshot that they were rendered from.
    """
    common = {"account_id": account_id, "revision": revision}
    await tx.execute_many(
        "INSERT INTO subscription_document (account_id, id, revision, document)"
        " VALUES (:account_id, :id, :revision, :document)"
        " ON CONFLICT (account_id, id) DO UPDATE"
        " SET revision = excluded.revision, document = excluded.document"
        " WHERE subscription_document.revision < excluded.revision",
        [{**common, "id": id, "document": text} for id, text in texts.items()],
    )
    await tx.execute(
        "DELETE FROM subscription_change"
        " WHERE account_id = :account_id AND id IN (:ids...) AND revision <= :revision",
        {**common, "ids": list(texts)},
    )
