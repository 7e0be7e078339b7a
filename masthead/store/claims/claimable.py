"""Copies that can be claimed: those that were sent by post."""

from datetime import date

from msgspec import Struct

from masthead.model.types.enums import CopyStatus, Medium
from masthead.model.types.full_names import full_name
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all, get_one


class ClaimableCopy(Struct, frozen=True):
    """A copy. country: to which it was sent. claim_id: of an open claim.

    hold_id: of the delivery report by which its address is on hold. sent_on: None if it was not
    sent, or nobody knows when.
    """

    id: int
    status: CopyStatus
    issue_id: str
    issue_number: int
    subscriber_id: str
    subscription_id: str
    medium: Medium
    country: str
    claim_id: str | None
    hold_id: str | None
    sent_on: date | None


class SentCopy(Struct, frozen=True, kw_only=True):
    """A copy that was sent, with the name and the town of its subscription. sent_on: if known."""

    id: int
    subscription_id: str
    issue_number: int
    sent_on: date | None
    first_name: str | None
    last_name: str | None
    company: str | None
    city: str | None

    @property
    def to(self) -> str:
        """The name and the town that it was sent to, as far as they are known."""
        name = full_name(self.first_name, self.last_name, self.company, "")
        return ", ".join(each for each in (name, self.city) if each)


async def get_claimable(db: Connection, account_id: int, copy_id: int) -> ClaimableCopy:
    """What a claim needs to know of a copy. Queries: one. Raises: NotFound."""
    return await get_one(
        db,
        account_id,
        copy_id,
        """
        SELECT
            c.id,
            c.status,
            c.issue_id,
            c.issue_number,
            c.subscriber_id,
            c.subscription_id,
            s.medium,
            coalesce(l.country, c.country) AS country,
            (
                SELECT k.id
                FROM claim k
                WHERE k.account_id = :account_id
                  AND k.copy_id = c.id
                  AND (k.status IN ('open', 'held')) IS TRUE
                ORDER BY k.id
                LIMIT 1
            ) AS claim_id,
            (
                SELECT r.id
                FROM delivery_report r
                WHERE r.account_id = :account_id
                  AND r.subscription_id = c.subscription_id
                  AND r.status = 'open'
                  AND r.kind = 'undeliverable'
                LIMIT 1
            ) AS hold_id,
            c.date_sent AS sent_on
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        LEFT JOIN dispatch_line l
            ON l.account_id = c.account_id
            AND l.copy_id = c.id
            AND l.dispatch_id = c.dispatch_id
            AND l.claim_id = ''
        WHERE c.account_id = :account_id AND c.id = :id
        """,
        into=ClaimableCopy,
        noun="copy",
    )


async def list_claimable(
    db: Connection, account_id: int, subscriber_id: str, *, limit: int
) -> list[SentCopy]:
    """The copies of a subscriber that can be claimed, newest issue first. Queries: one.

    Index: copy_by_subscriber.
    """
    return await fetch_all(
        db,
        """
        SELECT
            c.id,
            c.subscription_id,
            c.issue_number,
            c.date_sent AS sent_on,
            s.first_name,
            s.last_name,
            s.company,
            s.city
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        WHERE c.account_id = :account_id
          AND c.subscriber_id = :subscriber
          AND (c.status = 'Sent') IS TRUE
          AND (s.medium <> 'Digital') IS TRUE
          AND NOT EXISTS (
              SELECT 1
              FROM claim k
              WHERE k.account_id = :account_id
                AND k.copy_id = c.id
                AND (k.status IN ('open', 'held')) IS TRUE
          )
        ORDER BY c.issue_number DESC, c.id
        LIMIT :limit
        """,
        {"account_id": account_id, "subscriber": subscriber_id, "limit": limit},
        into=SentCopy,
    )
