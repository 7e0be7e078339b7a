"""Fewer foreign keys and smaller indexes, so that imports take less time.

A copy has the period and the subscriber of its subscription, which has a foreign key; `masthead
check` compares them. Indexes on columns that are mostly null leave these rows out. On PostgreSQL,
one index finds the texts of subscribers and of subscriptions. decision 0050.
"""

INDEXES = (
    "DROP INDEX copy_by_period",
    "DROP INDEX copy_by_dispatch",
    """
    CREATE INDEX copy_by_dispatch ON copy (account_id, dispatch_id, id)
        WHERE dispatch_id IS NOT NULL
    """,
    "DROP INDEX subscription_by_gifter",
    """
    CREATE INDEX subscription_by_gifter ON subscription (account_id, gifter_id, id)
        WHERE gifter_id IS NOT NULL
    """,
    "DROP INDEX subscription_by_bundle",
    """
    CREATE INDEX subscription_by_bundle ON subscription (account_id, bundle_id, id)
        WHERE bundle_id IS NOT NULL
    """,
    "DROP INDEX subscriber_by_merged",
    """
    CREATE INDEX subscriber_by_merged ON subscriber (account_id, merged_into, id)
        WHERE merged_into IS NOT NULL
    """,
)
POSTGRES_KEYS = "ALTER TABLE copy DROP CONSTRAINT copy_period, DROP CONSTRAINT copy_subscriber"
# SQLite drops no constraints; this is how its manual removes a foreign key without a new table
SQLITE_KEYS = (
    "PRAGMA writable_schema = ON",
    """
    UPDATE sqlite_schema
    SET sql = replace(
        replace(
            sql,
            'CONSTRAINT copy_period FOREIGN KEY (account_id, period_id)
            REFERENCES period (account_id, id),',
            ''
        ),
        'CONSTRAINT copy_subscriber FOREIGN KEY (account_id, subscriber_id)
            REFERENCES subscriber (account_id, id),',
        ''
    )
    WHERE type = 'table' AND name = 'copy'
    """,
    "PRAGMA writable_schema = RESET",
    # fails, and so undoes the migration, if another program has written that text differently
    """
    CREATE TEMP TABLE copy_keys (
        keys integer,
        CONSTRAINT the_text_of_the_table_copy_is_not_that_of_masthead CHECK (keys = 0)
    )
    """,
    """
    INSERT INTO copy_keys
    SELECT count(*)
    FROM pragma_foreign_key_list('copy')
    WHERE "table" IN ('period', 'subscriber')
    """,
    "DROP TABLE copy_keys",
)
POSTGRES_SEARCH = (
    "DROP INDEX IF EXISTS searchable_by_subscription",
    "DROP INDEX IF EXISTS searchable_by_subscriber",
)
TRIGRAMS = (  # without them, searches are slower but correct
    """
    CREATE INDEX searchable_by_text ON searchable
        USING gin ((subscriber_text || shared_text || subscription_text) gin_trgm_ops)
    """,
)
STATEMENTS = INDEXES
SQLITE = SQLITE_KEYS
POSTGRES = (POSTGRES_KEYS, *POSTGRES_SEARCH)
