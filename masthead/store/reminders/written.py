"""The reminders of a payer, with the entries of the audit trail that say when they were written."""

from datetime import datetime

from msgspec import Struct

from masthead.model.audit_entries import EntryType
from masthead.model.letters.outcomes import LetterStatus
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


class WrittenReminder(Struct, frozen=True, kw_only=True):
    """A reminder and the entry of its round. total: what it asked for, in minor units."""

    id: str
    stage: int
    stage_name: str
    status: LetterStatus
    currency: str
    total: int
    entry_id: int
    happened_at: datetime
    actor_kind: str
    actor_id: str


async def list_written(
    db: Connection, account_id: int, payer_id: str, *, since: int, before: int
) -> list[WrittenReminder]:
    """The reminders to a payer, and to those merged into them, newest first.

    since, before: ids of entries between which theirs are. Queries: one.
    Indexes: reminder_by_payer, audit_by_subject.
    """
    return await fetch_all(
        db,
        # CROSS JOIN and +id keep SQLite from reading the whole trail
        """
        SELECT
            r.id,
            r.stage,
            o.name AS stage_name,
            r.status,
            r.currency,
            r.total,
            a.id AS entry_id,
            a.happened_at,
            a.actor_kind,
            a.actor_id
        FROM reminder r
        CROSS JOIN reminder_round o
        CROSS JOIN audit a
        WHERE r.account_id = :account_id
          AND r.payer_id IN (
              SELECT g.id
              FROM subscriber g
              WHERE g.account_id = :account_id AND (g.id = :payer_id OR g.merged_into = :payer_id)
          )
          AND o.account_id = r.account_id
          AND o.id = r.round_id
          AND a.account_id = r.account_id
          AND a.subject_type = 'reminder_round'
          AND a.subject_id = r.round_id
          AND (a.action = :write) IS TRUE
          AND +a.id >= :since
          AND +a.id < :before
        ORDER BY +a.id DESC, r.id DESC
        """,
        {
            "account_id": account_id,
            "payer_id": payer_id,
            "since": since,
            "before": before,
            "write": EntryType.REMINDER_ROUND_WRITE,
        },
        into=WrittenReminder,
    )
