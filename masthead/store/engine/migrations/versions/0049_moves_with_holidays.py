"""Where a planned change of address for good begins, if an address for a holiday divides it.

The version before sees the parts of such a change as changes of one group, and sends each issue
to the same address.
"""

oldest_user = "0018"

STATEMENTS = ("ALTER TABLE address_change ADD COLUMN move_first_issue bigint",)
