"""Texts about others that may mention a subscriber."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from masthead.model.privacy.redaction import escape_like
from masthead.store.engine.interface import Connection, Row
from masthead.store.privacy.records import DataSubject

TOGETHER = 50  # patterns of a query; SQLite takes at most 1,000 conditions

# The columns whose texts may mention anybody, with the keys of their tables
TEXTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "audit": (("id",), ("before", "after")),
    "event": (("number",), ("data",)),
    "outbox": (("id",), ("subject", "body", "last_error")),
    "renewal_letter": (("id",), ("subject", "body", "address")),
    "reminder": (("id",), ("subject", "body", "address")),
    "reminder_term": (("invoice_id",), ("reason",)),
    "subscription_hold": (("id",), ("reason",)),
    "subscriber": (("id",), ("bounce_reason",)),
    "subscriber_note": (("id",), ("text",)),
    "subscriber_request": (("id",), ("notes",)),
    "subscription": (("id",), ("notes", "gifter_name")),
    "claim": (("id",), ("notes",)),
    "cancellation": (("id",), ("notes",)),
    "refund": (("id",), ("reason",)),
    "delivery_report": (("id",), ("reason",)),
    "period": (("id",), ("order_id", "promo_code", "transaction_id")),
    "import_batch": (
        ("id",),
        ("name", "options", "decisions", "layout", "counts", "reasons", "error"),
    ),
    "import_row": (("batch_id", "line", "part"), ("order_id", "made", "reasons", "cells")),
    "import_mapping": (("name",), ("mapping",)),
    "carrier_file": (("id",), ("name", "summary")),
    "bank_statement": (("id",), ("name",)),
    "billed_order": (("period_id",), ("order_reference",)),
    "mandate": (("id",), ("revoke_reason",)),
    "payer": (("subscriber_id",), ("reminders_stop_reason",)),
    "payment": (("id",), ("reference",)),
    "settlement": (("id",), ("reason",)),
    "bank_line": (("id",), ("name", "ultimate_name", "reference", "text", "reason")),
    "submission": (("digest",), ("result",)),
}


_COUNTERS = "status, started_at, finished_at, undone_at, counts"  # change with the rows


async def list_texts(
    db: Connection, account_id: int, table: str, patterns: Sequence[str]
) -> list[Row]:
    """The keys and texts of the rows in which a pattern occurs. Queries: one for 50 patterns.

    patterns: for LIKE, in lower case. Reads the whole table of the account.
    """
    return await _search(db, account_id, table, patterns, "", {})


async def list_later_entries(
    db: Connection,
    account_id: int,
    table: str,
    patterns: Sequence[str],
    *,
    found: Collection[int],
    after: int,
) -> list[Row]:
    """The same for the audit trail or the events, of those that were found, and all after one.

    Index: their key. Queries: two for 50 patterns.
    """
    (key,), _columns = TEXTS[table]
    again = f"AND {key} IN (:found... AS bigint)"
    rows = await _search(db, account_id, table, patterns, again, {"found": sorted(found)})
    later = await _search(db, account_id, table, patterns, f"AND {key} > :after", {"after": after})
    return rows + later


async def list_later_rows(
    db: Connection, account_id: int, patterns: Sequence[str], *, batches: Collection[str]
) -> list[Row]:
    """The same for the rows of some imports. Index: its key."""
    values = {"batches": sorted(batches)}
    return await _search(
        db, account_id, "import_row", patterns, "AND batch_id IN (:batches...)", values
    )


async def _search(
    db: Connection,
    account_id: int,
    table: str,
    patterns: Sequence[str],
    condition: str,
    values: Mapping[str, object],
) -> list[Row]:
    keys, columns = TEXTS[table]
    sql = f"""
        SELECT {", ".join((*keys, *columns))}
        FROM {table}
        WHERE account_id = :account_id {condition}
    """  # noqa: S608 - the constants above
    rows = await list_with_pattern(db, account_id, sql, columns, patterns, values)
    return list({tuple(row[key] for key in keys): row for row in rows}.values())


async def list_with_pattern(
    db: Connection,
    account_id: int,
    sql: str,
    columns: Sequence[str],
    patterns: Sequence[str],
    values: Mapping[str, object],
    *,
    end: str = "",
) -> list[Row]:
    """The rows of a query of which a column has a pattern. Queries: one for 50 patterns.

    sql: with a condition, which is narrowed. A row that has patterns of two queries is there twice.
    end: what follows the condition.
    """
    found: list[Row] = []
    # LIKE of SQLite ignores case where its lower() changes it: of ASCII
    texts = columns if db.dialect == "sqlite" else [f"lower({column})" for column in columns]
    for start in range(0, len(patterns), TOGETHER):
        some = patterns[start : start + TOGETHER]
        tests = " OR ".join(
            f"{text} LIKE :pattern{n} ESCAPE '\\'" for text in texts for n in range(len(some))
        )
        found += await db.fetch_all(
            f"{sql} AND ({tests}) {end}",
            {
                "account_id": account_id,
                **values,
                **{f"pattern{n}": pattern for n, pattern in enumerate(some)},
            },
        )
    return found


async def list_import_rows(
    db: Connection, account_id: int, keys: Iterable[tuple[str, int, int]]
) -> list[Row]:
    """The keys and texts of rows of imports. Queries: one for each import. Index: its key."""
    lines: dict[str, set[int]] = {}
    wanted = set(keys)
    for batch, line, _part in wanted:
        lines.setdefault(batch, set()).add(line)
    found: list[Row] = []
    for batch, numbers in lines.items():
        rows = await db.fetch_all(
            """
            SELECT batch_id, line, part, order_id, made, reasons, cells
            FROM import_row
            WHERE account_id = :account_id AND batch_id = :batch AND line IN (:lines... AS bigint)
            """,
            {"account_id": account_id, "batch": batch, "lines": sorted(numbers)},
        )
        found += [row for row in rows if (batch, row["line"], row["part"]) in wanted]
    return found


async def list_batch_states(db: Connection, account_id: int) -> dict[str, str]:
    """The state that changes with the rows of each import, by its id. Queries: one."""
    rows = await db.fetch_all(
        f"SELECT id, {_COUNTERS} FROM import_batch WHERE account_id = :account_id",  # noqa: S608 - a constant
        {"account_id": account_id},
    )
    return {row["id"]: msgspec.json.encode(list(row.values())).decode() for row in rows}


async def list_longer_emails(db: Connection, account_id: int, subject: DataSubject) -> list[str]:
    """The emails of other subscribers that end like one of theirs. Queries: one for 50 emails."""
    found = set[str]()
    for start in range(0, len(subject.emails), TOGETHER):
        emails = subject.emails[start : start + TOGETHER]
        tests = " OR ".join(f"email_key LIKE :email{n} ESCAPE '\\'" for n in range(len(emails)))
        rows = await db.fetch_all(
            f"""
            SELECT email
            FROM subscriber
            WHERE account_id = :account_id AND id NOT IN (:subscribers...) AND ({tests})
            """,  # noqa: S608 - the constants above
            {
                **subject.parameters(account_id),
                **{f"email{n}": f"%{escape_like(email)}" for n, email in enumerate(emails)},
            },
        )
        found |= {row["email"] for row in rows}
    return sorted(found)


async def list_reasons(db: Connection, account_id: int, batches: Collection[str]) -> dict[str, str]:
    """The reasons of imports as JSON, by id. Queries: one."""
    rows = await db.fetch_all(
        "SELECT id, reasons FROM import_batch WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": sorted(batches)},
    )
    return {row["id"]: row["reasons"] for row in rows}
