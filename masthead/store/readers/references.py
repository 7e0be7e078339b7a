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


def has_email(column: str) -> str:
    """The condition that a column has the id of the reader with the email key in `:email`.

    The key of a merged reader leads to the kept one. The sub-select is evaluated once.
    """
    return f"""{column} = (
        SELECT coalesce(reader.merged_into, reader.id)
        FROM subscriber reader
        WHERE reader.account_id = :account_id AND reader.email_key = :email
    )"""  # noqa: S608 - the column is a constant of the caller
