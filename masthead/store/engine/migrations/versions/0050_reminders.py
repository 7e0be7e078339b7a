"""Indexes for reminders: subscribers without email, those with an address, and credit."""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE INDEX subscriber_without_email ON subscriber (
        account_id, id, is_placeholder, bounced_at
    )
    WHERE is_placeholder OR bounced_at IS NOT NULL
    """,
    """
    CREATE INDEX subscription_with_address ON subscription (account_id, subscriber_id)
    WHERE coalesce(address1, address2) IS NOT NULL AND coalesce(city, postcode) IS NOT NULL
    """,
    "CREATE INDEX invoice_credit ON invoice (account_id, payer_id, open_amount)"
    " WHERE open_amount < 0",
)
