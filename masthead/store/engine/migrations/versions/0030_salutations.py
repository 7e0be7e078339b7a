"""Salutation and title of subscribers, and a postal address of their own, as givers need it.

A line of a run keeps the salutation and the title with its frozen address. The version before
ignores all of it.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE subscriber ADD COLUMN salutation text",
    "ALTER TABLE subscriber ADD COLUMN title text",
    "ALTER TABLE subscriber ADD COLUMN address1 text",
    "ALTER TABLE subscriber ADD COLUMN address2 text",
    "ALTER TABLE subscriber ADD COLUMN city text",
    "ALTER TABLE subscriber ADD COLUMN state text",
    "ALTER TABLE subscriber ADD COLUMN postcode text",
    "ALTER TABLE subscriber ADD COLUMN country text",
    "ALTER TABLE dispatch_line ADD COLUMN salutation text",
    "ALTER TABLE dispatch_line ADD COLUMN title text",
)
