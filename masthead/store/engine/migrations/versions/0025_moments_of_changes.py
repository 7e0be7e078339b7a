"""When subscriptions, subscribers and issues were last changed. decision 0065.

An older masthead leaves the new columns as they are. A change of a subscription without a moment
counts as just made; subscribers and issues without one were changed when they were created. What
is stored already of subscriptions has the first moment, so that no migration writes each row.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    ALTER TABLE account_state
        ADD COLUMN changed_at timestamptz NOT NULL DEFAULT '1970-01-01T00:00:00.000000+00:00'
    """,
    "ALTER TABLE subscription_change ADD COLUMN changed_at timestamptz",
    """
    ALTER TABLE subscription_document
        ADD COLUMN changed_at timestamptz NOT NULL DEFAULT '1970-01-01T00:00:00.000000+00:00'
    """,
    "ALTER TABLE subscriber ADD COLUMN changed_at timestamptz",
    "ALTER TABLE issue ADD COLUMN changed_at timestamptz",
    """
    CREATE INDEX subscription_document_by_change
    ON subscription_document (account_id, changed_at, id)
    """,
    """
    CREATE INDEX subscriber_by_change
    ON subscriber (account_id, coalesce(changed_at, created_at), id)
    """,
)
