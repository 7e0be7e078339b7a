"""The stage and the day of the last reminder beside each invoice, which pages count by.

It writes them for existing reminders. No release before had any.
"""

oldest_user = "0018"

_LAST = """
    FROM reminder_item t
    JOIN reminder r ON r.account_id = t.account_id AND r.id = t.reminder_id
    WHERE t.account_id = invoice.account_id
      AND t.invoice_id = invoice.id
      AND t.stage > 0
      AND r.status <> 'skipped'
"""
STATEMENTS = (
    "ALTER TABLE invoice ADD COLUMN reminder_stage bigint NOT NULL DEFAULT 0",
    "ALTER TABLE invoice ADD COLUMN reminded_date date",
    f"""
    UPDATE invoice
    SET reminder_stage = coalesce((SELECT max(t.stage) {_LAST}), 0),
        reminded_date = (SELECT max(r.reminded_date) {_LAST})
    WHERE (account_id, id) IN (SELECT account_id, invoice_id FROM reminder_item WHERE stage > 0)
    """,  # noqa: S608 - a constant
    "DROP INDEX invoice_overdue",
    """
    CREATE INDEX invoice_overdue ON invoice (
        account_id, payer_id, currency, due_date, id, open_amount, reminder_stage, reminded_date,
        kind
    )
    WHERE (kind = 'invoice' AND open_amount > 0) IS TRUE
    """,
    "DROP INDEX reminder_item_stage",
    "DROP INDEX reminder_by_date",
    "DROP INDEX reminder_skipped",
)
