"""Two-step sign-in: authenticator apps, recovery codes, passkeys, and pending sign-ins.

They belong to people, not to accounts, and become reference tables on Citus.
"""

COLUMNS = (
    "ALTER TABLE account ADD COLUMN requires_second_factor boolean NOT NULL DEFAULT false",
    "ALTER TABLE app_user ADD COLUMN passkey_handle text",
    "ALTER TABLE web_session ADD COLUMN confirmed_at timestamptz",
)

TABLES = (
    """
    CREATE TABLE authenticator_app (
        user_id text NOT NULL,
        secret text NOT NULL,
        last_step bigint NOT NULL,
        created_at timestamptz NOT NULL,
        used_at timestamptz,
        CONSTRAINT authenticator_app_pk PRIMARY KEY (user_id),
        CONSTRAINT authenticator_app_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
    """
    CREATE TABLE recovery_code (
        user_id text NOT NULL,
        digest text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT recovery_code_pk PRIMARY KEY (user_id, digest),
        CONSTRAINT recovery_code_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
    """
    CREATE TABLE passkey (
        id text NOT NULL,
        user_id text NOT NULL,
        name text NOT NULL,
        public_key text NOT NULL,
        sign_count bigint NOT NULL,
        created_at timestamptz NOT NULL,
        used_at timestamptz,
        CONSTRAINT passkey_pk PRIMARY KEY (id),
        CONSTRAINT passkey_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
    """
    CREATE TABLE passkey_challenge (
        digest text NOT NULL,
        browser text NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT passkey_challenge_pk PRIMARY KEY (digest)
    )
    """,
    """
    CREATE TABLE pending_sign_in (
        digest text NOT NULL,
        user_id text NOT NULL,
        stamp text NOT NULL,
        failures bigint NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pending_sign_in_pk PRIMARY KEY (digest),
        CONSTRAINT pending_sign_in_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
)

INDEXES = (
    "CREATE INDEX passkey_by_user ON passkey (user_id)",
    "CREATE INDEX pending_sign_in_by_user ON pending_sign_in (user_id)",
)
STATEMENTS = (*COLUMNS, *TABLES, *INDEXES)
