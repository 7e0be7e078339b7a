"""The web area: passwords, sessions, one-time links, forms sent twice, trends and their indexes.

Sign-in data of a person belongs to no single account, and becomes reference tables on Citus.
"""

COLUMNS = (
    "ALTER TABLE account ADD COLUMN locale text NOT NULL DEFAULT 'en_GB'",
    "ALTER TABLE app_user ADD COLUMN password_hash text",
    "ALTER TABLE app_user ADD COLUMN has_shortcuts boolean NOT NULL DEFAULT true",
    "ALTER TABLE app_user ADD COLUMN seen_at timestamptz",
    "ALTER TABLE api_key ADD COLUMN created_by text",
    "ALTER TABLE api_key ADD COLUMN replaced_by text",
    "ALTER TABLE outbox ADD COLUMN is_secret boolean NOT NULL DEFAULT false",
    "ALTER TABLE product ADD COLUMN is_active boolean NOT NULL DEFAULT true",
    "ALTER TABLE account_state ADD COLUMN trend_writes bigint NOT NULL DEFAULT -1",
    "ALTER TABLE account_state ADD COLUMN trend_at timestamptz",
)

TABLES = (
    """
    CREATE TABLE secret (
        name text NOT NULL,
        value text NOT NULL,
        CONSTRAINT secret_pk PRIMARY KEY (name)
    )
    """,
    """
    CREATE TABLE sign_in_link (
        digest text NOT NULL,
        user_id text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT sign_in_link_pk PRIMARY KEY (digest),
        CONSTRAINT sign_in_link_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
    """
    CREATE TABLE web_session (
        digest text NOT NULL,
        user_id text NOT NULL,
        created_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL,
        address text NOT NULL,
        CONSTRAINT web_session_pk PRIMARY KEY (digest),
        CONSTRAINT web_session_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
    """
    CREATE TABLE throttle (
        name text NOT NULL,
        failures bigint NOT NULL,
        failed_at timestamptz NOT NULL,
        CONSTRAINT throttle_pk PRIMARY KEY (name)
    )
    """,
    """
    CREATE TABLE submission (
        account_id bigint NOT NULL,
        digest text NOT NULL,
        result text NOT NULL,
        made_at timestamptz NOT NULL,
        CONSTRAINT submission_pk PRIMARY KEY (account_id, digest),
        CONSTRAINT submission_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE trend (
        account_id bigint NOT NULL,
        trend_date date NOT NULL,
        active_subscriptions bigint NOT NULL,
        active_subscribers bigint NOT NULL,
        CONSTRAINT trend_pk PRIMARY KEY (account_id, trend_date),
        CONSTRAINT trend_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
)

INDEXES = (
    "CREATE INDEX sign_in_link_by_user ON sign_in_link (user_id)",
    "CREATE INDEX web_session_by_user ON web_session (user_id)",
    "CREATE INDEX account_user_by_user ON account_user (user_id)",
    # the columns after the id serve the desk's other filters, without reading the rows
    "CREATE INDEX subscription_by_status"
    " ON subscription (account_id, status, id, country, source_id, is_gift)",
    "CREATE INDEX period_by_currency ON period (account_id, currency)",
    "CREATE INDEX outbox_by_account ON outbox (account_id, status, id)",
    "CREATE INDEX subscriber_by_active ON subscriber (account_id, has_active_subscription, id)",
    # all columns that a forecast or a renewal list needs, so that neither reads a row
    "DROP INDEX subscription_by_last",
    "CREATE INDEX subscription_by_last ON subscription"
    " (account_id, last_issue, id, start_issue, status, is_recurring, medium, country)",
    "CREATE INDEX period_by_end ON period (account_id, period_end, id)",
    "CREATE INDEX audit_by_actor ON audit (account_id, actor_id, action, id)",
    "CREATE INDEX audit_by_action ON audit (account_id, action, id)",
)
STATEMENTS = (*COLUMNS, *TABLES, *INDEXES)
