"""Indexes without the rows in which their column is NULL, which are nearly all rows.

They cost a write less, and SQLite counted NULL as a value that all rows have, so that it did not
use them. The version before uses them under the same names.
"""

oldest_user = "0018"

STATEMENTS = (
    "DROP INDEX invoice_by_corrected",
    """
    CREATE INDEX invoice_by_corrected ON invoice (account_id, corrects_id)
    WHERE corrects_id IS NOT NULL
    """,
    "DROP INDEX settlement_by_credit_note",
    """
    CREATE INDEX settlement_by_credit_note ON settlement (account_id, credit_note_id, id)
    WHERE credit_note_id IS NOT NULL
    """,
    "DROP INDEX settlement_by_payback",
    """
    CREATE INDEX settlement_by_payback ON settlement (account_id, payback_id, id)
    WHERE payback_id IS NOT NULL
    """,
    "DROP INDEX claim_by_dispatch",
    """
    CREATE INDEX claim_by_dispatch ON claim (account_id, dispatch_id, id)
    WHERE dispatch_id IS NOT NULL
    """,
    "DROP INDEX period_by_end",
    """
    CREATE INDEX period_by_end ON period (account_id, period_end, id)
    WHERE period_end IS NOT NULL
    """,
)
