"""Pictures at the top of invoices, and emails with an invoice attached.

Each picture stays: the invoices that were issued with it refer to its number. The version before
sends an email without its invoice: do not email any while it still runs.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE letterhead (
        account_id bigint NOT NULL,
        number bigint NOT NULL,
        media_type text NOT NULL,
        width bigint NOT NULL,
        height bigint NOT NULL,
        content bytea NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT letterhead_pk PRIMARY KEY (account_id, number),
        CONSTRAINT letterhead_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    "ALTER TABLE outbox ADD COLUMN invoice_id text",
    """
    CREATE INDEX outbox_by_invoice ON outbox (account_id, invoice_id)
    WHERE invoice_id IS NOT NULL
    """,
    "ALTER TABLE billing ADD COLUMN letterhead bigint NOT NULL DEFAULT 0",
)
