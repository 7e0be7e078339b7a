"""Indexes for the pages of large accounts: the emails to a subscriber, and givers by their email."""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE INDEX outbox_by_subscriber ON outbox (account_id, subscriber_id)
    WHERE subscriber_id IS NOT NULL
    """,
    "CREATE INDEX outbox_by_recipient ON outbox (account_id, lower(recipient))",
    "CREATE INDEX outbox_by_letter ON outbox (account_id, letter_id) WHERE letter_id IS NOT NULL",
    """
    CREATE INDEX subscription_by_gifter_email ON subscription (account_id, lower(gifter_email))
    WHERE gifter_email IS NOT NULL
    """,
)
