"""Pairs of subscribers who are not the same person.

The version before ignores them, and lists them as likely duplicates again.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE dismissed_pair (
        account_id bigint NOT NULL,
        subscriber_id text NOT NULL,
        other_id text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT dismissed_pair_pk PRIMARY KEY (account_id, subscriber_id, other_id),
        CONSTRAINT dismissed_pair_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    "CREATE INDEX dismissed_pair_by_other ON dismissed_pair (account_id, other_id)",
)
