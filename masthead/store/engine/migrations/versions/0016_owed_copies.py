"""How many copies of released issues an account has not sent, for monitoring.

They are counted with the trend, which is outdated now.
"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE account_state ADD COLUMN owed_copies bigint NOT NULL DEFAULT 0",
    "ALTER TABLE account_state ADD COLUMN owed_date date",
    "UPDATE account_state SET trend_at = NULL",
)


def upgrade() -> None:
    """Add them to the existing data."""
    for statement in STATEMENTS:
        op.execute(statement)
