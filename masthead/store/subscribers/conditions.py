"""Conditions on the subscriber of a record, for ids of merged subscribers too."""

from masthead.model.types.email_addresses import stored_keys


def is_of_subscriber(column: str) -> str:
    """The condition that a column has the id in `:subscriber`, or that of the one merged into.

    The sub-select is evaluated once for a statement.
    """
    return f"""{column} = coalesce(
        (
            SELECT subscriber.merged_into
            FROM subscriber
            WHERE subscriber.account_id = :account_id AND subscriber.id = :subscriber
        ),
        :subscriber
    )"""  # noqa: S608 - the column is a constant of the caller


# The ids of the subscribers with the id in `:asked` or a key in `:keys`, or of those merged into
ASKED = """
    SELECT coalesce(merged_into, id) AS id
    FROM subscriber
    WHERE account_id = :account_id AND id = :asked
    UNION ALL
    SELECT coalesce(merged_into, id) AS id
    FROM subscriber
    WHERE account_id = :account_id AND email_key IN (:keys...)
"""
# The parameter of `has_one_of_emails`: the keys of the emails that a query asks for
SEVERAL_EMAILS = {"email": (stored_keys, "emails")}


def has_email(column: str) -> str:
    """The condition that a column has the id of the subscriber with the email key in `:email`.

    The key of a merged subscriber identifies the kept one. The sub-select is evaluated once.
    """
    return f"""{column} = (
        SELECT coalesce(subscriber.merged_into, subscriber.id)
        FROM subscriber
        WHERE subscriber.account_id = :account_id AND subscriber.email_key = :email
    )"""  # noqa: S608 - the column is a constant of the caller


def has_one_of_emails(column: str) -> str:
    """The same for the keys in `:emails`. Of several subscribers, the oldest one counts."""
    return f"""{column} = (
        SELECT min(coalesce(subscriber.merged_into, subscriber.id))
        FROM subscriber
        WHERE subscriber.account_id = :account_id AND subscriber.email_key IN (:emails...)
    )"""  # noqa: S608 - the column is a constant of the caller
