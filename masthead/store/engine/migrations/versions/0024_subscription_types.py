"""An index for the filter `type` of subscriptions, alone and with `status`. decision 0065."""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE INDEX subscription_by_type
    ON subscription (account_id, type, status, id, country, source_id, is_gift)
    """,
)
