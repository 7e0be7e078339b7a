"""Files of carriers that users upload: kept until they are imported, then only their reports."""

from datetime import datetime

from masthead.model.clock import now
from masthead.model.returns.uploads import CarrierUpload
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.privacy.uploaded_files import delete_parts
from masthead.store.update_statement import update_row

CONTENT, REPORT = "content", "report"  # the kinds of parts
PART = 1024 * 1024  # bytes

_COLUMNS = """
    SELECT id, kind, name, bytes, summary, created_at, imported_at
    FROM carrier_file
    WHERE account_id = :account_id
"""


async def get_upload(db: Connection, account_id: int, id: str) -> CarrierUpload:
    """An uploaded file. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _COLUMNS + "AND id = :id", into=CarrierUpload, noun="file"
    )


async def list_uploads(db: Connection, account_id: int, limit: int) -> list[CarrierUpload]:
    """The newest uploaded files. Queries: one."""
    return await fetch_all(
        db,
        _COLUMNS + "ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "limit": limit},
        into=CarrierUpload,
    )


async def insert_upload(tx: Transaction, account_id: int, row: Row, content: bytes) -> None:
    """Add a file with its content. Queries: one, and one for each MiB."""
    await insert_row(tx, "carrier_file", **row, account_id=account_id)
    await _insert_parts(tx, account_id, row["id"], CONTENT, content)


async def _insert_parts(
    tx: Transaction, account_id: int, id: str, kind: str, content: bytes
) -> None:
    for start in range(0, len(content), PART):
        await tx.execute(
            """
            INSERT INTO carrier_file_part (account_id, file_id, kind, part, content)
            VALUES (:account_id, :file, :kind, :part, :content)
            """,
            {
                "account_id": account_id,
                "file": id,
                "kind": kind,
                "part": start // PART,
                "content": content[start : start + PART],
            },
        )


async def read_parts(db: Connection, account_id: int, id: str, kind: str) -> bytes:
    """The content or the report of a file; empty if there is none. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT content
        FROM carrier_file_part
        WHERE account_id = :account_id AND file_id = :id AND kind = :kind
        ORDER BY part
        """,
        {"account_id": account_id, "id": id, "kind": kind},
    )
    return b"".join(bytes(row["content"]) for row in rows)


async def finish_upload(
    tx: Transaction, account_id: int, id: str, summary: str, report: bytes
) -> None:
    """Store the result of an import, and delete the content. Queries: three."""
    await delete_parts(tx, account_id, "carrier_file_part", [id])
    await update_row(tx, account_id, "carrier_file", id, summary=summary, imported_at=now())
    if report:
        await _insert_parts(tx, account_id, id, REPORT, report)


async def delete_old(tx: Transaction, account_id: int, before: datetime) -> None:
    """Delete the files that were uploaded before a moment, with their reports. Queries: three."""
    rows = await tx.fetch_all(
        """
        SELECT id
        FROM carrier_file
        WHERE account_id = :account_id AND created_at < :moment
        """,
        {"account_id": account_id, "moment": before},
    )
    ids = [row["id"] for row in rows]
    await delete_parts(tx, account_id, "carrier_file_part", ids)
    await tx.execute(
        "DELETE FROM carrier_file WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": ids},
    )
