"""Which versions of masthead can use the schema, so that an older one can run on a newer one.

Earlier versions of masthead refuse every newer schema. See decision 0053.
"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None
oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE schema_support (
        version text PRIMARY KEY,
        oldest_user text NOT NULL
    )
    """,
)


def upgrade() -> None:
    """Create the table; `store.engine.migrate` writes its row after each migration."""
    for statement in STATEMENTS:
        op.execute(statement)
