"""Subscriptions that are left out of a round of renewal letters, and batches that were stopped.

An older masthead ignores both: it writes to everyone, and sees stopped letters as written.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE letter_exclusion (
        account_id bigint NOT NULL,
        stage text NOT NULL,
        period_id bigint NOT NULL,
        subscription_id text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT letter_exclusion_pk PRIMARY KEY (account_id, stage, period_id),
        CONSTRAINT letter_exclusion_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    "ALTER TABLE letter_batch ADD COLUMN stopped_at timestamptz",
    "ALTER TABLE letter_batch ADD COLUMN stopped bigint NOT NULL DEFAULT 0",
)
