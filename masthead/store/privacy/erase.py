"""Replace what the records of a subscriber say about who that is."""

from collections.abc import Mapping, Sequence

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.privacy.columns import REPLACED
from masthead.model.privacy.redaction import redact_json
from masthead.store.engine.interface import Row, Transaction
from masthead.store.privacy.records import (
    OF_AUDIT,
    OF_EMAIL,
    OF_LETTER,
    OF_LINE,
    OWNED,
    DataSubject,
)
from masthead.store.update_statement import update_columns

_WITHOUT_ADDRESS = (
    '{"address1":null,"address2":null,"city":null,"state":null,"postcode":null,"country":"'
)


async def begin_overwriting(tx: Transaction) -> None:
    """Overwrite deleted content until `end_overwriting`; PostgreSQL cannot do that.

    The index of the search is written anew when the file is rewritten: its own option for this,
    `secure-delete` of FTS5, left deleted text in the index.
    """
    if tx.dialect == "sqlite":
        await tx.execute("PRAGMA secure_delete = ON", {})


async def end_overwriting(tx: Transaction) -> None:
    """Delete content as usual again."""
    if tx.dialect == "sqlite":
        await tx.execute("PRAGMA secure_delete = OFF", {})


async def replace_values(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Replace the values of all columns in `REPLACED`. Queries: one for each table."""
    for table, condition in OWNED.values():
        columns = REPLACED.get(table)
        if columns is None or ":gifts" in condition:
            continue
        where = f"account_id = :account_id AND {condition}"
        values = {**subject.parameters(account_id), **columns}
        await tx.execute(update_columns(table, columns, where), values)


async def mark_notes_deleted(
    tx: Transaction, account_id: int, subject: DataSubject, *, by: Actor
) -> None:
    """Store that the notes, whose texts are replaced, are deleted. Queries: one."""
    await tx.execute(
        """
        UPDATE subscriber_note
        SET deleted_at = :moment, deleted_by_kind = :kind, deleted_by_id = :actor
        WHERE account_id = :account_id
          AND subscriber_id IN (:subscribers...)
          AND deleted_at IS NULL
        """,
        {**subject.parameters(account_id), "moment": now(), "kind": by.kind, "actor": by.id},
    )


async def cancel_planned_addresses(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Cancel planned changes of the addresses. Queries: one."""
    await tx.execute(
        """
        UPDATE address_change
        SET status = 'cancelled', ended_at = :moment
        WHERE account_id = :account_id
          AND subscriber_id IN (:subscribers...)
          AND (status = 'planned') IS TRUE
        """,
        {**subject.parameters(account_id), "moment": now()},
    )


async def erase_reports(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Remove the addresses and reasons of delivery reports, and close them. Queries: two."""
    values = {**subject.parameters(account_id), "moment": now()}
    await tx.execute(
        """
        UPDATE delivery_report
        SET status = 'dismissed', resolved_at = :moment
        WHERE account_id = :account_id
          AND subscription_id IN (:subscriptions...)
          AND (status = 'open') IS TRUE
        """,
        values,
    )
    country = """(
        SELECT s.country
        FROM subscription s
        WHERE s.account_id = :account_id AND s.id = delivery_report.subscription_id
    )"""
    await tx.execute(
        f"""
        UPDATE delivery_report
        SET
            reason = NULL,
            old_address = :before || {country} || '"}}',
            new_address = CASE
                WHEN new_address IS NULL THEN NULL
                ELSE :before || {country} || '"}}'
            END
        WHERE account_id = :account_id AND subscription_id IN (:subscriptions...)
        """,  # noqa: S608 - the statement above
        {**subject.parameters(account_id), "before": _WITHOUT_ADDRESS},
    )


async def erase_letters(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Remove the texts and addresses of letters; those that wait are skipped. Queries: two."""
    values = {**subject.parameters(account_id), "moment": now()}
    await tx.execute(
        f"""
        UPDATE renewal_letter
        SET status = 'skipped', reason = 'no_address', ended_at = :moment
        WHERE account_id = :account_id
          AND {OF_LETTER}
          AND status IN ('queued', 'to_print', 'failed')
        """,  # noqa: S608 - a constant
        values,
    )
    await tx.execute(
        f"""
        UPDATE renewal_letter
        SET
            subject = CASE WHEN subject IS NULL THEN NULL ELSE '' END,
            body = CASE WHEN body IS NULL THEN NULL ELSE '' END,
            address = CASE WHEN address IS NULL THEN NULL ELSE '' END
        WHERE account_id = :account_id AND {OF_LETTER}
        """,  # noqa: S608 - a constant
        values,
    )


async def erase_emails(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Remove the texts and recipients of emails; those that wait are cancelled. Queries: two."""
    values = subject.parameters(account_id)
    await tx.execute(
        f"""
        UPDATE outbox
        SET status = 'cancelled'
        WHERE account_id = :account_id
          AND {OF_EMAIL}
          AND status IN ('waiting', 'sending', 'failed')
        """,  # noqa: S608 - a constant
        values,
    )
    await tx.execute(
        f"""
        UPDATE outbox
        SET
            recipient = '',
            subject = '',
            body = '',
            last_error = NULL,
            unsubscribe_url = NULL,
            link_digest = NULL
        WHERE account_id = :account_id AND {OF_EMAIL}
        """,  # noqa: S608 - a constant
        values,
    )


async def erase_givers(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Remove the name and email of the giver from gifts that they gave, and of unknown givers
    from their own subscriptions. Queries: two.
    """
    values = subject.parameters(account_id)
    await tx.execute(
        """
        UPDATE subscription
        SET gifter_name = NULL, gifter_email = NULL
        WHERE account_id = :account_id AND id IN (:gifts...)
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE subscription
        SET gifter_name = NULL, gifter_email = NULL
        WHERE account_id = :account_id AND id IN (:subscriptions...) AND gifter_id IS NULL
        """,
        values,
    )


async def erase_audit(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Remove names, addresses and texts from the entries about them. Queries: two."""
    rows = await tx.fetch_all(
        f"""
        SELECT id, before, after
        FROM audit
        WHERE account_id = :account_id AND {OF_AUDIT}
        """,  # noqa: S608 - a constant
        subject.parameters(account_id),
    )
    redacted = [
        {**row, "before": redact_json(row["before"]), "after": redact_json(row["after"])}
        for row in rows
    ]
    changed = [new for row, new in zip(rows, redacted, strict=True) if new != dict(row)]
    await update_audit(tx, account_id, changed)


async def update_audit(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Replace `before` and `after` of entries; only an erasure changes entries. Queries: one."""
    await tx.execute_many(
        """
        UPDATE audit
        SET before = :before, after = :after
        WHERE account_id = :account_id AND id = :id
        """,
        [{**row, "account_id": account_id} for row in rows],
    )


async def delete_documents(tx: Transaction, account_id: int, ids: Sequence[str]) -> None:
    """Delete the stored JSON of subscriptions; it is made again. Queries: one."""
    await tx.execute(
        """
        DELETE FROM subscription_document
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )


async def mark_runs(tx: Transaction, account_id: int, subject: DataSubject, *, mark: str) -> None:
    """Store a mark as the fingerprint of runs whose lines have changed. Queries: one."""
    await tx.execute(
        f"""
        UPDATE dispatch
        SET fingerprint = :mark
        WHERE account_id = :account_id
          AND id IN (
              SELECT dispatch_id
              FROM dispatch_line
              WHERE account_id = :account_id AND {OF_LINE}
          )
        """,  # noqa: S608 - a constant
        {**subject.parameters(account_id), "mark": mark},
    )


async def withdraw_files(
    tx: Transaction, account_id: int, ids: Sequence[str], *, error: str
) -> None:
    """Delete the content of files of runs; they can be made again. Queries: two."""
    values = {"account_id": account_id, "ids": list(ids), "error": error}
    await tx.execute(
        """
        DELETE FROM dispatch_file_part
        WHERE account_id = :account_id
          AND file_id IN (
              SELECT f.id
              FROM dispatch_file f
              WHERE f.account_id = :account_id
                AND f.id IN (:ids...)
                AND f.status <> 'building'
          )
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE dispatch_file
        SET
            status = 'failed',
            error = :error,
            sha256 = NULL,
            totals = NULL,
            bytes = 0,
            progress = 0,
            ready_at = NULL
        WHERE account_id = :account_id AND id IN (:ids...) AND status = 'ready'
        """,
        values,
    )


async def update_row(
    tx: Transaction, account_id: int, table: str, keys: Mapping[str, object], columns: Row
) -> None:
    """Set columns of one row. keys: the columns of its key with their values. Queries: one."""
    where = " AND ".join(["account_id = :account_id", *(f"{key} = :key_{key}" for key in keys)])
    values = {f"key_{key}": value for key, value in keys.items()}
    await tx.execute(
        update_columns(table, columns, where), {**columns, **values, "account_id": account_id}
    )
