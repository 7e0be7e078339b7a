"""The invariants of revenue statements: for each, a query for the ids of the rows that break it."""

REVENUE_INVARIANTS = {
    "a ready statement has its figures and hashes, and no other has": """
        SELECT id
        FROM revenue_statement
        WHERE account_id = :account_id
          AND (
              (figures IS NOT NULL) <> (status = 'ready')
              OR (sha256 IS NOT NULL) <> (status = 'ready')
              OR (orders_sha256 IS NOT NULL) <> (status = 'ready')
              OR (ready_at IS NOT NULL) <> (status = 'ready')
              OR (error IS NOT NULL) <> (status = 'failed')
          )
    """,
    "only a ready statement has files": """
        SELECT DISTINCT p.statement_id AS id
        FROM revenue_statement_part p
        LEFT JOIN revenue_statement s
            ON s.account_id = p.account_id AND s.id = p.statement_id AND s.status = 'ready'
        WHERE p.account_id = :account_id AND s.id IS NULL
    """,
}
