"""The invariants of imports: for each, a query for the ids of the rows that break it."""

IMPORT_INVARIANTS = {
    "an imported row has its order": """
        SELECT r.order_id AS id
        FROM import_row r
        JOIN import_batch b ON b.account_id = r.account_id AND b.id = r.batch_id
        LEFT JOIN period p
            ON p.account_id = r.account_id
            AND p.id = r.period_id
            AND p.subscription_id = r.subscription_id
        WHERE r.account_id = :account_id
          AND r.outcome IN ('imported', 'kept')
          AND b.status NOT IN ('rehearsing', 'rehearsed', 'uploaded')
          AND b.number IS NOT NULL
          AND p.id IS NULL
    """,
    "an undone import has no imported rows": """
        SELECT DISTINCT b.id
        FROM import_batch b
        JOIN import_row r ON r.account_id = b.account_id AND r.batch_id = b.id
        WHERE b.account_id = :account_id
          AND b.status = 'undone'
          AND r.outcome = 'imported'
    """,
    "only an import that waits has its file": """
        SELECT DISTINCT b.id
        FROM import_batch b
        JOIN import_file_part f ON f.account_id = b.account_id AND f.batch_id = b.id
        WHERE b.account_id = :account_id
          AND b.status IN ('imported', 'undoing', 'undone')
    """,
}
