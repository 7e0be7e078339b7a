"""Sandboxes: accounts for trying out, with a clock of their own.

The day of a sandbox is the `daily_date` of its account. Everything is done up to `done_date`; a
move ends at `goal_date`. The version before runs no daily pass on an account that is ahead of the
clock, and sends no email with the status `kept`.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE account ADD COLUMN is_sandbox boolean NOT NULL DEFAULT false",
    """
    CREATE TABLE sandbox (
        account_id bigint NOT NULL,
        data text NOT NULL,
        first_date date NOT NULL,
        done_date date NOT NULL,
        goal_date date NOT NULL,
        source_id text,
        created_at timestamptz NOT NULL,
        CONSTRAINT sandbox_pk PRIMARY KEY (account_id),
        CONSTRAINT sandbox_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
)
