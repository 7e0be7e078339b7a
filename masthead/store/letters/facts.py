"""Facts that decide whether written letters still go out, and the letters to print."""

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct

from masthead.model.clock import account_now
from masthead.model.letters.outcomes import LetterFacts, LetterStatus, SkipReason
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.renewals.lapsed import IS_ERASED

_FACTS = f"""
    SELECT
        l.id AS letter_id,
        l.period_id,
        l.channel,
        b.stopped_at IS NOT NULL AS is_stopped,
        s.status = 'Cancelled' AS is_cancelled,
        {IS_ERASED} AS is_erased,
        u.email,
        u.is_placeholder,
        u.merged_into IS NOT NULL AS is_merged,
        u.unsubscribed_at IS NOT NULL AS is_unsubscribed,
        u.bounced_at IS NOT NULL AS has_bounced
    FROM renewal_letter l
    JOIN letter_batch b ON b.account_id = l.account_id AND b.id = l.batch_id
    JOIN subscription s ON s.account_id = l.account_id AND s.id = l.subscription_id
    JOIN subscriber u ON u.account_id = l.account_id AND u.id = l.subscriber_id
    WHERE l.account_id = :account_id
"""  # noqa: S608 - a constant


class LetterToPrint(Struct, frozen=True):
    """A letter to print. address: its lines. locale: empty for that of the account."""

    id: str
    status: LetterStatus
    subject: str
    body: str
    address: str
    locale: str


async def get_facts(db: Connection, account_id: int, id: str) -> LetterFacts:
    """The facts about a letter, which exists. Queries: one."""
    [found] = await fetch_all(
        db, _FACTS + "AND l.id = :id", {"account_id": account_id, "id": id}, into=LetterFacts
    )
    return found


async def list_facts_to_print(db: Connection, account_id: int, batch_id: str) -> list[LetterFacts]:
    """The facts about the letters of a batch that are not printed yet. Queries: one."""
    return await fetch_all(
        db,
        _FACTS + "AND l.batch_id = :batch_id AND l.status = 'to_print'",
        {"account_id": account_id, "batch_id": batch_id},
        into=LetterFacts,
    )


async def list_to_print(
    db: Connection, account_id: int, batch_id: str, *, offset: int, limit: int
) -> list[LetterToPrint]:
    """Printed letters of a batch and those that will be, among its letters from a place on.

    offset: how many letters of the batch come before. limit: among how many. Queries: one.
    """
    rows = await db.fetch_all(
        """
        SELECT id, status, subject, body, address, coalesce(locale, '') AS locale
        FROM renewal_letter
        WHERE account_id = :account_id AND batch_id = :batch_id
        ORDER BY id
        LIMIT :limit OFFSET :offset
        """,
        {"account_id": account_id, "batch_id": batch_id, "limit": limit, "offset": offset},
    )
    found = [LetterToPrint(**{**row, "status": LetterStatus(row["status"])}) for row in rows]
    return [each for each in found if each.status is not LetterStatus.SKIPPED]


async def update_skipped(
    tx: Transaction, account_id: int, ids: Collection[str], reason: SkipReason
) -> None:
    """Store that letters are not printed, and why. Queries: one."""
    await tx.execute(
        """
        UPDATE renewal_letter
        SET status = 'skipped', reason = :reason, ended_at = :moment
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids), "reason": reason, "moment": account_now()},
    )


async def update_printed(
    tx: Transaction, account_id: int, batch_id: str, *, printed_at: datetime | None
) -> int:
    """Store that the letters of a batch are printed, or still to print; returns how many change."""
    old, new = ("printed", "to_print") if printed_at is None else ("to_print", "printed")
    return await tx.execute(
        """
        UPDATE renewal_letter
        SET status = :new, ended_at = :printed_at
        WHERE account_id = :account_id AND batch_id = :batch_id AND status = :old
        """,
        {
            "account_id": account_id,
            "batch_id": batch_id,
            "old": old,
            "new": new,
            "printed_at": printed_at,
        },
    )
