"""Tables and indexes for fast reads: stored JSON, an index for each list, one for search."""

DOCUMENTS = (
    """
    CREATE TABLE subscription_document (
        account_id bigint NOT NULL,
        id text NOT NULL,
        revision bigint NOT NULL,
        document bytea NOT NULL,
        CONSTRAINT subscription_document_pk PRIMARY KEY (account_id, id),
        CONSTRAINT subscription_document_subscription FOREIGN KEY (account_id, id)
            REFERENCES subscription (account_id, id)
    )
    """,
    # without a foreign key, which would be most of its cost; `masthead check` checks it instead
    """
    CREATE TABLE subscription_change (
        account_id bigint NOT NULL,
        id text NOT NULL,
        revision bigint NOT NULL,
        CONSTRAINT subscription_change_pk PRIMARY KEY (account_id, id, revision)
    )
    """,
    "INSERT INTO subscription_change (account_id, id, revision)"
    " SELECT account_id, id, 0 FROM subscription",
    # subscriptions that show an issue's name or charge date
    "CREATE INDEX subscription_by_start ON subscription (account_id, start_issue, id)",
    "CREATE INDEX subscription_by_last ON subscription (account_id, last_issue, id)",
)

# Copies are found by the number of their issue, which is shorter than its id by 30 bytes. The
# column before the id has few values: a list without that filter merges them (`store.pagination`).
# Of two indexes that seem equal, PostgreSQL uses the newer one, so the more specific come later.
LISTS: tuple[str, ...] = (
    "DROP INDEX copy_by_issue",
    "CREATE INDEX copy_by_country ON copy (account_id, country, status, id)",
    "CREATE INDEX copy_by_issue ON copy (account_id, issue_number, status, id)",
    "CREATE INDEX copy_by_issue_country ON copy (account_id, issue_number, country, status, id)",
    "CREATE INDEX copy_by_subscription ON copy (account_id, subscription_id, id)",
    "DROP INDEX subscription_by_country",
    "DROP INDEX subscription_by_source",
    "CREATE INDEX subscription_by_gift ON subscription (account_id, is_gift, id)",
    "CREATE INDEX subscription_by_country ON subscription (account_id, country, is_gift, id)",
    "CREATE INDEX subscription_by_source ON subscription (account_id, source_id, is_gift, id)",
    "CREATE INDEX subscription_by_country_source"
    " ON subscription (account_id, country, source_id, is_gift, id)",
)

# A row for the searchable text of a subscriber, a subscription or both (`model/search.py`),
# numbered `account · 2^32 + n` in the order of their ids. Existing records get their own rows
SEARCH: tuple[str, ...] = (
    "ALTER TABLE subscriber ADD COLUMN n bigint NOT NULL DEFAULT 0",
    "ALTER TABLE subscription ADD COLUMN n bigint NOT NULL DEFAULT 0",
    """
    UPDATE subscriber SET n = subscriber.account_id * 4294967296 + numbered.n
    FROM (SELECT account_id, id, row_number() OVER (PARTITION BY account_id ORDER BY id) AS n
        FROM subscriber) AS numbered
    WHERE numbered.account_id = subscriber.account_id AND numbered.id = subscriber.id
    """,
    """
    UPDATE subscription SET n = subscription.account_id * 4294967296 + numbered.n
    FROM (SELECT s.account_id, s.id,
            row_number() OVER (PARTITION BY s.account_id ORDER BY s.id) + u.readers AS n
        FROM subscription s
        JOIN (SELECT account_id, count(*) AS readers FROM subscriber GROUP BY account_id) AS u
            ON u.account_id = s.account_id) AS numbered
    WHERE numbered.account_id = subscription.account_id AND numbered.id = subscription.id
    """,
    """
    INSERT INTO searchable (account_id, n, subscriber_id, subscription_id, shared_text,
        subscription_text, subscriber_text)
    SELECT account_id, n, id, NULL, '', '', search_text || '\n\n' FROM subscriber ORDER BY n
    """,
    """
    INSERT INTO searchable (account_id, n, subscriber_id, subscription_id, shared_text,
        subscription_text, subscriber_text)
    SELECT account_id, n, NULL, id, '', search_text || '\n\n', '' FROM subscription ORDER BY n
    """,
    "ALTER TABLE subscriber DROP COLUMN search_text",
    "ALTER TABLE subscription DROP COLUMN search_text",
)
SEARCHABLE = """
    CREATE TABLE searchable (
        account_id bigint NOT NULL,
        n bigint NOT NULL,
        subscriber_id text,
        subscription_id text,
        shared_text text NOT NULL,
        subscription_text text NOT NULL,
        subscriber_text text NOT NULL,
        CONSTRAINT searchable_pk PRIMARY KEY (account_id, n),
        CONSTRAINT searchable_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
"""
SQLITE_SEARCHABLE = SEARCHABLE.replace(  # the row's key in table and index
    "n bigint NOT NULL", "n integer PRIMARY KEY"
).replace("CONSTRAINT searchable_pk PRIMARY KEY (account_id, n),", "")
SQLITE_INDEX = (
    """
    CREATE VIRTUAL TABLE search_index USING fts5(shared_text, subscription_text, subscriber_text,
        content='searchable', content_rowid='n', columnsize=0, detail=column,
        tokenize='trigram case_sensitive 1')
    """,
    # a commit adds a segment; if 8 are merged, not 4, an import takes a tenth less time
    "INSERT INTO search_index (search_index, rank) VALUES ('automerge', 8)",
    "CREATE VIRTUAL TABLE search_trigram USING fts5vocab('search_index', 'row')",
    "INSERT INTO search_index (search_index) VALUES ('rebuild')",
)
TRIGRAMS = (  # without them, slower but correct
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    """
    CREATE INDEX searchable_by_subscription ON searchable
        USING gin ((shared_text || subscription_text) gin_trgm_ops)
    """,
    """
    CREATE INDEX searchable_by_subscriber ON searchable
        USING gin ((shared_text || subscriber_text) gin_trgm_ops) WHERE subscriber_id IS NOT NULL
    """,
)
STATEMENTS = (*DOCUMENTS, *LISTS)
SQLITE = (SQLITE_SEARCHABLE, *SEARCH, *SQLITE_INDEX)
POSTGRES = (SEARCHABLE, *SEARCH)
