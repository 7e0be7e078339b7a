"""Settings of direct debits, and the fee that a payer owes for one that came back.

The version before marks no first debit, and charges no fee.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE debit_settings ADD COLUMN marks_first boolean",
    "ALTER TABLE debit_settings ADD COLUMN charges_bank_fee boolean",
    "ALTER TABLE debit ADD COLUMN fee_id text",
    "CREATE INDEX debit_by_fee ON debit (account_id, fee_id) WHERE fee_id IS NOT NULL",
)
