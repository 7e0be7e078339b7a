"""Sources of orders: shops, imports and masthead's own checkout."""

from collections.abc import Mapping

from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.ids import new_id
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.resources import Source
from masthead.model.types.enums import SourceType
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one, insert_row, to_struct
from masthead.store.pagination import PaginatedList, fetch_page
from masthead.store.update_statement import update_columns

SOURCES = PaginatedList(table="source", alias="o")

_SOURCE = """
    SELECT id, name, type, is_active
    FROM source
    WHERE account_id = :account_id AND id = :id
"""


async def list_sources(db: Connection, account_id: int, page: PageRequest) -> Page[Source]:
    """Sources of an account, newest first. Queries: one. Index: the primary key."""
    select = "SELECT id, name, type, is_active"
    rows = await fetch_page(db, account_id, SOURCES, select, after=page.after_id, fetch=page.fetch)
    return cut_page([to_struct(row, Source) for row in rows], page)


async def list_all_sources(db: Connection, account_id: int) -> list[Source]:
    """All sources of an account, oldest first. Queries: one. Index: the primary key."""
    return await fetch_all(
        db,
        """
        SELECT id, name, type, is_active
        FROM source
        WHERE account_id = :account_id
        ORDER BY id
        """,
        {"account_id": account_id},
        into=Source,
    )


async def find_source(db: Connection, account_id: int, id: str) -> Source | None:
    """A source by id, or None."""
    return await fetch_one(db, _SOURCE, {"account_id": account_id, "id": id}, into=Source)


async def insert_source(tx: Transaction, account_id: int, *, name: str, type: SourceType) -> Source:
    """Add a source."""
    source = Source(id=new_id(account_id), name=name, type=type, is_active=True)
    await insert_row(
        tx,
        "source",
        account_id=account_id,
        id=source.id,
        name=name,
        type=type,
        is_active=True,
        created_at=now(),
    )
    return source


async def update_source(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> Source:
    """Set columns of a source. Raises: NotFound."""
    source = await fetch_one(
        tx,
        update_columns("source", columns) + " RETURNING id, name, type, is_active",
        {**columns, "account_id": account_id, "id": id},
        into=Source,
    )
    if source is None:
        raise NotFound("source", id)
    return source
