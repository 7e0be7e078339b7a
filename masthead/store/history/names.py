"""The names of the records and actors in a history."""

from collections.abc import Collection, Iterable

from masthead.model.history.entries import Record
from masthead.model.types.text import full_name
from masthead.store.audit import subscription_history as actors
from masthead.store.engine.interface import Connection

_SUBSCRIPTIONS = """
    SELECT s.id, s.first_name, s.last_name, s.company, u.email
    FROM subscription s
    CROSS JOIN subscriber u
    WHERE s.account_id = :account_id
      AND s.id IN (:ids...)
      AND u.account_id = s.account_id
      AND u.id = s.subscriber_id
"""
_SUBSCRIBERS = """
    SELECT id, first_name, last_name, company, email
    FROM subscriber
    WHERE account_id = :account_id AND id IN (:ids...)
"""


def select_names(table: str, name: str = "name", *, issue: str = "NULL") -> str:
    """Selects records with a name of their own. name: in SQL. issue: the number of their issue."""
    return f"""
        SELECT id, {name} AS name, {issue} AS issue
        FROM {table}
        WHERE account_id = :account_id AND id IN (:ids...)
    """  # noqa: S608 - the callers name tables and columns


_NAMED = {
    "invoice": select_names("invoice", "number"),
    "payment": select_names("payment", "CAST(payment_date AS text)"),
    "source": select_names("source"),
    "product": select_names("product"),
    "issue": select_names("issue", "CAST(number AS text)"),
    "dispatch": select_names("dispatch", "CAST(number AS text)"),
}


def group_by_type(records: Iterable[Record]) -> dict[str, list[str]]:
    """The ids of records by their type, each once, in order."""
    by_type: dict[str, list[str]] = {}
    for type, id in sorted(set(records)):
        by_type.setdefault(type, []).append(id)
    return by_type


async def find_record_names(
    db: Connection, account_id: int, records: Iterable[Record]
) -> dict[Record, str]:
    """The names of records by type and id; those without a name are left out.

    Queries: one for each type. Subscribers have their full name, issues and runs their number.
    """
    by_type, names = group_by_type(records), dict[Record, str]()
    for type, sql in (("subscription", _SUBSCRIPTIONS), ("subscriber", _SUBSCRIBERS)):
        if ids := by_type.get(type):
            for row in await db.fetch_all(sql, {"account_id": account_id, "ids": ids}):
                person = row["first_name"], row["last_name"], row["company"], row["email"]
                names[type, row["id"]] = full_name(*person)
    for type, sql in _NAMED.items():
        if ids := by_type.get(type):
            for row in await db.fetch_all(sql, {"account_id": account_id, "ids": ids}):
                names[type, row["id"]] = row["name"]
    return names


async def find_actor_names(
    db: Connection, account_id: int, found: Collection[Record]
) -> dict[Record, str]:
    """The email addresses of users and the names of API keys, by kind and id. Queries: two."""
    users = [id for kind, id in found if kind == "user"]
    keys = [id for kind, id in found if kind == "key"]
    emails = await actors.find_user_names(db, account_id, users) if users else {}
    labels = await actors.find_keys(db, account_id, keys) if keys else {}
    return {
        **{("user", id): email for id, email in emails.items()},
        **{("key", id): name for id, name in labels.items()},
    }
