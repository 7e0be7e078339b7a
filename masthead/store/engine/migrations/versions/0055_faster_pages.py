"""Indexes for large accounts: emails to a subscriber and those with a link, givers, free copies."""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE INDEX outbox_by_subscriber ON outbox (account_id, subscriber_id)
    WHERE subscriber_id IS NOT NULL
    """,
    "CREATE INDEX outbox_by_recipient ON outbox (account_id, lower(recipient))",
    "CREATE INDEX outbox_secret ON outbox (status, next_attempt_at) WHERE is_secret = true",
    "CREATE INDEX outbox_by_letter ON outbox (account_id, letter_id) WHERE letter_id IS NOT NULL",
    """
    CREATE INDEX subscription_by_gifter_email ON subscription (account_id, lower(gifter_email))
    WHERE gifter_email IS NOT NULL
    """,
    # With the columns of its condition, so that SQLite prefers it and reads nothing else
    """
    CREATE INDEX copy_free ON copy (account_id, issue_number, status, dispatch_id, subscription_id)
    WHERE dispatch_id IS NULL AND status = 'Not sent'
    """,
)
