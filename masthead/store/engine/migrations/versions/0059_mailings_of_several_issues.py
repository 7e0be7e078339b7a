"""Runs of several issues that go out together; who renews automatically; a number of spare copies.

`group_id` is the id of the first of these runs. The version before ignores it: it marks, undoes and
discards each of them alone. It stores retention without `automatic`, which counts as none,
and forecasts without `spare_copies`.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE dispatch ADD COLUMN group_id text",
    """
    CREATE INDEX dispatch_by_group ON dispatch (account_id, group_id) WHERE group_id IS NOT NULL
    """,
    "ALTER TABLE account ADD COLUMN spare_copies bigint NOT NULL DEFAULT 0",
    "ALTER TABLE retention ADD COLUMN automatic bigint",
)
