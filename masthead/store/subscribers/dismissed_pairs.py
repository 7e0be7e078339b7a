"""Pairs of subscribers who are not the same person, as a user said."""

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all

Pair = tuple[str, str]  # the ids of two subscribers, the older one first

# Of a merged subscriber, the one who stayed: a merge and its undoing do not change the rows
_PAIRS = """
    SELECT
        coalesce(u.merged_into, u.id) AS one_id,
        coalesce(o.merged_into, o.id) AS two_id,
        p.created_at,
        p.actor_kind,
        p.actor_id
    FROM dismissed_pair p
    JOIN subscriber u ON u.account_id = p.account_id AND u.id = p.subscriber_id
    JOIN subscriber o ON o.account_id = p.account_id AND o.id = p.other_id
    WHERE p.account_id = :account_id
      AND coalesce(u.merged_into, u.id) <> coalesce(o.merged_into, o.id)
"""


class DismissedPair(Struct, frozen=True):
    """Two subscribers who are not the same person. actor_kind, actor_id: who said so."""

    one_id: str
    two_id: str
    created_at: datetime
    actor_kind: str
    actor_id: str

    @property
    def pair(self) -> Pair:
        """The ids, the older subscriber first."""
        return ordered(self.one_id, self.two_id)


def ordered(one: str, other: str) -> Pair:
    """Two ids, that of the older subscriber first."""
    return (one, other) if one < other else (other, one)


async def list_dismissed(db: Connection, account_id: int) -> list[DismissedPair]:
    """All pairs of an account, the newest first. Queries: one, read aside."""
    return await fetch_all(
        db,
        f"{_PAIRS} ORDER BY p.created_at DESC, p.subscriber_id, p.other_id",
        {"account_id": account_id},
        into=DismissedPair,
    )


async def insert_pairs(
    tx: Transaction, account_id: int, pairs: Collection[Pair], *, by: Actor
) -> None:
    """Remember pairs that are not remembered yet. Queries: one."""
    moment = now()
    await tx.insert_rows(
        "dismissed_pair",
        [
            {
                "account_id": account_id,
                "subscriber_id": one,
                "other_id": other,
                "created_at": moment,
                "actor_kind": by.kind,
                "actor_id": by.id,
            }
            for one, other in sorted(pairs)
        ],
    )


async def delete_pair(tx: Transaction, account_id: int, one: str, other: str) -> None:
    """Forget a pair, also of subscribers who were merged into them. Queries: one."""
    await tx.execute(
        """
        DELETE FROM dismissed_pair
        WHERE account_id = :account_id
          AND (
              (
                  subscriber_id IN (
                      SELECT id
                      FROM subscriber
                      WHERE account_id = :account_id AND (id = :one OR merged_into = :one)
                  )
                  AND other_id IN (
                      SELECT id
                      FROM subscriber
                      WHERE account_id = :account_id AND (id = :other OR merged_into = :other)
                  )
              )
              OR (
                  subscriber_id IN (
                      SELECT id
                      FROM subscriber
                      WHERE account_id = :account_id AND (id = :other OR merged_into = :other)
                  )
                  AND other_id IN (
                      SELECT id
                      FROM subscriber
                      WHERE account_id = :account_id AND (id = :one OR merged_into = :one)
                  )
              )
          )
        """,
        {"account_id": account_id, "one": one, "other": other},
    )


async def delete_pairs_of(tx: Transaction, account_id: int, ids: Collection[str]) -> None:
    """Forget the pairs of subscribers who are erased or deleted. Queries: one."""
    await tx.execute(
        """
        DELETE FROM dismissed_pair
        WHERE account_id = :account_id
          AND (subscriber_id IN (:ids...) OR other_id IN (:ids...))
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
