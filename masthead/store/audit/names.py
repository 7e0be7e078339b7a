"""The names of the records in the audit log, one query for each type of record."""

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from masthead.model.history.entries import Record
from masthead.model.types.text import full_name
from masthead.store.engine.interface import Connection
from masthead.store.history.names import (
    find_actor_names,
    find_record_names,
    group_by_type,
    select_names,
)


class RecordName(Struct, frozen=True):
    """A name. issue: the number of the issue that the record is about, if there is one."""

    name: str
    issue: int | None = None


def _of_copy(table: str, condition: str, subscription: str) -> str:
    """Records of a copy have the name of its subscription."""
    return f"""
        SELECT r.id, r.issue_number AS issue, s.first_name, s.last_name, s.company, u.email
        FROM {table} r
        CROSS JOIN subscription s
        CROSS JOIN subscriber u
        WHERE r.account_id = :account_id
          AND r.id IN ({condition})
          AND s.account_id = r.account_id
          AND s.id = r.{subscription}
          AND u.account_id = s.account_id
          AND u.id = s.subscriber_id
    """  # noqa: S608 - the callers below name tables and columns


_PERSONS = {
    "claim": _of_copy("claim", ":ids...", "subscription_id"),
    "copy": _of_copy("copy", ":ids... AS bigint", "subscription_id"),
    "delivery_report": _of_copy("delivery_report", ":ids...", "subscription_id"),
}
_NAMED = {
    "bank_line": select_names("bank_line", "CAST(booking_date AS text)"),
    "bank_statement": select_names("bank_statement"),
    "collection": select_names("collection", "CAST(number AS text)"),
    "dispatch": select_names("dispatch", "CAST(number AS text)", issue="issue_number"),
    "email": select_names("outbox", "recipient"),
    "export_profile": select_names("export_profile"),
    "import_batch": select_names("import_batch"),
    "invoice": select_names("invoice", "number"),
    "letter_batch": select_names("letter_batch", "stage", issue="issue_number"),
    "payment": select_names("payment", "CAST(payment_date AS text)"),
    "revenue_statement": select_names("revenue_statement", "CAST(statement_date AS text)"),
    "webhook": select_names("webhook", "url"),
}
# Names that histories show too
_ACTORS = {"key", "user"}


async def find_names(
    db: Connection, account_id: int, records: Iterable[Record]
) -> dict[Record, RecordName]:
    """The names of records by type and id; those that are deleted are left out.

    A batch of letters has the code of its stage, a statement its day as an ISO date.
    Queries: one for each type.
    """
    asked = set(records)
    actors = {each for each in asked if each[0] in _ACTORS}
    plain = {each for each in asked - actors if each[0] not in _NAMED}
    found = await find_record_names(db, account_id, plain)
    found |= await find_actor_names(db, account_id, actors)
    names = {record: RecordName(name) for record, name in found.items()}
    for type, ids in group_by_type(asked).items():
        names |= await _find(db, account_id, type, ids)
    return names


async def _find(
    db: Connection, account_id: int, type: str, ids: Collection[str]
) -> Mapping[Record, RecordName]:
    """The names of records of one type, if it is one of this module."""
    if type in _PERSONS:
        keys = [int(id) for id in ids] if type == "copy" else ids
        rows = await db.fetch_all(_PERSONS[type], {"account_id": account_id, "ids": keys})
        return {
            (type, str(row["id"])): RecordName(
                full_name(row["first_name"], row["last_name"], row["company"], row["email"]),
                row["issue"],
            )
            for row in rows
        }
    if type in _NAMED:
        rows = await db.fetch_all(_NAMED[type], {"account_id": account_id, "ids": list(ids)})
        return {(type, row["id"]): RecordName(row["name"], row["issue"]) for row in rows}
    return {}
