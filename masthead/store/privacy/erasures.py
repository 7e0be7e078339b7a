"""Erasures, and the digests by which erased people are recognised."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.ids import new_id
from masthead.model.privacy.erasures import Erasure, Record
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import insert_row
from masthead.store.identity import server_secrets
from masthead.store.update_statement import update_row

_ERASURE = """
    SELECT id, subscriber_id, kept, created_at, actor_kind, actor_id
    FROM erasure
    WHERE account_id = :account_id
"""


def _from_row(row: Row) -> Erasure:
    kept = msgspec.json.decode(row["kept"], type=dict[Record, int])
    return Erasure(**{**row, "kept": kept})


def _secret_name(account_id: int) -> str:
    return f"erasures-{account_id}"


async def find_secret(db: Connection, account_id: int) -> str | None:
    """The secret of the digests of an account; None as long as it has no erasures. Queries: one."""
    return await server_secrets.find_secret(db, _secret_name(account_id))


async def insert_secret(tx: Transaction, account_id: int, secret: str) -> None:
    """Store the secret of an account, unless it has one."""
    await server_secrets.insert_secret(tx, _secret_name(account_id), secret)


async def delete_secret(tx: Transaction, account_id: int) -> None:
    """Delete the secret of an account, which has no erasures any more."""
    await server_secrets.delete_secret(tx, _secret_name(account_id))


async def insert_erasure(
    tx: Transaction,
    account_id: int,
    subscriber_id: str,
    kept: Mapping[Record, int],
    digests: Collection[str],
    *,
    by: Actor,
) -> Erasure:
    """Remember an erasure with its digests."""
    erasure = Erasure(
        id=new_id(account_id),
        subscriber_id=subscriber_id,
        kept=kept,
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    columns = {**msgspec.structs.asdict(erasure), "kept": msgspec.json.encode(kept).decode()}
    await insert_row(tx, "erasure", account_id=account_id, **columns)
    await insert_digests(tx, account_id, erasure.id, digests)
    return erasure


async def insert_digests(
    tx: Transaction, account_id: int, erasure_id: str, digests: Collection[str]
) -> None:
    """Add digests to an erasure."""
    await tx.execute_many(
        """
        INSERT INTO erasure_digest (account_id, digest, erasure_id)
        VALUES (:account_id, :digest, :erasure)
        ON CONFLICT (account_id, digest, erasure_id) DO NOTHING
        """,
        [
            {"account_id": account_id, "digest": each, "erasure": erasure_id}
            for each in sorted(digests)
        ],
    )


async def list_erased(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> list[str]:
    """Those of some subscribers who were erased. Queries: one. Index: erasure_by_subscriber."""
    rows = await db.fetch_all(
        """
        SELECT subscriber_id
        FROM erasure
        WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
        """,
        {"account_id": account_id, "subscribers": list(subscriber_ids)},
    )
    return [row["subscriber_id"] for row in rows]


async def list_with_erased_owner(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[str, str]:
    """Those of some subscriptions whose subscribers were erased, with their ids. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT s.id, s.subscriber_id
        FROM subscription s
        JOIN erasure e ON e.account_id = s.account_id AND e.subscriber_id = s.subscriber_id
        WHERE s.account_id = :account_id AND s.id IN (:subscriptions...)
        """,
        {"account_id": account_id, "subscriptions": list(subscription_ids)},
    )
    return {row["id"]: row["subscriber_id"] for row in rows}


async def find_erasure(db: Connection, account_id: int, subscriber_id: str) -> Erasure | None:
    """The first erasure of a subscriber. Queries: one. Index: erasure_by_subscriber."""
    row = await db.fetch_one(
        _ERASURE + "AND subscriber_id = :subscriber ORDER BY id LIMIT 1",
        {"account_id": account_id, "subscriber": subscriber_id},
    )
    return _from_row(row) if row else None


async def find_by_digests(db: Connection, account_id: int, digests: Sequence[str]) -> str | None:
    """The id of the subscriber who was erased last with one of these digests. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT e.subscriber_id
        FROM erasure_digest d
        JOIN erasure e ON e.account_id = d.account_id AND e.id = d.erasure_id
        WHERE d.account_id = :account_id AND d.digest IN (:digests...)
        ORDER BY e.created_at DESC
        LIMIT 1
        """,
        {"account_id": account_id, "digests": list(digests)},
    )
    return str(row["subscriber_id"]) if row else None


async def list_erasures(db: Connection, account_id: int) -> list[Erasure]:
    """All erasures of an account, oldest first. Queries: one."""
    rows = await db.fetch_all(_ERASURE + "ORDER BY id", {"account_id": account_id})
    return [_from_row(row) for row in rows]


async def list_digests(db: Connection, account_id: int) -> dict[str, list[str]]:
    """All digests of an account, by the id of the erasure. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT digest, erasure_id
        FROM erasure_digest
        WHERE account_id = :account_id
        ORDER BY erasure_id, digest
        """,
        {"account_id": account_id},
    )
    digests = defaultdict[str, list[str]](list)
    for row in rows:
        digests[row["erasure_id"]].append(row["digest"])
    return digests


async def find_moments(
    db: Connection, account_id: int, digests: Sequence[str]
) -> dict[str, datetime]:
    """The last time that people were erased, by digest. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT d.digest, max(e.created_at) AS erased_at
        FROM erasure_digest d
        JOIN erasure e ON e.account_id = d.account_id AND e.id = d.erasure_id
        WHERE d.account_id = :account_id AND d.digest IN (:digests...)
        GROUP BY d.digest
        """,
        {"account_id": account_id, "digests": list(digests)},
    )
    return {row["digest"]: row["erased_at"] for row in rows}


async def list_uncleaned(db: Connection) -> list[tuple[int, str]]:
    """Account and id of the erasures that may have left traces in the database's files."""
    rows = await db.fetch_all(
        "SELECT account_id, id FROM erasure WHERE cleaned_at IS NULL ORDER BY account_id, id", {}
    )
    return [(row["account_id"], row["id"]) for row in rows]


async def update_cleaned(tx: Transaction, erasures: Sequence[tuple[int, str]]) -> None:
    """Store that the files of the database were cleaned. erasures: of `list_uncleaned`."""
    await tx.execute_many(
        "UPDATE erasure SET cleaned_at = :moment WHERE account_id = :account_id AND id = :id",
        [{"account_id": account_id, "id": id, "moment": now()} for account_id, id in erasures],
    )


async def update_uncleaned(tx: Transaction, account_id: int, id: str) -> None:
    """Store that an erasure was repeated, so the files have to be cleaned again. Queries: one."""
    await update_row(tx, account_id, "erasure", id, cleaned_at=None)
