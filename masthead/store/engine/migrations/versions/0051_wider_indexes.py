"""Indexes with all that the renewal lists ask of a subscription, and of others of its subscriber.

The version before uses them under the same names.
"""

oldest_user = "0018"

STATEMENTS = (
    "DROP INDEX subscription_by_last",
    """
    CREATE INDEX subscription_by_last ON subscription (
        account_id, last_issue, id, start_issue, status, is_recurring, medium, country,
        subscriber_id, bundle_id, is_comp
    )
    """,
    "DROP INDEX subscription_by_subscriber",
    """
    CREATE INDEX subscription_by_subscriber ON subscription (
        account_id, subscriber_id, id, start_issue, last_issue, status
    )
    """,
    "DROP INDEX period_by_last",
    "CREATE INDEX period_by_last ON period (account_id, last_issue, id, subscription_id)",
)
