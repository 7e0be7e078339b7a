"""Audit event types renamed: letters are emails, and statuses are updated.

The statement reads the audit trail once and changes only the entries with an old name. It is plain
SQL for SQLite, PostgreSQL and Citus.
"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

RENAMED = {
    "account.letter": "account.update_welcome_email",
    "account.test_letter": "account.test_welcome_email",
    "letter.retry": "email.retry",
    "subscription.settle": "subscription.update_status",
    "user.make_recovery_codes": "user.create_recovery_codes",
}


def upgrade() -> None:
    """Rename them in the entries that exist."""
    cases = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in RENAMED.items())
    names = ", ".join(f"'{old}'" for old in RENAMED)
    op.execute(
        f"""
        UPDATE audit
        SET action = CASE action {cases} END,
            subject_type = CASE subject_type WHEN 'letter' THEN 'email' ELSE subject_type END
        WHERE action IN ({names})
        """  # noqa: S608 - the names above
    )
