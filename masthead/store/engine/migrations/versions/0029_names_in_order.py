"""The order of subscribers and subscriptions by name. The version before needs nothing else.

`id <> ''`, which is always true, keeps SQLite from using these indexes for other lists.
"""

from masthead.store.name_order import RECIPIENT_KEY, SUBSCRIBER_KEY

oldest_user = "0018"

_SUBSCRIBERS = """
    CREATE INDEX subscriber_by_name
    ON subscriber (account_id, {})
    WHERE merged_into IS NULL AND id <> ''
"""
_SUBSCRIPTIONS = """
    CREATE INDEX subscription_by_name
    ON subscription (account_id, {})
    WHERE id <> ''
"""
STATEMENTS = ()
SQLITE = (
    _SUBSCRIBERS.format(SUBSCRIBER_KEY["sqlite"]),
    _SUBSCRIPTIONS.format(RECIPIENT_KEY["sqlite"]),
)
POSTGRES = (
    _SUBSCRIBERS.format(SUBSCRIBER_KEY["postgres"]),
    _SUBSCRIPTIONS.format(RECIPIENT_KEY["postgres"]),
)
