"""The days for which a change of address is planned, so that it follows release dates.

The version before ignores them: it keeps the issues, which this version stores too.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE address_change ADD COLUMN first_day date",
    "ALTER TABLE address_change ADD COLUMN last_day date",
)
