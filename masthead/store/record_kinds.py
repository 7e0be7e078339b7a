"""What kind of record an id is of."""

from masthead.store.engine.interface import Connection

# Records of the API that are named by a text. The names are those of their tables
_KINDS = "subscriber subscription issue source dispatch claim delivery_report product".split()
_FIND_KIND = " UNION ALL ".join(
    f"SELECT '{kind}' AS kind FROM {kind} WHERE account_id = :account_id AND id = :id"  # noqa: S608 - the names above
    for kind in _KINDS
)


async def find_kind(db: Connection, account_id: int, id: str) -> str | None:
    """The kind of record that has the id, as `delivery report`; None if there is none.

    Queries: one. Index: the primary keys.
    """
    row = await db.fetch_one(_FIND_KIND, {"account_id": account_id, "id": id})
    return row["kind"].replace("_", " ") if row else None
