"""Issues that a subscription leaves out, such as during a holiday.

The version before ignores them: it adds the copies that they leave out, and shows these issues.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE skipped_issue (
        account_id bigint NOT NULL,
        subscription_id text NOT NULL,
        issue_number bigint NOT NULL,
        instead text NOT NULL,
        refund_id text,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT skipped_issue_pk PRIMARY KEY (account_id, subscription_id, issue_number),
        CONSTRAINT skipped_issue_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    "CREATE INDEX skipped_issue_by_issue ON skipped_issue (account_id, issue_number)",
)
