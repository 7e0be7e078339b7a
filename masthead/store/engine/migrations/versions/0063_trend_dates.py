"""The day of the account for which its trend was counted.

The version before leaves it as it is; then the trend is counted once more.
"""

oldest_user = "0018"

STATEMENTS = ("ALTER TABLE account_state ADD COLUMN trend_date date",)
