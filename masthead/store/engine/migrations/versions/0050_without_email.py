"""An index of the subscribers whom no email reaches, for the pages of reminders."""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE INDEX subscriber_without_email ON subscriber (
        account_id, id, is_placeholder, bounced_at
    )
    WHERE is_placeholder OR bounced_at IS NOT NULL
    """,
)
