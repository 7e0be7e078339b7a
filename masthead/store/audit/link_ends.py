"""What has happened since a link was written, by the audit trail: new addresses, switches."""

from datetime import datetime

from msgspec import Struct

from masthead.model.audit_entries import EntryType
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

_OF_SUBSCRIBER = (
    EntryType.SUBSCRIBER_UPDATE,
    EntryType.SUBSCRIBER_MERGE,
    EntryType.SUBSCRIBER_UNDO_MERGE,
)
_OF_SUBSCRIPTION = (
    EntryType.SUBSCRIPTION_CREATE,
    EntryType.SUBSCRIPTION_UPDATE,
    EntryType.SUBSCRIPTION_MOVE,
    EntryType.SUBSCRIPTION_PLAN_ADDRESS,
    EntryType.SUBSCRIPTION_CANCEL_ADDRESS,
)


async def has_new_address(
    db: Connection, account_id: int, subscriber_id: str, *, since: datetime
) -> bool:
    """Whether a subscriber was corrected or merged since a moment, or a subscription changed.

    Any change of a subscription counts. Queries: one. Index: audit_by_subject.
    """
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM audit a
        WHERE a.account_id = :account_id
          AND a.subject_type = 'subscriber'
          AND a.subject_id = :subscriber
          AND a.action IN (:of_subscriber...)
          AND a.happened_at > :since
        UNION ALL
        SELECT 1
        FROM subscription s
        JOIN audit a
            ON a.account_id = s.account_id
            AND a.subject_type = 'subscription'
            AND a.subject_id = s.id
        WHERE s.account_id = :account_id
          AND s.subscriber_id = :subscriber
          AND a.action IN (:of_subscription...)
          AND a.happened_at > :since
        LIMIT 1
        """,
        {
            "account_id": account_id,
            "subscriber": subscriber_id,
            "since": since,
            "of_subscriber": [each.value for each in _OF_SUBSCRIBER],
            "of_subscription": [each.value for each in _OF_SUBSCRIPTION],
        },
    )
    return row is not None


class Switched(Struct, frozen=True):
    """A change of the page for subscribers. after: the settings that it set, as JSON."""

    action: str
    after: str


async def list_switched(db: Connection, account_id: int, *, since: datetime) -> list[Switched]:
    """The changes of the page for subscribers since a moment.

    Also whether the account was deactivated. Queries: one. Index: audit_by_subject.
    """
    return await fetch_all(
        db,
        """
        SELECT action, coalesce(after, '{}') AS after
        FROM audit
        WHERE account_id = :account_id
          AND subject_type = 'account'
          AND subject_id = :subject
          AND action IN (:actions...)
          AND happened_at > :since
        """,
        {
            "account_id": account_id,
            "subject": str(account_id),
            "actions": [
                EntryType.ACCOUNT_UPDATE_SELF_SERVICE.value,
                EntryType.ACCOUNT_DEACTIVATE.value,
            ],
            "since": since,
        },
        into=Switched,
    )
