"""Conditions on the reader of a record, for ids of merged readers too."""


def is_of_reader(column: str) -> str:
    """The condition that a column has the id in `:subscriber`, or that of the reader merged into.

    The sub-select is evaluated once for a statement.
    """
    return f"""{column} = coalesce(
        (
            SELECT reader.merged_into
            FROM subscriber reader
            WHERE reader.account_id = :account_id AND reader.id = :subscriber
        ),
        :subscriber
    )"""  # noqa: S608 - the column is a constant of the caller
