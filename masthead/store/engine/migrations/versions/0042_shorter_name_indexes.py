"""The indexes on names, and the open amounts of payers. The version before can use both.

The first indexes on names had so many calls within calls that SQLite before 3.46 could not open the
file any more; a program such as `sqlite3` often is older than the SQLite that masthead brings.
`id <> ''`, which is always true, keeps SQLite from using these indexes for other lists.
"""

from masthead.store.name_order import RECIPIENT_KEY, SUBSCRIBER_KEY

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE INDEX invoice_open_by_payer
    ON invoice (account_id, payer_id, currency, open_amount, due_date)
    WHERE open_amount <> 0
    """,
)
SQLITE = (
    "DROP INDEX IF EXISTS subscriber_by_name",
    f"""
    CREATE INDEX subscriber_by_name
    ON subscriber (account_id, {SUBSCRIBER_KEY["sqlite"]})
    WHERE merged_into IS NULL AND id <> ''
    """,
    "DROP INDEX IF EXISTS subscription_by_name",
    f"""
    CREATE INDEX subscription_by_name
    ON subscription (account_id, {RECIPIENT_KEY["sqlite"]})
    WHERE id <> ''
    """,
)
