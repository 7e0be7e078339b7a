"""The choices for the filters of the audit log: the entry types and actors that have entries.

Each statement goes through an index from one value to the next, so its cost depends on the number
of values and not on the number of entries.
"""

from collections.abc import Collection

from msgspec import Struct

from masthead.store.engine.interface import Connection, Row


class NamedActor(Struct, frozen=True):
    """The actor of an entry. kind: user, key or command.

    name: of a user or else the email address, or of an API key. prefix: of the key.
    """

    kind: str
    id: str
    name: str | None
    prefix: str | None


# The next entry type after `known.action`, found with one step in an index
_NEXT_ACTION = """
    SELECT e.action
    FROM audit e
    WHERE e.account_id = :account_id AND e.action > known.action
    ORDER BY e.action
    LIMIT 1
    """

# The same for one actor. PostgreSQL uses the index only if rows are compared with all its columns.
# SQLite uses any index, but it finds the end of the range only if columns are compared one by one
_NEXT_ACTION_OF_ACTOR = {
    "sqlite": """
        SELECT e.action
        FROM audit e
        WHERE e.account_id = :account_id AND e.actor_id = :actor_id AND e.action > known.action
        ORDER BY e.action
        LIMIT 1
        """,
    "postgres": """
        SELECT CASE WHEN e.actor_id = :actor_id THEN e.action END
        FROM audit e
        WHERE e.account_id = :account_id AND (e.actor_id, e.action) > (:actor_id, known.action)
        ORDER BY e.actor_id, e.action
        LIMIT 1
        """,
}

_ACTORS = """
    WITH RECURSIVE known(actor_id) AS (
        SELECT ''
        UNION ALL
        SELECT (
            SELECT e.actor_id
            FROM audit e
            WHERE e.account_id = :account_id AND e.actor_id > known.actor_id
            ORDER BY e.actor_id
            LIMIT 1
        )
        FROM known
        WHERE known.actor_id IS NOT NULL
    )
    SELECT known.actor_id
    FROM known
    WHERE known.actor_id > ''
    """

# In a statement of its own: on Citus, people and keys are on another node than the entries
_NAMES = """
    SELECT u.id, coalesce(u.full_name, u.email) AS name, NULL AS prefix
    FROM app_user u
    WHERE u.id IN (:ids...)
    UNION ALL
    SELECT k.id, k.name, k.prefix
    FROM api_key k
    WHERE k.account_id = :account_id AND k.id IN (:ids...)
    """


def _actions_sql(next_action: str) -> str:
    """All entry types that occur, each with its type of record."""
    return f"""
        WITH RECURSIVE known(action) AS (
            SELECT ''
            UNION ALL
            SELECT ({next_action}) FROM known WHERE known.action IS NOT NULL
        )
        SELECT
            known.action,
            (
                SELECT e.subject_type
                FROM audit e
                WHERE e.account_id = :account_id AND e.action >= known.action
                ORDER BY e.action, e.id
                LIMIT 1
            ) AS subject_type
        FROM known
        WHERE known.action > ''
        """  # noqa: S608 - `next_action` is one of the constants above


async def list_actions(
    db: Connection, account_id: int, *, actor_id: str | None = None
) -> dict[str, str]:
    """The entry types of all entries, or of one actor's, each with its type of record."""
    next_action = _NEXT_ACTION_OF_ACTOR[db.dialect] if actor_id else _NEXT_ACTION
    rows = await db.fetch_all(
        _actions_sql(next_action), {"account_id": account_id, "actor_id": actor_id}
    )
    return {row["action"]: row["subject_type"] for row in rows}


async def list_actors(db: Connection, account_id: int) -> list[NamedActor]:
    """Each actor that has an entry. Queries: two."""
    ids = [row["actor_id"] for row in await db.fetch_all(_ACTORS, {"account_id": account_id})]
    return list((await find_actors(db, account_id, ids)).values())


async def find_actors(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, NamedActor]:
    """The actors with these ids, each by its id. Queries: one, or none without ids."""
    if not ids:
        return {}
    rows = await db.fetch_all(_NAMES, {"account_id": account_id, "ids": sorted(set(ids))})
    named = {row["id"]: _actor_from_row(row) for row in rows}
    return {id: named.get(id) or NamedActor("command", id, None, None) for id in ids}


def _actor_from_row(row: Row) -> NamedActor:
    """A user, or a key, whose row has a prefix."""
    return NamedActor("key" if row["prefix"] else "user", row["id"], row["name"], row["prefix"])
