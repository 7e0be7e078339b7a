"""Idempotency keys of forms and of requests to the API: what is sent twice works once.

A form has a result, the path that it redirected to. A request has an answer, which is stored in the
transaction of its write. decision 0055.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.errors import RequestInProgress
from masthead.store.engine.interface import Connection, Transaction

KeyTable = Literal["submission", "stored_answer"]  # of forms, and of requests

ANSWER_KEPT = timedelta(hours=24)  # docs/api.md promises it; then its key is new again

# --- Forms ----------------------------------------------------------------------------------------


async def take_key(tx: Transaction, account_id: int, digest: str) -> str | None:
    """Use a form's key: None if it was unused, else the result that was stored with it.

    digest: SHA-256 of the key. Of two transactions that use one key, the second waits for the
    first.
    """
    taken = await tx.fetch_one(
        """
        INSERT INTO submission (account_id, digest, result, made_at)
        VALUES (:account_id, :digest, '', :now)
        ON CONFLICT (account_id, digest) DO NOTHING
        RETURNING digest
        """,
        {"account_id": account_id, "digest": digest, "now": now()},
    )
    if taken is not None:
        return None
    row = await tx.fetch_one(
        "SELECT result FROM submission WHERE account_id = :account_id AND digest = :digest",
        {"account_id": account_id, "digest": digest},
    )
    assert row is not None
    return str(row["result"])


async def update_result(tx: Transaction, account_id: int, digest: str, result: str) -> None:
    """Store the result of a form: the path that it redirected to."""
    await tx.execute(
        """
        UPDATE submission
        SET result = :result
        WHERE account_id = :account_id AND digest = :digest
        """,
        {"account_id": account_id, "digest": digest, "result": result},
    )


# --- Requests to the API --------------------------------------------------------------------------


class StoredAnswer(Struct, frozen=True):
    """The answer to a request that was done.

    request_digest: SHA-256 of the request. body: its JSON; None if it was deleted by an erasure.
    is_expired: whether its key is new again.
    """

    request_digest: str
    status: int
    body: str | None
    is_expired: bool = False


async def lock_key(tx: Transaction, account_id: int, key_digest: str) -> None:
    """Lock a key until the transaction ends.

    Raises: RequestInProgress if another transaction has locked it; never on SQLite, where they run
    one after another. Queries: one, on PostgreSQL.
    """
    if tx.dialect == "sqlite":
        return
    digest = hashlib.sha256(f"{account_id} {key_digest}".encode()).digest()
    row = await tx.fetch_one(
        "SELECT pg_try_advisory_xact_lock(:lock) AS is_locked",
        {"lock": int.from_bytes(digest[:8], signed=True)},
    )
    assert row is not None
    if not row["is_locked"]:
        raise RequestInProgress


async def find_answer(db: Connection, account_id: int, key_digest: str) -> StoredAnswer | None:
    """The answer to the request with a key. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT request_digest, status, body, made_at
        FROM stored_answer
        WHERE account_id = :account_id AND key_digest = :key_digest
        """,
        {"account_id": account_id, "key_digest": key_digest},
    )
    if row is None:
        return None
    is_expired = row["made_at"] <= now() - ANSWER_KEPT
    return StoredAnswer(row["request_digest"], row["status"], row["body"], is_expired)


async def delete_answer(tx: Transaction, account_id: int, key_digest: str) -> None:
    """Delete the answer to the request with a key. Queries: one."""
    await tx.execute(
        "DELETE FROM stored_answer WHERE account_id = :account_id AND key_digest = :key_digest",
        {"account_id": account_id, "key_digest": key_digest},
    )


async def insert_answer(
    tx: Transaction, account_id: int, key_digest: str, answer: StoredAnswer
) -> None:
    """Store the answer to a request. Queries: one.

    If another transaction has stored one for the same key since this one began, the key is not
    unique; the write then runs again, and finds that answer.
    """
    await tx.execute(
        """
        INSERT INTO stored_answer (account_id, key_digest, request_digest, status, body, made_at)
        VALUES (:account_id, :key_digest, :request_digest, :status, :body, :now)
        """,
        {
            "account_id": account_id,
            "key_digest": key_digest,
            "request_digest": answer.request_digest,
            "status": answer.status,
            "body": answer.body,
            "now": now(),
        },
    )


async def delete_bodies(tx: Transaction, account_id: int) -> None:
    """Delete the bodies of all answers of an account; their keys stay used. Queries: one."""
    await tx.execute(
        """
        UPDATE stored_answer
        SET body = NULL
        WHERE account_id = :account_id AND body IS NOT NULL
        """,
        {"account_id": account_id},
    )


# --- Both -----------------------------------------------------------------------------------------


async def list_accounts_with_old_keys(
    db: Connection, table: KeyTable, before: datetime
) -> list[int]:
    """The accounts with keys that were used before a moment. Queries: one."""
    rows = await db.fetch_all(
        f"SELECT DISTINCT account_id FROM {table} WHERE made_at < :before ORDER BY account_id",  # noqa: S608 - one of two
        {"before": before},
    )
    return [row["account_id"] for row in rows]


async def delete_old_keys(
    tx: Transaction, account_id: int, table: KeyTable, before: datetime
) -> int:
    """Delete keys that were used before a moment, with their answers; returns how many."""
    return await tx.execute(
        f"DELETE FROM {table} WHERE account_id = :account_id AND made_at < :before",  # noqa: S608 - one of two
        {"account_id": account_id, "before": before},
    )
