"""The names of records and actors, in the audit log and in histories: one query for each type."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from masthead.model.history.entries import Record
from masthead.model.types.full_names import full_name
from masthead.store.engine.interface import Connection


class RecordName(Struct, frozen=True):
    """A name. issue: the number of the issue that the record is about, if there is one."""

    name: str
    issue: int | None = None


def _of_copy(table: str, condition: str = ":ids...") -> str:
    """Records of a copy have the name of its subscription."""
    return f"""
        SELECT r.id, r.issue_number AS issue, s.first_name, s.last_name, s.company, u.email
        FROM {table} r
        CROSS JOIN subscription s
        CROSS JOIN subscriber u
        WHERE r.account_id = :account_id
          AND r.id IN ({condition})
          AND s.account_id = r.account_id
          AND s.id = r.subscription_id
          AND u.account_id = s.account_id
          AND u.id = s.subscriber_id
    """  # noqa: S608 - the callers below name tables and columns


def _named(table: str, name: str = "name", *, issue: str = "NULL") -> str:
    """Records with a name of their own. name: in SQL. issue: the number of their issue."""
    return f"""
        SELECT id, {name} AS name, {issue} AS issue
        FROM {table}
        WHERE account_id = :account_id AND id IN (:ids...)
    """  # noqa: S608 - the callers below name tables and columns


_PERSONS = {
    "claim": _of_copy("claim"),
    "copy": _of_copy("copy", ":ids... AS bigint"),
    "delivery_report": _of_copy("delivery_report"),
    "subscription": """
        SELECT s.id, NULL AS issue, s.first_name, s.last_name, s.company, u.email
        FROM subscription s
        CROSS JOIN subscriber u
        WHERE s.account_id = :account_id
          AND s.id IN (:ids...)
          AND u.account_id = s.account_id
          AND u.id = s.subscriber_id
    """,
    "subscriber": """
        SELECT id, NULL AS issue, first_name, last_name, company, email
        FROM subscriber
        WHERE account_id = :account_id AND id IN (:ids...)
    """,
}
_NAMED = {
    "bank_line": _named("bank_line", "CAST(booking_date AS text)"),
    "bank_statement": _named("bank_statement"),
    "collection": _named("collection", "CAST(number AS text)"),
    "dispatch": _named("dispatch", "CAST(number AS text)", issue="issue_number"),
    "email": _named("outbox", "recipient"),
    "export_profile": _named("export_profile"),
    "import_batch": _named("import_batch"),
    "invoice": _named("invoice", "number"),
    "issue": _named("issue", "CAST(number AS text)"),
    "letter_batch": _named("letter_batch", "stage", issue="issue_number"),
    "payment": _named("payment", "CAST(payment_date AS text)"),
    "product": _named("product"),
    "revenue_statement": _named("revenue_statement", "CAST(statement_date AS text)"),
    "source": _named("source"),
    "webhook": _named("webhook", "url"),
}
_IN_HISTORIES = frozenset(
    "dispatch invoice issue payment product source subscriber subscription".split()
)


async def find_names(
    db: Connection, account_id: int, records: Iterable[Record]
) -> dict[Record, RecordName]:
    """The names of records and actors by type and id; those that are deleted are left out.

    Subscribers have their full name, issues and runs their number, a batch of letters the code of
    its stage, a statement its day as an ISO date. Queries: one for each type.
    """
    by_type: dict[str, list[str]] = {}
    for type, id in sorted(set(records)):
        by_type.setdefault(type, []).append(id)
    actors = {(kind, id) for kind in ("key", "user") for id in by_type.get(kind, ())}
    found = await find_actor_names(db, account_id, actors)
    names = {record: RecordName(name) for record, name in found.items()}
    for type, ids in by_type.items():
        keys = [int(id) for id in ids] if type == "copy" else ids
        if sql := _PERSONS.get(type):
            for row in await db.fetch_all(sql, {"account_id": account_id, "ids": keys}):
                person = row["first_name"], row["last_name"], row["company"], row["email"]
                names[type, str(row["id"])] = RecordName(full_name(*person), row["issue"])
        elif sql := _NAMED.get(type):
            for row in await db.fetch_all(sql, {"account_id": account_id, "ids": keys}):
                names[type, row["id"]] = RecordName(row["name"], row["issue"])
    return names


async def find_record_names(
    db: Connection, account_id: int, records: Iterable[Record]
) -> dict[Record, str]:
    """The names of the records that histories name, as `find_names` finds them."""
    asked = (record for record in records if record[0] in _IN_HISTORIES)
    found = await find_names(db, account_id, asked)
    return {record: each.name for record, each in found.items()}


async def find_actor_names(
    db: Connection, account_id: int, actors: Collection[Record]
) -> dict[Record, str]:
    """The names of users and of API keys, by kind and id. Queries: two at most."""
    users = [id for kind, id in actors if kind == "user"]
    keys = [id for kind, id in actors if kind == "key"]
    names = await find_user_names(db, account_id, users) if users else {}
    labels = await _find_keys(db, account_id, keys) if keys else {}
    return {
        **{("user", id): name for id, name in names.items()},
        **{("key", id): name for id, name in labels.items()},
    }


async def find_user_names(
    db: Connection, account_id: int, user_ids: Collection[str]
) -> dict[str, str]:
    """The names of users by id, or else their email addresses.

    It includes users who were removed from the account.
    """
    rows = await db.fetch_all(
        "SELECT id, coalesce(full_name, email) AS name FROM app_user WHERE id IN (:ids...)",
        {"ids": list(user_ids)},
    )
    return {row["id"]: row["name"] for row in rows}


async def _find_keys(db: Connection, account_id: int, key_ids: Collection[str]) -> dict[str, str]:
    """The names of API keys, by id."""
    rows = await db.fetch_all(
        "SELECT id, name FROM api_key WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(key_ids)},
    )
    return {row["id"]: row["name"] for row in rows}
