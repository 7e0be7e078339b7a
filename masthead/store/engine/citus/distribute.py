"""Distribute a database over the nodes of Citus: look, plan, and do what the plan says.

Each step can be interrupted: the next run looks at the database again and does what is left.
"""

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from masthead.store.engine.citus.placement import HAS_CITUS, PLACEMENTS, placements_from
from masthead.store.engine.citus.steps import (
    MARK,
    ForeignKey,
    FoundTables,
    Step,
    plan_distribution,
    require_nodes,
)
from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.interface import DatabaseError, is_postgres
from masthead.store.engine.moving.errors import named_errors
from masthead.store.engine.moving.places import count_others
from masthead.store.engine.moving.postgres_target import only_mover

Progress = Callable[[Step, int], None]  # the step, and how many of its transactions are done

FOREIGN_KEYS = """
    SELECT
        c.relname AS table_name,
        k.conname AS name,
        pg_get_constraintdef(k.oid) AS definition,
        t.relname AS target
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_class t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND k.connamespace = to_regnamespace(current_schema())
"""
NODES = """
    SELECT nodename || ':' || nodeport AS node
    FROM pg_dist_node
    WHERE isactive AND shouldhaveshards
    ORDER BY 1
"""
# From each node to each other one; the result is null if the first cannot be reached itself
UNREACHABLE = """
    SELECT DISTINCT
        CASE
            WHEN result IS NULL THEN from_nodename || ':' || from_nodeport
            ELSE to_nodename || ':' || to_nodeport
        END AS node
    FROM citus_check_cluster_node_health()
    WHERE result IS NOT TRUE
    ORDER BY 1
"""


class Distribution:
    """A database that is being distributed. steps: what is left; nodes: that get the rows."""

    def __init__(self, connection: Any, steps: list[Step], nodes: list[str]) -> None:
        self._connection, self.steps, self.nodes = connection, steps, nodes

    async def run(self, on_progress: Progress) -> None:
        """Do all steps. Raises: DatabaseError if another program uses the database."""
        if others := await count_others(self._connection):
            raise DatabaseError(
                f"The database is in use. Other connections: {others}. Stop masthead on all "
                "machines and close other programs, then run the command again."
            )
        for step in self.steps:
            on_progress(step, 0)
            for number, statements in enumerate(step.transactions, 1):
                async with self._connection.transaction():
                    for statement in statements:
                        await self._connection.execute(statement)
                on_progress(step, number)


@contextlib.asynccontextmanager
async def open_distribution(url: str) -> AsyncIterator[Distribution]:
    """The distribution of the database of a URL. Raises: DatabaseError."""
    if not is_postgres(url):
        raise DatabaseError(
            "Only a PostgreSQL database with the extension Citus can be distributed; this is "
            "SQLite. `masthead copy-database` copies it to PostgreSQL."
        )
    with named_errors(url):
        async with only_mover(url) as connection:
            await _require_citus(connection)
            steps = plan_distribution(await _read_layout(connection))
            nodes = [row["node"] for row in await connection.fetch(NODES)]
            if steps:
                unreachable = [row["node"] for row in await connection.fetch(UNREACHABLE)]
                require_nodes(nodes, unreachable)
            yield Distribution(connection, steps, nodes)


async def _require_citus(connection: Any) -> None:
    """Raises: DatabaseError unless the database has Citus, and the tables of this masthead."""
    if not await connection.fetchval(HAS_CITUS):
        raise DatabaseError(
            "This PostgreSQL database does not have the extension Citus, so its tables cannot be "
            "distributed. Add `citus` to `shared_preload_libraries` on all nodes, restart them, "
            "and run `CREATE EXTENSION citus` in this database."
        )
    if await connection.fetchval("SELECT to_regclass('unfinished_work') IS NOT NULL"):
        raise DatabaseError("A copy or a restore of this database was stopped; complete it first.")
    version = None
    if await connection.fetchval("SELECT to_regclass('alembic_version') IS NOT NULL"):
        version = await connection.fetchval("SELECT version_num FROM alembic_version")
    if version != SCHEMA_VERSION:
        raise DatabaseError(
            f"The database has version {version or 'none'}, this masthead {SCHEMA_VERSION}; run "
            "`masthead migrate` first."
        )


async def _read_layout(connection: Any) -> FoundTables:
    removed = None
    if await connection.fetchval(f"SELECT to_regclass('{MARK}') IS NOT NULL"):
        rows = await connection.fetch(f"SELECT table_name, name, definition FROM {MARK}")  # noqa: S608 - our own name
        removed = [ForeignKey(*row) for row in rows]
    return FoundTables(
        placements=placements_from(await connection.fetch(PLACEMENTS)),
        foreign_keys=[ForeignKey(*row) for row in await connection.fetch(FOREIGN_KEYS)],
        removed=removed,
    )
