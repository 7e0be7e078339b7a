"""The state of all accounts together, for an operator: counted by indexes, and never for long.

The statements ask across accounts on purpose. A count ends at `most`, so that neither one account
with many rows nor many accounts make it slow; the copies are counted with the trend.
"""

from datetime import date, datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.background.clock import read_boot_id, read_uptime
from masthead.store.engine.interface import Connection, Transaction

_VERIFIED_BACKUP, _FAILED_BACKUP = "verified backup", "failed backup"


class AccountTotals(Struct, frozen=True):
    """All active accounts. owed_date: the earliest release date of an issue with unsent copies.

    daily_date: of the account whose last daily pass is the oldest; None without accounts.
    """

    accounts: int
    owed_copies: int
    owed_date: date | None
    daily_date: date | None


class BackupNotes(Struct, frozen=True):
    """The times of the newest sound backup and of the last failed one; None if unknown."""

    verified_at: datetime | None
    failed_at: datetime | None


class ArchiveNotes(Struct, frozen=True):
    """When PostgreSQL last archived a file of its log, and last failed to; None if it never did."""

    archived_at: datetime | None
    failed_at: datetime | None


class Backlogs(Struct, frozen=True):
    """Work that waits. due_at: since when the first email waits; documents: of the read model.

    retried_at: when the first of the emails was created that failed so far and are tried again.

    webhooks_waiting: events, for each webhook, and messages that are tried again.
    """

    emails_waiting: int
    emails_failed: int
    due_at: datetime | None
    retried_at: datetime | None
    webhooks_waiting: int
    webhooks_failed: int
    documents: int


async def sum_accounts(db: Connection) -> AccountTotals:
    """The totals of all active accounts except sandboxes. Queries: one, a row for each account."""
    row = await db.fetch_one(
        """
        SELECT
            count(*) AS accounts,
            CAST(coalesce(sum(s.owed_copies), 0) AS bigint) AS owed_copies,
            min(s.owed_date) AS owed_date,
            min(s.daily_date) AS daily_date
        FROM account a
        JOIN account_state s ON s.account_id = a.id
        WHERE a.is_active AND NOT a.is_sandbox
        """,
        {},
    )
    assert row is not None
    return AccountTotals(**row)


async def count_backlogs(db: Connection, *, most: int) -> Backlogs:
    """The numbers of what waits, each up to `most`. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT
            (
                SELECT count(*)
                FROM (
                    SELECT 1 FROM outbox WHERE status IN ('waiting', 'sending') LIMIT :most
                ) AS waiting
            ) AS emails_waiting,
            (
                SELECT count(*)
                FROM (SELECT 1 FROM outbox WHERE status = 'failed' LIMIT :most) AS failed
            ) AS emails_failed,
            (SELECT min(next_attempt_at) FROM outbox WHERE status = 'waiting') AS due_at,
            (
                SELECT min(created_at)
                FROM (
                    SELECT created_at
                    FROM outbox
                    WHERE status = 'waiting' AND next_attempt_at > :now
                    LIMIT :most
                ) AS retried
            ) AS retried_at,
            (
                SELECT count(*)
                FROM (
                    SELECT 1 FROM webhook_delivery WHERE next_attempt_at IS NOT NULL LIMIT :most
                ) AS waiting
            ) + (
                SELECT CAST(coalesce(sum(s.last_event - w.last_number), 0) AS bigint)
                FROM webhook w
                JOIN account_state s ON s.account_id = w.account_id
                WHERE w.status = 'enabled'
            ) AS webhooks_waiting,
            (
                SELECT count(*)
                FROM (SELECT 1 FROM webhook_delivery WHERE status = 'failed' LIMIT :most) AS failed
            ) AS webhooks_failed,
            (
                SELECT count(*)
                FROM (
                    SELECT 1
                    FROM subscription_change
                    UNION ALL
                    SELECT 1
                    FROM subscription_document
                    WHERE format_revision IS DISTINCT FROM revision
                    LIMIT :most
                ) AS outdated
            ) AS documents
        """,
        {"most": most, "now": now()},
    )
    assert row is not None
    return Backlogs(**row)


async def find_backup_notes(db: Connection) -> BackupNotes:
    """The notes that commands have stored about backups. Queries: one."""
    rows = await db.fetch_all(
        "SELECT name, seen_at FROM heartbeat WHERE name IN (:verified, :failed)",
        {"verified": _VERIFIED_BACKUP, "failed": _FAILED_BACKUP},
    )
    moments = {row["name"]: row["seen_at"] for row in rows}
    return BackupNotes(moments.get(_VERIFIED_BACKUP), moments.get(_FAILED_BACKUP))


async def find_archive_notes(db: Connection) -> ArchiveNotes:
    """What PostgreSQL says about the archive of its log; nothing on SQLite. Queries: one."""
    if db.dialect == "sqlite":
        return ArchiveNotes(None, None)
    row = await db.fetch_one(
        """
        SELECT last_archived_time AS archived_at, last_failed_time AS failed_at
        FROM pg_stat_archiver
        WHERE current_setting('archive_mode') <> 'off'
        """,
        {},
    )
    return ArchiveNotes(row["archived_at"], row["failed_at"]) if row else ArchiveNotes(None, None)


async def delete_verified_backup(tx: Transaction, made_at: datetime) -> None:
    """Forget the newest backup that was found sound, if it was made then: it is damaged now."""
    await tx.execute(
        "DELETE FROM heartbeat WHERE name = :name AND seen_at = :made_at",
        {"name": _VERIFIED_BACKUP, "made_at": made_at},
    )


async def write_verified_backup(tx: Transaction, made_at: datetime) -> None:
    """Store that a backup was found sound, unless a newer one was before."""
    await _write_moment(tx, _VERIFIED_BACKUP, made_at)


async def write_failed_backup(tx: Transaction, moment: datetime) -> None:
    """Store that a backup failed, or was found damaged."""
    await _write_moment(tx, _FAILED_BACKUP, moment)


async def _write_moment(tx: Transaction, name: str, moment: datetime) -> None:
    """Store a moment, unless a later one is stored that is not in the future."""
    await tx.execute(
        """
        INSERT INTO heartbeat (name, seen_at, boot_id, uptime_ms)
        VALUES (:name, :moment, :boot_id, :uptime_ms)
        ON CONFLICT (name) DO UPDATE
        SET seen_at = excluded.seen_at, boot_id = excluded.boot_id, uptime_ms = excluded.uptime_ms
        WHERE heartbeat.seen_at < excluded.seen_at OR heartbeat.seen_at > :now
        """,
        {
            "name": name,
            "moment": moment,
            "boot_id": read_boot_id(),
            "uptime_ms": read_uptime(),
            "now": now(),
        },
    )
