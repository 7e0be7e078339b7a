"""What kind of record an id is of."""

from masthead.store.engine.interface import Connection

# Records of the API whose id is a text, by their table
_KINDS = {
    **{name: name for name in "subscriber subscription issue source claim product".split()},
    "dispatch": "dispatch run",
    "delivery_report": "delivery report",
}
_FIND_KIND = " UNION ALL ".join(
    f"SELECT '{kind}' AS kind FROM {table} WHERE account_id = :account_id AND id = :id"  # noqa: S608 - the names above
    for table, kind in _KINDS.items()
)


async def find_kind(db: Connection, account_id: int, id: str) -> str | None:
    """The kind of record that has the id, as `delivery report`; None if there is none.

    Queries: one. Index: the primary keys.
    """
    row = await db.fetch_one(_FIND_KIND, {"account_id": account_id, "id": id})
    return str(row["kind"]) if row else None
