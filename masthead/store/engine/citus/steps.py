"""The steps that distribute a database, from what it has; decided without a database."""

from collections.abc import Collection

from msgspec import Struct

from masthead.store.engine.citus.placement import Placement, is_in_place
from masthead.store.engine.citus.table_lists import COLUMN, DISTRIBUTED, FIRST, LOCAL, REFERENCE
from masthead.store.engine.interface import DatabaseError

# Keeps the foreign keys while they are removed; masthead refuses to start while it exists
MARK = "unfinished_distribution"
CREATE_MARK = f"""
    CREATE TABLE {MARK} (
        table_name text NOT NULL,
        name text NOT NULL,
        definition text NOT NULL,
        CONSTRAINT {MARK}_pk PRIMARY KEY (table_name, name)
    )
"""


class ForeignKey(Struct, frozen=True, order=True):
    """A foreign key. target: the table that it refers to, empty if it was removed."""

    table: str
    name: str
    definition: str
    target: str = ""

    @property
    def drop_sql(self) -> str:
        """The statement that removes it."""
        return f"ALTER TABLE {self.table} DROP CONSTRAINT {self.name}"

    @property
    def add_sql(self) -> str:
        """The statement that adds it."""
        return f"ALTER TABLE {self.table} ADD CONSTRAINT {self.name} {self.definition}"

    @property
    def save_sql(self) -> str:
        """The statement that stores it while it is removed."""
        texts = [text.replace("'", "''") for text in (self.table, self.name, self.definition)]
        values = ", ".join(f"'{text}'" for text in texts)
        return f"INSERT INTO {MARK} (table_name, name, definition) VALUES ({values})"  # noqa: S608 - names of the schema


class FoundTables(Struct, frozen=True, kw_only=True):
    """The tables of a database. removed: foreign keys of an unfinished distribution, else None."""

    placements: dict[str, Placement]
    foreign_keys: list[ForeignKey]
    removed: list[ForeignKey] | None = None


class Step(Struct, frozen=True):
    """A part of the work.

    transactions: its statements, those that are committed together; names: the tables or keys that
    they change, one for each, if there is more than one transaction.
    """

    text: str
    transactions: list[list[str]]
    names: list[str]


def plan_distribution(layout: FoundTables) -> list[Step]:
    """The steps that are left, in their order; none if every table is where it belongs.

    Raises: DatabaseError if a table is distributed in another way.
    """
    misplaced = [
        name
        for name in (*REFERENCE, *LOCAL, *DISTRIBUTED)
        if not is_in_place(name, layout.placements)
    ]
    _require_local(misplaced, layout)
    if not misplaced and layout.removed is None:
        return []
    steps, removed = [], layout.removed
    if removed is None:
        removed = _in_the_way(layout.foreign_keys, misplaced)
        steps.append(_remove(removed))
    references = [name for name in misplaced if name in REFERENCE]
    distributed = [name for name in misplaced if name in DISTRIBUTED]
    local = [name for name in misplaced if name in LOCAL]
    if local:
        steps.append(_place(f"Move {len(local)} tables back to this node", local))
    if references:
        text = "Copy to every node, as a reference table"
        steps.append(_place(text, references))
    if distributed:
        text = f"Distribute {len(distributed)} tables by `{COLUMN}`, each beside `{FIRST}`"
        steps.append(_place(text, distributed))
    steps.append(_empty())
    present = {(key.table, key.name) for key in layout.foreign_keys}
    if layout.removed is None:
        present -= {(key.table, key.name) for key in removed}
    steps.append(_add([key for key in removed if (key.table, key.name) not in present]))
    return steps


def require_nodes(nodes: Collection[str], unreachable: Collection[str]) -> None:
    """Raises: DatabaseError unless a node can take the rows, and all nodes reach each other.

    nodes: those that may take rows.
    """
    if not nodes:
        raise DatabaseError(
            "No node of Citus can take the rows of accounts. Add one on the coordinator with "
            "`SELECT citus_add_node('db1.internal', 5432)`. To keep rows on the coordinator, run "
            "`SELECT citus_set_node_property('db0.internal', 5432, 'shouldhaveshards', true)`."
        )
    if unreachable:
        raise DatabaseError(
            f"These nodes of Citus cannot be reached from all others: {', '.join(unreachable)}. "
            "Each node must reach all others; the function `citus_check_cluster_node_health()` "
            "shows between which nodes the connection fails."
        )


def _require_local(misplaced: Collection[str], layout: FoundTables) -> None:
    """Raises: DatabaseError if a table that is to be distributed is not an ordinary table."""
    for name in misplaced:
        found = layout.placements.get(name, Placement())
        if name not in LOCAL and found.kind not in ("local", "single"):
            raise DatabaseError(
                f"`{name}` {found}, which masthead does not expect. Run `SELECT "
                f"undistribute_table('{name}')` in psql, then this command again."
            )


def _in_the_way(keys: Collection[ForeignKey], misplaced: Collection[str]) -> list[ForeignKey]:
    """The foreign keys from or to a table that changes its place."""
    return sorted(key for key in keys if key.table in misplaced or key.target in misplaced)


def _remove(keys: Collection[ForeignKey]) -> Step:
    """Store and remove the foreign keys, all or none."""
    statements = [CREATE_MARK]
    for key in keys:
        statements += [key.save_sql, key.drop_sql]
    text = f"Remove {len(keys)} foreign keys, which the last step adds again"
    return Step(text, [statements], [])


def _place(text: str, names: Collection[str]) -> Step:
    text = f"{text}: {', '.join(names)}"
    return Step(text, [[placing_sql(name)] for name in names], list(names))


def placing_sql(name: str) -> str:
    """The statement that puts a table where it belongs."""
    if name in LOCAL:
        return f"SELECT undistribute_table('{name}')"
    if name in REFERENCE:
        return f"SELECT create_reference_table('{name}')"
    beside = "none" if name == FIRST else FIRST
    return f"SELECT create_distributed_table('{name}', '{COLUMN}', colocate_with => '{beside}')"


def _empty() -> Step:
    """Delete the rows that Citus leaves behind in the tables whose rows it has copied."""
    names = [*REFERENCE, *DISTRIBUTED]
    return Step(
        "Delete the copies of these rows that Citus leaves on this node",
        [[f"SELECT truncate_local_data_after_distributing_table('{name}')"] for name in names],
        names,
    )


def _add(keys: Collection[ForeignKey]) -> Step:
    return Step(
        f"Add {len(keys)} foreign keys, and let masthead start again",
        [*([key.add_sql] for key in keys), [f"DROP TABLE {MARK}"]],
        [*(key.name for key in keys), MARK],
    )
