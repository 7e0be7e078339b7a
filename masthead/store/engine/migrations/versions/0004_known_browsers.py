"""Signing in: known browsers, the browser of a session, invitations that wait for an answer.

Sign-in data of a person belongs to no single account, and becomes reference tables on Citus.
"""

STATEMENTS = (
    "ALTER TABLE web_session ADD COLUMN browser text NOT NULL DEFAULT ''",
    "ALTER TABLE account_user ADD COLUMN is_pending boolean NOT NULL DEFAULT false",
    "ALTER TABLE sign_in_link ADD COLUMN account_id bigint",
    """
    CREATE TABLE known_browser (
        digest text NOT NULL,
        user_id text NOT NULL,
        created_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL,
        CONSTRAINT known_browser_pk PRIMARY KEY (digest, user_id),
        CONSTRAINT known_browser_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
    "CREATE INDEX known_browser_by_user ON known_browser (user_id, seen_at)",
)
