"""The order of subscribers and subscriptions by name. The version before can use it.

The indexes of SQLite are made by `0042_shorter_name_indexes`.
"""

from masthead.store.name_order import RECIPIENT_KEY, SUBSCRIBER_KEY

oldest_user = "0018"

STATEMENTS = ()
POSTGRES = (
    f"""
    CREATE INDEX subscriber_by_name
    ON subscriber (account_id, {SUBSCRIBER_KEY["postgres"]})
    WHERE merged_into IS NULL AND id <> ''
    """,
    f"""
    CREATE INDEX subscription_by_name
    ON subscription (account_id, {RECIPIENT_KEY["postgres"]})
    WHERE id <> ''
    """,
)
