"""Read the audit trail of a record."""

from typing import Any

import msgspec

from masthead.store.engine.interface import Connection


async def list_entries(
    db: Connection, account_id: int, subject_type: str, subject_id: str
) -> list[dict[str, Any]]:
    """The entries about one record, oldest first."""
    rows = await db.fetch_all(
        """
        SELECT id, happened_at, actor_kind, actor_id, action, before, after
        FROM audit
        WHERE account_id = :account_id
          AND subject_type = :subject_type
          AND subject_id = :subject_id
        ORDER BY id
        """,
        {"account_id": account_id, "subject_type": subject_type, "subject_id": subject_id},
    )
    return [{**row, "before": _read(row["before"]), "after": _read(row["after"])} for row in rows]


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else msgspec.json.decode(text)
