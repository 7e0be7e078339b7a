"""Build the UPDATE statement for the changed columns of a record."""

from collections.abc import Iterable

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
