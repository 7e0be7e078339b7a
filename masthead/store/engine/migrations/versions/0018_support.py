"""Which versions of masthead can use the schema, so that an older one can run on a newer one.

`store.engine.migrate` writes the row after each migration. Earlier versions of masthead refuse
every newer schema. See decision 0053.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE schema_support (
        version text PRIMARY KEY,
        oldest_user text NOT NULL
    )
    """,
)
