"""The page on which subscribers see and change what they have.

The version before does not have that page: links to it do not open there.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE self_service (
        account_id bigint NOT NULL,
        is_open boolean NOT NULL,
        actions text NOT NULL,
        introduction text NOT NULL,
        contact text NOT NULL,
        colour text NOT NULL,
        renewal_url text NOT NULL,
        has_codes boolean NOT NULL,
        page_url text NOT NULL,
        logo bytea,
        logo_type text,
        updated_at timestamptz NOT NULL,
        CONSTRAINT self_service_pk PRIMARY KEY (account_id),
        CONSTRAINT self_service_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE subscriber_link (
        account_id bigint NOT NULL,
        digest text NOT NULL,
        subscriber_id text NOT NULL,
        purpose text NOT NULL,
        email_digest text NOT NULL,
        new_email text,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        CONSTRAINT subscriber_link_pk PRIMARY KEY (account_id, digest),
        CONSTRAINT subscriber_link_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE INDEX subscriber_link_by_subscriber
    ON subscriber_link (account_id, subscriber_id, purpose)
    """,
    """
    CREATE TABLE subscriber_session (
        account_id bigint NOT NULL,
        digest text NOT NULL,
        subscriber_id text NOT NULL,
        email_digest text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT subscriber_session_pk PRIMARY KEY (account_id, digest),
        CONSTRAINT subscriber_session_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE INDEX subscriber_session_by_subscriber
    ON subscriber_session (account_id, subscriber_id)
    """,
    """
    CREATE TABLE subscriber_request (
        account_id bigint NOT NULL,
        id text NOT NULL,
        subscriber_id text NOT NULL,
        action text NOT NULL,
        status text NOT NULL,
        copy_id bigint,
        reason text,
        notes text,
        created_at timestamptz NOT NULL,
        closed_at timestamptz,
        actor_kind text,
        actor_id text,
        CONSTRAINT subscriber_request_pk PRIMARY KEY (account_id, id),
        CONSTRAINT subscriber_request_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE INDEX subscriber_request_by_subscriber
    ON subscriber_request (account_id, subscriber_id, id)
    """,
    """
    CREATE INDEX subscriber_request_waiting ON subscriber_request (account_id, id)
    WHERE status = 'waiting'
    """,
)
