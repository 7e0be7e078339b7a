"""Imports with their rows, saved mappings, erased subscribers and retention of personal data.

An import is a batch with a number. Its rows name what they made, so that it can be undone; refused
rows keep their cells. An erased subscriber is remembered only by digests.
"""

COLUMNS = ("ALTER TABLE account ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC'",)

TABLES = (
    """
    CREATE TABLE import_batch (
        account_id bigint NOT NULL,
        id text NOT NULL,
        number bigint,
        name text NOT NULL,
        sha256 text NOT NULL,
        bytes bigint NOT NULL,
        status text NOT NULL,
        source_id text,
        options text NOT NULL,
        decisions text NOT NULL,
        layout text NOT NULL,
        counts text NOT NULL,
        reasons text NOT NULL,
        error text,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        started_at timestamptz,
        finished_at timestamptz,
        undone_at timestamptz,
        undone_by_kind text,
        undone_by_id text,
        CONSTRAINT import_batch_pk PRIMARY KEY (account_id, id),
        CONSTRAINT import_batch_number UNIQUE (account_id, number),
        CONSTRAINT import_batch_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE import_file_part (
        account_id bigint NOT NULL,
        batch_id text NOT NULL,
        part bigint NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT import_file_part_pk PRIMARY KEY (account_id, batch_id, part),
        CONSTRAINT import_file_part_batch FOREIGN KEY (account_id, batch_id)
            REFERENCES import_batch (account_id, id)
    )
    """,
    """
    CREATE TABLE import_row (
        account_id bigint NOT NULL,
        batch_id text NOT NULL,
        line bigint NOT NULL,
        part bigint NOT NULL,
        outcome text NOT NULL,
        order_id text,
        subscription_id text,
        subscriber_id text,
        period_id bigint,
        made text,
        reasons text,
        cells text,
        CONSTRAINT import_row_pk PRIMARY KEY (account_id, batch_id, line, part),
        CONSTRAINT import_row_batch FOREIGN KEY (account_id, batch_id)
            REFERENCES import_batch (account_id, id)
    )
    """,
    """
    CREATE TABLE import_mapping (
        account_id bigint NOT NULL,
        name text NOT NULL,
        mapping text NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT import_mapping_pk PRIMARY KEY (account_id, name),
        CONSTRAINT import_mapping_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE erasure (
        account_id bigint NOT NULL,
        id text NOT NULL,
        subscriber_id text NOT NULL,
        kept text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        cleaned_at timestamptz,
        CONSTRAINT erasure_pk PRIMARY KEY (account_id, id),
        CONSTRAINT erasure_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE erasure_digest (
        account_id bigint NOT NULL,
        digest text NOT NULL,
        erasure_id text NOT NULL,
        CONSTRAINT erasure_digest_pk PRIMARY KEY (account_id, digest, erasure_id),
        CONSTRAINT erasure_digest_erasure FOREIGN KEY (account_id, erasure_id)
            REFERENCES erasure (account_id, id)
    )
    """,
    """
    CREATE TABLE account_export (
        account_id bigint NOT NULL,
        id text NOT NULL,
        status text NOT NULL,
        row_count bigint,
        bytes bigint,
        sha256 text,
        error text,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        ready_at timestamptz,
        CONSTRAINT account_export_pk PRIMARY KEY (account_id, id),
        CONSTRAINT account_export_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE account_export_part (
        account_id bigint NOT NULL,
        export_id text NOT NULL,
        part bigint NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT account_export_part_pk PRIMARY KEY (account_id, export_id, part),
        CONSTRAINT account_export_part_export FOREIGN KEY (account_id, export_id)
            REFERENCES account_export (account_id, id)
    )
    """,
    """
    CREATE TABLE retention_rule (
        account_id bigint NOT NULL,
        kind text NOT NULL,
        months bigint NOT NULL,
        is_automatic boolean NOT NULL,
        position bigint NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT retention_rule_pk PRIMARY KEY (account_id, kind),
        CONSTRAINT retention_rule_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
)

INDEXES = (
    "CREATE INDEX account_export_by_status ON account_export (status, created_at)",
    "CREATE INDEX import_batch_by_status ON import_batch (status, created_at)",
    "CREATE INDEX import_row_by_outcome ON import_row (account_id, batch_id, outcome, line)",
    "CREATE INDEX import_row_by_subscription ON import_row (account_id, subscription_id)",
    "CREATE INDEX import_row_by_subscriber ON import_row (account_id, subscriber_id)",
    # without it, both databases read all copies of the account for each period that is deleted
    "CREATE INDEX copy_by_period ON copy (account_id, period_id)",
    "CREATE INDEX erasure_by_subscriber ON erasure (account_id, subscriber_id)",
)
STATEMENTS = (*COLUMNS, *TABLES, *INDEXES)
