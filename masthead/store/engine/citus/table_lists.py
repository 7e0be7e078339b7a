"""The place of each table on Citus.

A distributed table is split by account: all rows of an account are on one node, and so are the
rows of the same account in all other distributed tables. A reference table is on every node: Citus
writes to it on all nodes or none. A local table is only on the coordinator, which masthead connects
to, so it can be written while other nodes are away. `tests/store/citus` compares the three lists
with the schema.
"""

from masthead.model.exports.contents import EXPORT_FILES, LEFT_OUT_OF_ACCOUNT, LEFT_OUT_OF_SERVER

# Distributed by this column; the other tables are placed like this one
COLUMN, FIRST = "account_id", "account_state"

# Distributed tables refer to it
REFERENCE = ("account",)
# People, what they sign in with, API keys, leases and secrets; and the state of the database itself
_UNFINISHED = ("unfinished_distribution", "unfinished_work")
LOCAL = tuple(sorted({"account_user", "api_key", *LEFT_OUT_OF_SERVER, *_UNFINISHED}))
_OF_ACCOUNT = {*(exported.table for exported in EXPORT_FILES), *LEFT_OUT_OF_ACCOUNT}
DISTRIBUTED = (FIRST, *sorted(_OF_ACCOUNT.difference({FIRST, *REFERENCE, *LOCAL})))
