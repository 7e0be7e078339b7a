"""The placement of the tables of a database on Citus, compared with where they belong."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from masthead.store.engine.citus.table_lists import COLUMN, DISTRIBUTED, FIRST, LOCAL, REFERENCE
from masthead.store.engine.interface import Connection

# Without Citus, this table does not exist. The view `citus_tables` says the same, but asks all
# nodes for the size of each part of each table, which takes seconds.
HAS_CITUS = "SELECT 1 AS found WHERE to_regclass('pg_dist_partition') IS NOT NULL"
IS_DISTRIBUTED = f"""
    SELECT 1 AS found
    FROM pg_dist_partition
    WHERE logicalrelid = to_regclass('{FIRST}') AND partkey IS NOT NULL
"""  # noqa: S608 - our own name
PLACEMENTS = """
    SELECT
        c.relname AS name,
        CASE
            WHEN p.partkey IS NOT NULL THEN 'distributed'
            WHEN p.repmodel = 't' THEN 'reference'
            WHEN p.colocationid = 0 THEN 'local'
            ELSE 'distributed'
        END AS kind,
        coalesce(column_to_column_name(p.logicalrelid, p.partkey), '<none>') AS distribution_column,
        p.colocationid AS colocation_id
    FROM pg_dist_partition p
    JOIN pg_class c ON c.oid = p.logicalrelid
    WHERE c.relnamespace = to_regnamespace(current_schema())
"""
NODES_BY_STATE = """
    SELECT
        CASE WHEN isactive THEN 'active' ELSE 'inactive' END AS state,
        count(*) AS count
    FROM pg_dist_node
    WHERE shouldhaveshards
    GROUP BY 1
"""

SIZE = "SELECT pg_database_size(current_database()) AS bytes"
# Unknown if a node does not answer
SIZE_ON_ALL_NODES = """
    SELECT CASE
        WHEN bool_and(success) THEN sum(CASE WHEN success THEN CAST(result AS bigint) END)
    END AS bytes
    FROM run_command_on_all_nodes('SELECT pg_database_size(current_database())')
"""


class Placement(Struct, frozen=True):
    """The placement of a table by Citus; `local` if it has none.

    distribution_column: only of a distributed table. colocation_id: the same for tables whose rows
    of an account are on the same node.
    """

    kind: str = "local"
    distribution_column: str = ""
    colocation_id: int = 0

    def __str__(self) -> str:
        if self.kind != "distributed":
            return f"is a {self.kind} table"
        return f"is distributed by `{self.distribution_column}`, group {self.colocation_id}"


def placements_from(rows: Iterable[Any]) -> dict[str, Placement]:
    """The placements by table, from the rows of `PLACEMENTS`."""
    return {
        row["name"]: Placement(row["kind"], row["distribution_column"], row["colocation_id"])
        for row in rows
    }


def is_in_place(name: str, placements: dict[str, Placement]) -> bool:
    """Whether a table is where it belongs."""
    found = placements.get(name, Placement())
    if name in REFERENCE:
        return found.kind == "reference"
    if name in LOCAL:
        return found.kind == "local"
    group = placements.get(FIRST, Placement()).colocation_id
    return found == Placement("distributed", COLUMN, group)


async def is_distributed(db: Connection) -> bool | None:
    """Whether masthead has distributed the database; None without Citus."""
    if db.dialect == "sqlite" or await db.fetch_one(HAS_CITUS, {}) is None:
        return None
    return await db.fetch_one(IS_DISTRIBUTED, {}) is not None


async def list_misplaced(db: Connection) -> list[str]:
    """The tables that are not where they belong, each with its place.

    Empty without Citus, and on a database that has not been distributed.
    """
    if not await is_distributed(db):
        return []
    placements = placements_from(await db.fetch_all(PLACEMENTS, {}))
    return [
        f"`{name}` {placements.get(name, Placement())}"
        for name in (*REFERENCE, *LOCAL, *DISTRIBUTED)
        if not is_in_place(name, placements)
    ]


async def count_nodes(db: Connection) -> dict[str, int]:
    """The number of Citus nodes with rows, by state; empty without Citus. Queries: two at most."""
    if db.dialect == "sqlite" or await db.fetch_one(HAS_CITUS, {}) is None:
        return {}
    counts = {"active": 0, "inactive": 0}
    for row in await db.fetch_all(NODES_BY_STATE, {}):
        counts[row["state"]] = int(row["count"])
    return counts


async def measure_database(db: Connection) -> int | None:
    """The bytes that a PostgreSQL database takes, on Citus on all nodes; None if unknown.

    Also None on SQLite, which tells the size of its file itself. Queries: two.
    """
    if db.dialect == "sqlite":
        return None
    has_citus = await db.fetch_one(HAS_CITUS, {}) is not None
    row = await db.fetch_one(SIZE_ON_ALL_NODES if has_citus else SIZE, {})
    return None if row is None or row["bytes"] is None else int(row["bytes"])
