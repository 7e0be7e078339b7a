"""The rules of retention, and what they delete."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.privacy.retention import RetentionKind, RetentionRule
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.privacy.uploaded_files import delete_parts, fail_batches


async def list_rules(db: Connection, account_id: int) -> dict[RetentionKind, RetentionRule]:
    """The rules of an account that were saved, by kind. Queries: one."""
    rows = await db.fetch_all(
        "SELECT kind, months, is_automatic FROM retention_rule WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    return {
        RetentionKind(row["kind"]): RetentionRule(**{**row, "kind": RetentionKind(row["kind"])})
        for row in rows
    }


async def upsert_rule(tx: Transaction, account_id: int, rule: RetentionRule) -> None:
    """Store a rule. Queries: one."""
    await tx.execute(
        """
        INSERT INTO retention_rule (account_id, kind, months, is_automatic, position, updated_at)
        VALUES (:account_id, :kind, :months, :is_automatic, 0, :moment)
        ON CONFLICT (account_id, kind) DO UPDATE
        SET
            months = excluded.months,
            is_automatic = excluded.is_automatic,
            updated_at = excluded.updated_at
        """,
        {
            "account_id": account_id,
            "kind": rule.kind.value,
            "months": rule.months,
            "is_automatic": rule.is_automatic,
            "moment": now(),
        },
    )


async def get_position(db: Connection, account_id: int, kind: RetentionKind) -> int:
    """The id of the last record that a rule was applied to; 0 at first. Queries: one."""
    row = await db.fetch_one(
        "SELECT position FROM retention_rule WHERE account_id = :account_id AND kind = :kind",
        {"account_id": account_id, "kind": kind.value},
    )
    return row["position"] if row else 0


async def update_position(
    tx: Transaction, account_id: int, kind: RetentionKind, position: int
) -> None:
    """Store how far a rule was applied. Queries: one."""
    await tx.execute(
        """
        UPDATE retention_rule
        SET position = :position
        WHERE account_id = :account_id AND kind = :kind
        """,
        {"account_id": account_id, "kind": kind.value, "position": position},
    )


async def list_automatic(db: Connection) -> list[int]:
    """The ids of the accounts with a rule that is switched on, without sandboxes. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT DISTINCT r.account_id AS id
        FROM retention_rule r
        WHERE r.is_automatic
          AND NOT EXISTS (SELECT 1 FROM sandbox b WHERE b.account_id = r.account_id)
        ORDER BY 1
        """,
        {},
    )
    return [row["id"] for row in rows]


# --- What the rules do ---------------------------------------------------------------------------


async def delete_uploads(tx: Transaction, account_id: int, ids: Sequence[str], error: str) -> None:
    """Delete the content of uploaded files; imports that did not run fail. Queries: three."""
    for table in ("import_file_part", "carrier_file_part"):
        await delete_parts(tx, account_id, table, ids)
    await fail_batches(tx, account_id, ids, error=error)


async def delete_cells(tx: Transaction, account_id: int, ids: Sequence[str]) -> None:
    """Delete the cells of rows, and the reasons of those that were not imported. Queries: two.

    An imported row has cells only in a rehearsal that was not followed by its import.
    """
    values = {"account_id": account_id, "ids": list(ids)}
    await tx.execute(
        """
        UPDATE import_row
        SET cells = NULL, reasons = NULL
        WHERE account_id = :account_id
          AND batch_id IN (:ids...)
          AND (outcome <> 'imported' OR cells IS NOT NULL)
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE import_batch
        SET reasons = '[]'
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        values,
    )


async def delete_emails(tx: Transaction, account_id: int, ids: Sequence[str]) -> None:
    """Delete the texts and recipients of emails and letters. Queries: three."""
    values = {"account_id": account_id, "ids": list(ids)}
    await tx.execute(
        """
        UPDATE outbox
        SET
            recipient = '',
            subject = '',
            body = '',
            last_error = NULL,
            unsubscribe_url = NULL,
            link_digest = NULL,
            status = CASE WHEN status = 'failed' THEN 'cancelled' ELSE status END
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE renewal_letter
        SET
            subject = CASE WHEN subject IS NULL THEN NULL ELSE '' END,
            body = CASE WHEN body IS NULL THEN NULL ELSE '' END,
            address = CASE WHEN address IS NULL THEN NULL ELSE '' END,
            reason = CASE WHEN status = 'failed' THEN 'no_email' ELSE reason END,
            status = CASE WHEN status = 'failed' THEN 'skipped' ELSE status END
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE reminder
        SET subject = '', body = '', address = ''
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )


async def delete_lines(tx: Transaction, account_id: int, ids: Sequence[str], mark: str) -> None:
    """Delete the names and addresses of runs, and mark their fingerprints. Queries: two."""
    values = {"account_id": account_id, "ids": list(ids), "erased": ERASED_NAME, "mark": mark}
    await tx.execute(
        """
        UPDATE dispatch_line
        SET
            salutation = NULL,
            title = NULL,
            first_name = :erased,
            last_name = NULL,
            company = NULL,
            address1 = NULL,
            address2 = NULL,
            city = NULL,
            state = NULL,
            postcode = NULL
        WHERE account_id = :account_id AND dispatch_id IN (:ids...)
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE dispatch
        SET fingerprint = :mark
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        values,
    )


async def list_files_of_runs(db: Connection, account_id: int, ids: Sequence[str]) -> list[str]:
    """The ids of the files of runs, and of their groups. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT f.id
        FROM dispatch_file f
        WHERE f.account_id = :account_id
          AND f.dispatch_id IN (
              SELECT coalesce(d.group_id, d.id)
              FROM dispatch d
              WHERE d.account_id = :account_id AND d.id IN (:ids...)
          )
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return [row["id"] for row in rows]


async def delete_references(tx: Transaction, account_id: int, ids: Sequence[int]) -> None:
    """Delete the payment references and promo codes of orders, in events too. Queries: two."""
    values = {"account_id": account_id, "ids": list(ids)}
    await tx.execute(
        """
        UPDATE period
        SET transaction_id = NULL, promo_code = NULL
        WHERE account_id = :account_id AND id IN (:ids... AS bigint)
        """,
        values,
    )
    await tx.execute(
        """
        UPDATE event
        SET data = NULL
        WHERE account_id = :account_id
          AND data IS NOT NULL
          AND record_id IN (
              SELECT subscription_id
              FROM period
              WHERE account_id = :account_id AND id IN (:ids... AS bigint)
          )
        """,
        values,
    )


async def list_subscriptions_of(
    db: Connection, account_id: int, ids: Sequence[int]
) -> dict[str, str]:
    """The subscriptions of orders, with the ids of their subscribers. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT DISTINCT s.id, s.subscriber_id
        FROM period p
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE p.account_id = :account_id AND p.id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: row["subscriber_id"] for row in rows}


class StoredEntry(Struct, frozen=True):
    """An entry of the audit trail. before, after: JSON."""

    id: int
    before: str | None
    after: str | None


async def list_entries(db: Connection, account_id: int, ids: Sequence[int]) -> list[StoredEntry]:
    """Entries of the audit trail. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT id, before, after
        FROM audit
        WHERE account_id = :account_id AND id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(ids)},
        into=StoredEntry,
    )
