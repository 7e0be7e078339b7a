"""Covers of issues, and spare copies in the forecast."""

STATEMENTS = (
    "ALTER TABLE account ADD COLUMN spare_percent bigint NOT NULL DEFAULT 0",
    """
    CREATE TABLE issue_cover (
        account_id bigint NOT NULL,
        issue_id text NOT NULL,
        media_type text NOT NULL,
        width bigint NOT NULL,
        height bigint NOT NULL,
        sha256 text NOT NULL,
        content bytea NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT issue_cover_pk PRIMARY KEY (account_id, issue_id),
        CONSTRAINT issue_cover_issue FOREIGN KEY (account_id, issue_id)
            REFERENCES issue (account_id, id)
    )
    """,
)
