"""The events of an account, for programs. decision 0062.

Their numbers have no gaps, so `account_state` counts them.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE account_state ADD COLUMN last_event bigint NOT NULL DEFAULT 0",
    """
    CREATE TABLE event (
        account_id bigint NOT NULL,
        number bigint NOT NULL,
        type text NOT NULL,
        record_id text NOT NULL,
        happened_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        data text,
        CONSTRAINT event_pk PRIMARY KEY (account_id, number),
        CONSTRAINT event_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    "CREATE INDEX event_by_type ON event (account_id, type, number)",
    "CREATE INDEX event_by_record ON event (account_id, record_id, number)",
)
