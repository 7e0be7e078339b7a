"""Delete every row of an account, and the people whom only that account needed."""

from collections.abc import Collection

from masthead.model.exports.contents import EXPORT_FILES
from masthead.model.ids import first_copy_id
from masthead.store.engine.citus.table_lists import DISTRIBUTED
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.privacy.erasures import delete_secret
from masthead.store.search.text_index import delete_texts

TEXTS = 10_000  # rows of the search index that are deleted together

# No exported row refers to a later file; the tables in no file refer to those
_OF_ACCOUNT = {*DISTRIBUTED, "api_key"}
_EXPORTED = [exported.table for exported in EXPORT_FILES if exported.table in _OF_ACCOUNT]
TABLES = (*sorted(_OF_ACCOUNT.difference(_EXPORTED), reverse=True), *reversed(_EXPORTED))

# What belongs to a person, who is no part of an account
PERSON_TABLES = (
    "authenticator_app",
    "known_browser",
    "passkey",
    "pending_sign_in",
    "recovery_code",
    "sign_in_link",
    "web_session",
)


async def estimate_rows(db: Connection, account_id: int) -> int:
    """The number of copies, lines of runs and audit entries of an account so far. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT last_copy + last_line + last_entry AS count
        FROM account_state
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["count"])


async def list_people(db: Connection, account_id: int) -> list[str]:
    """The ids of the people whom rows of an account name: users and earlier users."""
    rows = await db.fetch_all(
        """
        SELECT user_id AS id FROM account_user WHERE account_id = :account_id
        UNION
        SELECT user_id AS id FROM api_key WHERE account_id = :account_id
        UNION
        SELECT actor_id AS id
        FROM audit
        WHERE account_id = :account_id AND actor_kind = 'user'
        UNION
        SELECT subject_id AS id
        FROM audit
        WHERE account_id = :account_id AND subject_type = 'user'
        """,
        {"account_id": account_id},
    )
    return sorted(row["id"] for row in rows)


async def list_named(db: Connection, account_id: int, ids: Collection[str]) -> set[str]:
    """Those of some people whom keys or audit entries of an account name. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT user_id AS id
        FROM api_key
        WHERE account_id = :account_id AND user_id IN (:ids...)
        UNION
        SELECT actor_id AS id
        FROM audit
        WHERE account_id = :account_id AND actor_id IN (:ids...)
        UNION
        SELECT subject_id AS id
        FROM audit
        WHERE account_id = :account_id AND subject_type = 'user' AND subject_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"] for row in rows}


async def delete_rows(tx: Transaction, account_id: int) -> dict[str, int]:
    """Delete all rows of an account except its users; returns how many, by table."""
    texts = await delete_search_index(tx, account_id)
    deleted = {
        table: await tx.execute(
            f"DELETE FROM {table} WHERE account_id = :account_id",  # noqa: S608 - constants
            {"account_id": account_id},
        )
        for table in TABLES
    }
    deleted["searchable"] += texts
    await delete_secret(tx, account_id)
    return deleted


async def delete_search_index(tx: Transaction, account_id: int) -> int:
    """Delete the texts of an account from the search index; returns how many."""
    deleted = 0
    while True:
        rows = await tx.fetch_all(
            """
            SELECT n
            FROM searchable
            WHERE account_id = :account_id AND n BETWEEN :first AND :last
            ORDER BY n
            LIMIT :limit
            """,
            {
                "account_id": account_id,
                "first": first_copy_id(account_id),
                "last": first_copy_id(account_id + 1) - 1,
                "limit": TEXTS,
            },
        )
        if not rows:
            return deleted
        await delete_texts(tx, account_id, [row["n"] for row in rows])
        deleted += len(rows)


async def is_member(db: Connection, user_id: str) -> bool:
    """Whether a person is a user of an account, or invited into one."""
    row = await db.fetch_one(
        "SELECT 1 AS found FROM account_user WHERE user_id = :id LIMIT 1", {"id": user_id}
    )
    return row is not None


async def delete_person(tx: Transaction, user_id: str) -> None:
    """Delete a person whom no account names."""
    for table in PERSON_TABLES:
        await tx.execute(f"DELETE FROM {table} WHERE user_id = :id", {"id": user_id})  # noqa: S608 - constants
    await tx.execute("DELETE FROM app_user WHERE id = :id", {"id": user_id})
