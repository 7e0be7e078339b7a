"""How many copies of released issues an account has not sent, for monitoring.

They are counted with the trend, which is outdated now.
"""

STATEMENTS = (
    "ALTER TABLE account_state ADD COLUMN owed_copies bigint NOT NULL DEFAULT 0",
    "ALTER TABLE account_state ADD COLUMN owed_date date",
    "UPDATE account_state SET trend_at = NULL",
)
