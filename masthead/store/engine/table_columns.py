"""Read from the schema which columns a table has."""

from msgspec import Struct

from masthead.store.engine.interface import Connection


class Column(Struct, frozen=True):
    """A column of a table. type: of the database, such as `text`. is_nullable: may be NULL."""

    type: str
    is_nullable: bool


async def list_columns(db: Connection, table: str) -> dict[str, Column]:
    """The columns of a table, by name."""
    rows = await db.fetch_all(
        'SELECT name, lower(type) AS type, "notnull" = 0 AS nullable FROM pragma_table_info(:table)'
        if db.dialect == "sqlite"
        else """
        SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable
        FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = :table
        ORDER BY ordinal_position
        """,
        {"table": table},
    )
    return {row["name"]: Column(row["type"], bool(row["nullable"])) for row in rows}
