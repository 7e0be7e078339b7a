"""Which stored JSON of subscriptions an older masthead has made. decision 0064.

A masthead that does not know the new column leaves it as it is. So the JSON that it stores has
another `revision` than `format_revision`, and is rendered again. The index has only this JSON.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE subscription_document ADD COLUMN format_revision bigint",
    """
    CREATE INDEX subscription_document_by_format ON subscription_document (account_id, id)
        WHERE format_revision IS DISTINCT FROM revision
    """,
)
