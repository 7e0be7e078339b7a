"""Emails being sent, links created at sending, leases and the heartbeat.

Waiting emails with a one-time link in plain text lose it: only the digest of the link stays,
and another link for the same user is created when they are sent.
"""

STATEMENTS = (
    # null until the first attempt
    "ALTER TABLE outbox ADD COLUMN sending_at timestamptz",
    # of the sign-in link that is written into the email when it is sent
    "ALTER TABLE outbox ADD COLUMN link_digest text",
    # milliseconds by the database's clock; 0: it has ended
    "ALTER TABLE lease ADD COLUMN until_tick bigint NOT NULL DEFAULT 0",
    """
    CREATE TABLE heartbeat (
        name text NOT NULL,
        seen_at timestamptz NOT NULL,
        boot_id text NOT NULL,
        uptime_ms bigint NOT NULL,
        CONSTRAINT heartbeat_pk PRIMARY KEY (name)
    )
    """,
)
# `/link/`, then 43 characters of a token
WAITING = """
    UPDATE outbox SET
        body = substr(body, 1, {place} + 5) || '{{token}}' || substr(body, {place} + 49),
        link_digest = coalesce(
            (
                SELECT max(digest)
                FROM sign_in_link JOIN app_user ON app_user.id = sign_in_link.user_id
                WHERE app_user.email = outbox.recipient
            ),
            ''
        )
    WHERE is_secret AND {place} > 0
"""
SQLITE = (WAITING.format(place="instr(body, '/link/')"),)
POSTGRES = (WAITING.format(place="strpos(body, '/link/')"),)
