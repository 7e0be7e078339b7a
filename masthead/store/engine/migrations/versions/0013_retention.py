"""The retention table: of those who ended with an issue, how many renewed, and how soon."""

STATEMENTS = (
    """
    CREATE TABLE retention (
        account_id bigint NOT NULL,
        issue_number bigint NOT NULL,
        medium text NOT NULL,
        source_id text NOT NULL,
        ended bigint NOT NULL,
        within_1 bigint NOT NULL,
        within_2 bigint NOT NULL,
        within_3 bigint NOT NULL,
        CONSTRAINT retention_pk PRIMARY KEY (account_id, issue_number, medium, source_id),
        CONSTRAINT retention_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    "CREATE INDEX period_by_last ON period (account_id, last_issue, id)",
)
