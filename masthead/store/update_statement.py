"""Build the UPDATE statement for the changed columns of a record."""

from collections.abc import Iterable


def update_columns(
    table: str, columns: Iterable[str], where: str = "account_id = :account_id AND id = :id"
) -> str:
    """The statement that sets columns, each to the parameter of its name."""
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    return f"UPDATE {table} SET {assignments} WHERE {where}"  # noqa: S608 - names of our columns
