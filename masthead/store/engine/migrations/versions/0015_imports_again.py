"""Imports: what rows said about their subscribers, and the issues that a batch created."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE import_row ADD COLUMN said text",
    "ALTER TABLE import_batch ADD COLUMN issues text NOT NULL DEFAULT '[]'",
)


def upgrade() -> None:
    """Add them to the existing data."""
    for statement in STATEMENTS:
        op.execute(statement)
