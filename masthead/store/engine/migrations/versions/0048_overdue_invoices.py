"""Indexes for pages about a whole account: overdue invoices with their last reminders, and
subscriptions that have ended but are not Complete.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE INDEX invoice_overdue ON invoice (
        account_id, payer_id, currency, due_date, id, open_amount, kind
    )
    WHERE (kind = 'invoice' AND open_amount > 0) IS TRUE
    """,
    """
    CREATE INDEX reminder_item_stage ON reminder_item (
        account_id, invoice_id, stage, reminder_id
    )
    """,
    "CREATE INDEX reminder_by_date ON reminder (account_id, reminded_date, id, status)",
    "CREATE INDEX reminder_skipped ON reminder (account_id, id) WHERE status = 'skipped'",
    """
    CREATE INDEX subscription_live ON subscription (account_id, last_issue, id)
    WHERE status = 'Active - Renewals stopped' OR (status = 'Active' AND is_recurring = false)
    """,
)
