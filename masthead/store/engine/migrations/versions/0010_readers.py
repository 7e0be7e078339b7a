"""Notes on subscribers, merged subscribers and planned changes of addresses.

A merged subscriber keeps its row, which names the subscriber that it was merged into, so that its
id and email address lead there.
"""

COLUMNS = (
    "ALTER TABLE subscriber ADD COLUMN merged_into text",
    "ALTER TABLE app_user ADD COLUMN locale text",
    # the reader that an email is for; null for emails to users
    "ALTER TABLE outbox ADD COLUMN subscriber_id text",
)

TABLES = (
    """
    CREATE TABLE subscriber_note (
        account_id bigint NOT NULL,
        id text NOT NULL,
        subscriber_id text NOT NULL,
        text text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        deleted_at timestamptz,
        deleted_by_kind text,
        deleted_by_id text,
        CONSTRAINT subscriber_note_pk PRIMARY KEY (account_id, id),
        CONSTRAINT subscriber_note_subscriber FOREIGN KEY (account_id, subscriber_id)
            REFERENCES subscriber (account_id, id)
    )
    """,
    """
    CREATE TABLE subscriber_merge (
        account_id bigint NOT NULL,
        id text NOT NULL,
        kept_id text NOT NULL,
        merged_id text NOT NULL,
        moved text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        undone_at timestamptz,
        undone_by_kind text,
        undone_by_id text,
        CONSTRAINT subscriber_merge_pk PRIMARY KEY (account_id, id),
        CONSTRAINT subscriber_merge_kept FOREIGN KEY (account_id, kept_id)
            REFERENCES subscriber (account_id, id),
        CONSTRAINT subscriber_merge_merged FOREIGN KEY (account_id, merged_id)
            REFERENCES subscriber (account_id, id)
    )
    """,
    """
    CREATE TABLE address_change (
        account_id bigint NOT NULL,
        id text NOT NULL,
        group_id text NOT NULL,
        subscriber_id text NOT NULL,
        subscription_id text NOT NULL,
        first_issue bigint NOT NULL,
        last_issue bigint,
        first_name text,
        last_name text,
        company text,
        address1 text,
        address2 text,
        city text,
        state text,
        postcode text,
        country text NOT NULL,
        phone text,
        status text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        ended_at timestamptz,
        CONSTRAINT address_change_pk PRIMARY KEY (account_id, id),
        CONSTRAINT address_change_subscription FOREIGN KEY (account_id, subscription_id)
            REFERENCES subscription (account_id, id)
    )
    """,
)

INDEXES = (
    "CREATE INDEX subscriber_by_merged ON subscriber (account_id, merged_into, id)",
    "CREATE INDEX subscriber_note_by_subscriber ON subscriber_note (account_id, subscriber_id, id)",
    "CREATE INDEX subscriber_merge_by_kept ON subscriber_merge (account_id, kept_id, id)",
    "CREATE INDEX subscriber_merge_by_merged ON subscriber_merge (account_id, merged_id, id)",
    "CREATE INDEX address_change_by_subscription"
    " ON address_change (account_id, subscription_id, status, first_issue)",
    "CREATE INDEX address_change_by_subscriber ON address_change (account_id, subscriber_id, id)",
    "CREATE INDEX address_change_by_status ON address_change (account_id, status, first_issue)",
)
STATEMENTS = (*COLUMNS, *TABLES, *INDEXES)
