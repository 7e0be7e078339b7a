"""Webhooks: endpoints, and the messages that were sent to them. decision 0063.

A message has no row before its first attempt: an endpoint has the number of the last event that it
was sent.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE webhook (
        account_id bigint NOT NULL,
        id text NOT NULL,
        url text NOT NULL,
        types text NOT NULL,
        status text NOT NULL,
        disabled_reason text,
        signing_keys text NOT NULL,
        last_number bigint NOT NULL,
        missed bigint NOT NULL,
        failing_at timestamptz,
        mailed_at timestamptz,
        created_at timestamptz NOT NULL,
        CONSTRAINT webhook_pk PRIMARY KEY (account_id, id),
        CONSTRAINT webhook_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE webhook_delivery (
        account_id bigint NOT NULL,
        webhook_id text NOT NULL,
        number bigint NOT NULL,
        status text NOT NULL,
        attempts bigint NOT NULL,
        created_at timestamptz NOT NULL,
        attempted_at timestamptz,
        next_attempt_at timestamptz,
        duration_ms bigint,
        answer_status bigint,
        answer text,
        error text,
        CONSTRAINT webhook_delivery_pk PRIMARY KEY (account_id, webhook_id, number),
        CONSTRAINT webhook_delivery_webhook
            FOREIGN KEY (account_id, webhook_id) REFERENCES webhook (account_id, id)
    )
    """,
    """
    CREATE INDEX webhook_delivery_by_time
    ON webhook_delivery (account_id, webhook_id, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL
    """,
    """
    CREATE INDEX webhook_delivery_by_status
    ON webhook_delivery (account_id, webhook_id, status, number)
    """,
    """
    CREATE INDEX webhook_delivery_failed
    ON webhook_delivery (account_id)
    WHERE status = 'failed'
    """,
)
