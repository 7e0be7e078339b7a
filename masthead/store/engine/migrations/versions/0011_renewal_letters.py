"""Renewal letters: their texts by stage, the letters themselves, and who wants none.

There is one letter for each period and stage, so a reader never gets the same letter twice. The
email of a letter is the row of the outbox with the same id; a printed letter has its own text and
address.
"""

COLUMNS = (
    "ALTER TABLE subscriber ADD COLUMN unsubscribed_at timestamptz",
    "ALTER TABLE subscriber ADD COLUMN bounced_at timestamptz",
    "ALTER TABLE subscriber ADD COLUMN bounce_reason text",
    "ALTER TABLE outbox ADD COLUMN letter_id text",
    "ALTER TABLE outbox ADD COLUMN unsubscribe_url text",
)

TABLES = (
    """
    CREATE TABLE renewal_stage (
        account_id bigint NOT NULL,
        stage text NOT NULL,
        subject text NOT NULL,
        text text NOT NULL,
        is_automatic boolean NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT renewal_stage_pk PRIMARY KEY (account_id, stage),
        CONSTRAINT renewal_stage_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE letter_batch (
        account_id bigint NOT NULL,
        id text NOT NULL,
        stage text NOT NULL,
        channel text NOT NULL,
        issue_number bigint NOT NULL,
        letters bigint NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT letter_batch_pk PRIMARY KEY (account_id, id),
        CONSTRAINT letter_batch_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE renewal_letter (
        account_id bigint NOT NULL,
        id text NOT NULL,
        batch_id text NOT NULL,
        period_id bigint NOT NULL,
        stage text NOT NULL,
        channel text NOT NULL,
        status text NOT NULL,
        subscription_id text NOT NULL,
        subscriber_id text NOT NULL,
        subject text,
        body text,
        address text,
        reason text,
        created_at timestamptz NOT NULL,
        ended_at timestamptz,
        CONSTRAINT renewal_letter_pk PRIMARY KEY (account_id, id),
        CONSTRAINT renewal_letter_batch FOREIGN KEY (account_id, batch_id)
            REFERENCES letter_batch (account_id, id)
    )
    """,
)

# Of indexes that seem equal on an empty table, PostgreSQL uses the newest one: the last of these
INDEXES = (
    "CREATE INDEX renewal_letter_by_batch ON renewal_letter (account_id, batch_id, id)",
    "CREATE INDEX renewal_letter_by_subscriber ON renewal_letter (account_id, subscriber_id, id)",
    "CREATE UNIQUE INDEX renewal_letter_once ON renewal_letter (account_id, period_id, stage)",
)
STATEMENTS = (*COLUMNS, *TABLES, *INDEXES)
