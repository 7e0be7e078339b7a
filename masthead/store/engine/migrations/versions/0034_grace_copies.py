"""Grace copies: issues that a subscription still gets after its last paid one.

A grace copy has an id of the counter of the copies, so that it can become a copy once its issue is
paid. The version before ignores grace copies that went out, and sends these issues again.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE account ADD COLUMN grace_copies bigint NOT NULL DEFAULT 0",
    "ALTER TABLE dispatch ADD COLUMN grace_copies bigint NOT NULL DEFAULT 0",
    "ALTER TABLE dispatch_line ADD COLUMN is_grace boolean",
    """
    CREATE TABLE grace_copy (
        account_id bigint NOT NULL,
        id bigint NOT NULL,
        subscription_id text NOT NULL,
        issue_number bigint NOT NULL,
        dispatch_id text NOT NULL,
        status text NOT NULL,
        date_sent date,
        CONSTRAINT grace_copy_pk PRIMARY KEY (account_id, id),
        CONSTRAINT grace_copy_subscription FOREIGN KEY (account_id, subscription_id)
            REFERENCES subscription (account_id, id),
        CONSTRAINT grace_copy_dispatch FOREIGN KEY (account_id, dispatch_id)
            REFERENCES dispatch (account_id, id)
    )
    """,
    """
    CREATE UNIQUE INDEX grace_copy_once ON grace_copy (account_id, subscription_id, issue_number)
    WHERE status <> 'left'
    """,
    "CREATE INDEX grace_copy_by_subscription ON grace_copy (account_id, subscription_id, id)",
    "CREATE INDEX grace_copy_by_dispatch ON grace_copy (account_id, dispatch_id, id)",
)
