"""The pictures at the top of invoices, numbered from 1. None is ever deleted."""

from collections.abc import Collection

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all


class StoredLetterhead(Struct, frozen=True):
    """A picture in PNG or JPEG. width, height: in pixels."""

    number: int
    media_type: str
    width: int
    height: int
    content: bytes


async def find_letterheads(
    db: Connection, account_id: int, numbers: Collection[int]
) -> dict[int, StoredLetterhead]:
    """Some pictures, by number. Queries: one."""
    found = await fetch_all(
        db,
        """
        SELECT number, media_type, width, height, content
        FROM letterhead
        WHERE account_id = :account_id AND number IN (:numbers... AS bigint)
        """,
        {"account_id": account_id, "numbers": list(numbers)},
        into=StoredLetterhead,
    )
    return {each.number: each for each in found}


async def insert_letterhead(
    tx: Transaction, account_id: int, *, media_type: str, width: int, height: int, content: bytes
) -> int:
    """Store a picture; returns its number. The account is locked. Queries: one."""
    row = await tx.fetch_one(
        """
        INSERT INTO letterhead (
            account_id,
            number,
            media_type,
            width,
            height,
            content,
            created_at
        )
        SELECT
            :account_id,
            coalesce(max(number), 0) + 1,
            :media_type,
            :width,
            :height,
            :content,
            :moment
        FROM letterhead
        WHERE account_id = :account_id
        RETURNING number
        """,
        {
            "account_id": account_id,
            "media_type": media_type,
            "width": width,
            "height": height,
            "content": content,
            "moment": now(),
        },
    )
    assert row is not None
    return int(row["number"])
