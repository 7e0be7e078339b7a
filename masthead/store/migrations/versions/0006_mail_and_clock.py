"""Emails being sent, links that are made when they are sent, leases and heartbeat by steady clocks.

Emails that wait with a one-time link in clear lose it: only its digest stays, and another link
for the same user is made when they are sent.
"""

import hashlib
import re

from alembic import op
from sqlalchemy import text

revision = "0006"
down_revision = "0003"
branch_labels = None
depends_on = None

STATEMENTS = (
    # null until the first attempt
    "ALTER TABLE outbox ADD COLUMN sending_at timestamptz",
    # of the sign-in link that is written into the email when it is sent
    "ALTER TABLE outbox ADD COLUMN link_digest text",
    # milliseconds by the database's clock; 0 has ended
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
LINK = re.compile(r"/link/([\w-]{43})/")


def upgrade() -> None:
    """Add them to the data that is there."""
    for statement in STATEMENTS:
        op.execute(statement)
    connection = op.get_bind()
    waiting = connection.execute(
        text(
            "SELECT account_id, id, body FROM outbox WHERE is_secret AND body <> ''"
            " ORDER BY account_id, id"
        )
    ).all()
    for account_id, id, body in waiting:
        found = LINK.search(body)
        if found is None:
            continue
        digest = hashlib.sha256(found[1].encode()).hexdigest()
        connection.execute(
            text(
                "UPDATE outbox SET body = :body, link_digest = :digest"
                " WHERE account_id = :account_id AND id = :id"
            ),
            {
                "body": LINK.sub("/link/{token}/", body),
                "digest": digest,
                "account_id": account_id,
                "id": id,
            },
        )
