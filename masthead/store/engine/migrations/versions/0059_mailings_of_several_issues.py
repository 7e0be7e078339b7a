"""Runs of several issues that go out together: `group_id` is the id of the first of them.

The version before ignores it: it marks, undoes and discards each of them alone.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE dispatch ADD COLUMN group_id text",
    """
    CREATE INDEX dispatch_by_group ON dispatch (account_id, group_id) WHERE group_id IS NOT NULL
    """,
)
