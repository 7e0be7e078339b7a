"""Indexes for the sums of invoices by day, and for payers who get no reminders."""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE INDEX invoice_sums ON invoice (
        account_id, issue_date, currency, kind, total, id
    )
    """,
    """
    CREATE INDEX invoice_line_amounts ON invoice_line (
        account_id, invoice_id, country, category, rate, net, vat
    )
    """,
    """
    CREATE INDEX payer_not_reminded ON payer (account_id, subscriber_id)
    WHERE reminders_stopped_at IS NOT NULL
    """,
)
