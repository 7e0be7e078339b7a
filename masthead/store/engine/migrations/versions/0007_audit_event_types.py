"""Audit event types renamed: letters are emails, and statuses are updated.

The statement reads the audit trail once and changes only the entries with an old name. It is plain
SQL for SQLite, PostgreSQL and Citus.
"""

RENAMED = {
    "account.letter": "account.update_welcome_email",
    "account.test_letter": "account.test_welcome_email",
    "letter.retry": "email.retry",
    "subscription.settle": "subscription.update_status",
    "user.make_recovery_codes": "user.create_recovery_codes",
}
_CASES = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in RENAMED.items())
_NAMES = ", ".join(f"'{old}'" for old in RENAMED)
STATEMENTS = (
    f"""
    UPDATE audit
    SET action = CASE action {_CASES} END,
        subject_type = CASE subject_type WHEN 'letter' THEN 'email' ELSE subject_type END
    WHERE action IN ({_NAMES})
    """,  # noqa: S608 - the names above
)
