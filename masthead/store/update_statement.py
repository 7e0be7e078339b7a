"""Change columns of a record, or of some; or add it, if there is none."""

from collections.abc import Iterable, Sequence

from masthead.store.engine.interface import Transaction
from masthead.store.moments import MOMENT


def update_columns(
    table: str,
    columns: Iterable[str],
    where: str = "account_id = :account_id AND id = :id",
    *,
    has_moment: bool = False,
) -> str:
    """The statement that sets columns, each to the parameter of its name.

    has_moment: whether it also sets `changed_at`.
    """
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    if has_moment:
        assignments += f", changed_at = {MOMENT}"
    return f"UPDATE {table} SET {assignments} WHERE {where}"  # noqa: S608 - names of our columns


async def update_row(
    tx: Transaction, account_id: int, table: str, id: str | int, /, **columns: object
) -> int:
    """Set columns of a record; returns how many rows it has changed. Queries: one."""
    values = {**columns, "account_id": account_id, "id": id}
    return await tx.execute(update_columns(table, columns), values)


async def upsert_row(
    tx: Transaction, account_id: int, table: str, key: Sequence[str], /, **columns: object
) -> None:
    """Insert a row, or set the columns of the one with the same key. Queries: one.

    key: its columns beside the account.
    """
    names = ["account_id", *columns]
    values = ", ".join(f":{name}" for name in names)
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    await tx.execute(
        f"""
        INSERT INTO {table} ({", ".join(names)})
        VALUES ({values})
        ON CONFLICT ({", ".join(["account_id", *key])}) DO UPDATE SET {changes}
        """,  # noqa: S608 - names of our tables and columns
        {**columns, "account_id": account_id},
    )
