"""The invariants of reminders and holds: for each, a query for the ids of rows that break it."""

REMINDER_INVARIANTS = {
    "a hold because of an invoice lasts only while the invoice is open": """
        SELECT h.id
        FROM subscription_hold h
        LEFT JOIN invoice i ON i.account_id = h.account_id AND i.id = h.invoice_id
        WHERE h.account_id = :account_id
          AND h.invoice_id IS NOT NULL
          AND h.ended_at IS NULL
          AND (i.open_amount > 0) IS NOT TRUE
    """,
    "a fee belongs to a reminder, which asks for it, or to a debit that came back": """
        SELECT i.id
        FROM invoice i
        LEFT JOIN reminder r ON r.account_id = i.account_id AND r.fee_id = i.id
        LEFT JOIN debit d ON d.account_id = i.account_id AND d.fee_id = i.id
        WHERE i.account_id = :account_id
          AND i.kind = 'fee'
          AND (r.currency = i.currency AND r.total >= i.total) IS NOT TRUE
          AND d.id IS NULL
    """,
}
