"""Who created a one-time link, because a link works only while they could create it.

It is not known for links from before this migration, or from an older masthead: they do not work.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE sign_in_link ADD COLUMN actor_kind text",
    "ALTER TABLE sign_in_link ADD COLUMN actor_id text",
)
