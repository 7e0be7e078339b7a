"""The people of an account, to compare them with erasures, and erasures of another database."""

from datetime import datetime

from masthead.model.privacy.digests import PersonDetails
from masthead.model.privacy.erasures import MovedErasure
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all


class KnownPerson(PersonDetails, frozen=True, kw_only=True):
    """A subscriber with name and address of the newest subscription. own_name: the subscriber's."""

    id: str
    merged_into: str | None
    email: str
    is_placeholder: bool
    own_name: str | None
    created_at: datetime


async def list_people(
    db: Connection, account_id: int, *, after: str, limit: int
) -> list[KnownPerson]:
    """Subscribers with a name and an address of theirs, by id, merged ones too. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT
            u.id,
            u.merged_into,
            u.email,
            u.is_placeholder,
            u.first_name AS own_name,
            u.created_at,
            s.first_name,
            s.last_name,
            s.company,
            s.address1,
            s.postcode
        FROM subscriber u
        LEFT JOIN subscription s
            ON s.account_id = u.account_id
            AND s.id = (
                SELECT max(o.id)
                FROM subscription o
                WHERE o.account_id = :account_id AND o.subscriber_id = u.id
            )
        WHERE u.account_id = :account_id AND u.id > :after
        ORDER BY u.id
        LIMIT :limit
        """,
        {"account_id": account_id, "after": after, "limit": limit},
        into=KnownPerson,
    )


async def is_made_by_import(db: Connection, account_id: int, subscriber_id: str) -> bool:
    """Whether an import made a subscriber. Queries: one. Index: import_row_by_subscriber."""
    row = await db.fetch_one(
        """
        SELECT line
        FROM import_row
        WHERE account_id = :account_id
          AND subscriber_id = :subscriber
          AND outcome = 'imported'
          AND made LIKE :made
        LIMIT 1
        """,
        {"account_id": account_id, "subscriber": subscriber_id, "made": '%"subscriber":true%'},
    )
    return row is not None


async def insert_erasure(tx: Transaction, account_id: int, erasure: MovedErasure) -> None:
    """Add an erasure with its own id and moment, unless it is there. Queries: one."""
    await tx.execute(
        """
        INSERT INTO erasure (
            account_id,
            id,
            subscriber_id,
            kept,
            created_at,
            actor_kind,
            actor_id
        )
        VALUES (:account_id, :id, :subscriber, '{}', :moment, :kind, :actor)
        ON CONFLICT (account_id, id) DO NOTHING
        """,
        {
            "account_id": account_id,
            "id": erasure.id,
            "subscriber": erasure.subscriber_id,
            "moment": erasure.created_at,
            "kind": erasure.actor_kind,
            "actor": erasure.actor_id,
        },
    )
