"""What kind of record an id is of."""

from masthead.store.engine.interface import Connection

# Records whose id, a text, the API shows, by their table
KINDS = {
    "address_change": "change of address",
    "api_key": "API key",
    "claim": "claim",
    "delivery_report": "delivery report",
    "dispatch": "dispatch run",
    "import_batch": "import",
    "invoice": "invoice",
    "issue": "issue",
    "payment": "payment",
    "product": "product",
    "refund": "refund",
    "source": "source",
    "subscriber": "subscriber",
    "subscription": "subscription",
    "webhook": "webhook",
}
_FIND_KIND = " UNION ALL ".join(
    f"SELECT '{kind}' AS kind FROM {table} WHERE account_id = :account_id AND id = :id"  # noqa: S608 - the names above
    for table, kind in KINDS.items()
)


async def find_kind(db: Connection, account_id: int, id: str) -> str | None:
    """The kind of record that has the id, as `delivery report`; None if there is none.

    Queries: one. Index: the primary keys.
    """
    row = await db.fetch_one(_FIND_KIND, {"account_id": account_id, "id": id})
    return str(row["kind"]) if row else None
