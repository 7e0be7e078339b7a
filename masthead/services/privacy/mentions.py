"""Remove a subscriber from texts about others."""

from collections.abc import Collection, Iterable

import msgspec

from masthead.model.privacy.erasures import Record
from masthead.model.privacy.redaction import Mentions
from masthead.model.types.text import fold
from masthead.services.privacy.earlier_search import EarlierSearch, Wanted, list_changed
from masthead.store.engine.interface import Row, Transaction
from masthead.store.imports import said_digests
from masthead.store.privacy import mentions as store, records
from masthead.store.privacy.erase import update_row
from masthead.store.privacy.records import DataSubject
from masthead.store.privacy.retention import list_subscriptions_of


async def erase_mentions(
    tx: Transaction,
    account_id: int,
    subject: DataSubject,
    wanted: Wanted,
    earlier: EarlierSearch | None,
) -> set[str]:
    """Replace the terms in all texts; rows of imports about the names lose their cells.

    Their own orders lose them inside of words, too. Emails of other subscribers stay.
    earlier: a search for the same; otherwise all entries and events are searched now.
    Returns the ids of the subscriptions whose own texts or orders changed.
    Queries: one for each table, and one for each row that changes.
    """
    terms, names = wanted.terms, wanted.names
    others = await store.list_longer_emails(tx, account_id, subject)
    mentions, batches, touched = Mentions(terms, others), set[str](), set[str]()
    own = {row["id"] for row in await records.list_rows(tx, account_id, Record.ORDERS, subject)}
    periods = list[int]()
    for table, (keys, columns) in store.TEXTS.items():
        for row in await _list_texts(tx, account_id, table, wanted, earlier):
            is_own = table == "period" and row["id"] in own
            replace = mentions.replace_anywhere if is_own else mentions.replace
            new: dict[str, object] = {name: replace(row[name]) for name in columns}
            if table == "import_row" and _is_about(row, terms, names):
                new |= {"cells": None, "reasons": None}
                batches.add(row["batch_id"])
            changed = {name: value for name, value in new.items() if value != row[name]}
            if changed:
                key = {name: row[name] for name in keys}
                await update_row(tx, account_id, table, key, _unique(table, row, changed))
                if table == "subscription":
                    touched.add(row["id"])
                elif table == "period":
                    periods.append(row["id"])
    await _erase_examples(tx, account_id, batches)
    return touched | (await list_subscriptions_of(tx, account_id, periods)).keys()


async def erase_said(
    tx: Transaction, account_id: int, wanted: Wanted, earlier: EarlierSearch | None
) -> None:
    """Erase digests of their emails in rows of imports, also in those with orders of others.

    earlier: a search for the same; otherwise all rows are searched now. Queries: three.
    """
    same, changed = await list_changed(tx, account_id, earlier)
    rows = [key for key in earlier.said if key[0] in same] if earlier else []
    rows += await said_digests.list_rows(tx, account_id, wanted.said, batches=changed)
    await said_digests.erase_rows(tx, account_id, rows)


async def _list_texts(
    tx: Transaction, account_id: int, table: str, wanted: Wanted, earlier: EarlierSearch | None
) -> list[Row]:
    """The rows of a table that may mention the subscriber, as they are now."""
    if earlier and table in earlier.entries:
        found, last = earlier.entries[table], earlier.last[table]
        return await store.list_later_entries(
            tx, account_id, table, wanted.text_patterns, found=found, after=last
        )
    if table == "import_row":
        same, changed = await list_changed(tx, account_id, earlier)
        keys = [key for key in earlier.rows if key[0] in same] if earlier else []
        rows = await store.list_import_rows(tx, account_id, keys)
        return rows + await store.list_later_rows(
            tx, account_id, wanted.row_patterns, batches=changed
        )
    return await store.list_texts(tx, account_id, table, wanted.text_patterns)


async def _erase_examples(tx: Transaction, account_id: int, batches: Collection[str]) -> None:
    """Remove the values that imports show as examples of why rows were refused."""
    for id, text in (await store.list_reasons(tx, account_id, batches)).items():
        reasons = [{**each, "example": ""} for each in msgspec.json.decode(text)]
        new = {"reasons": msgspec.json.encode(reasons).decode()}
        await update_row(tx, account_id, "import_batch", {"id": id}, new)


def _unique(table: str, row: Row, changed: dict[str, object]) -> dict[str, object]:
    """The new values; an order id without its email address stays unique by its number."""
    if table == "period" and "order_id" in changed:
        return {**changed, "order_id": f"{changed['order_id']}-{row['id']}"}
    return changed


def _is_about(row: Row, terms: Iterable[str], names: Iterable[tuple[str, str]]) -> bool:
    """Whether the cells of a row are about the subscriber: their email, or first and last name."""
    text = fold_long(row["cells"] or "")
    return any(fold(term) in text for term in terms) or any(
        fold(first) in text and fold(last) in text for first, last in names
    )


def fold_long(text: str) -> str:
    """A text of any length for comparison, in pieces that `fold` takes."""
    size = 5_000
    return "".join(fold(text[start : start + size]) for start in range(0, len(text), size))
