"""${message}."""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None
oldest_user = ""  # the SCHEMA_VERSION of the oldest masthead that can use the schema after this


def upgrade() -> None:
    """Say what this step brings."""
    op.execute("")
