"""The invariants of direct debits: for each, a query for the ids of the rows that break it."""

DEBIT_INVARIANTS = {
    "a direct debit is in a collection unless it waits or was taken out": """
        SELECT d.id
        FROM debit d
        LEFT JOIN collection c ON c.account_id = d.account_id AND c.id = d.collection_id
        WHERE d.account_id = :account_id
          AND (
              (d.status IN ('collected', 'paid', 'returned') AND c.id IS NULL)
              OR (d.status = 'waiting' AND c.id IS NOT NULL)
              OR (c.id IS NOT NULL AND (d.amount > 0) IS NOT TRUE)
              OR (c.cancelled_at IS NOT NULL AND d.status <> 'cancelled')
          )
    """,
    "a collection is the sum of its direct debits": """
        SELECT c.id
        FROM collection c
        LEFT JOIN (
            SELECT collection_id, count(*) AS count, sum(amount) AS total
            FROM debit
            WHERE account_id = :account_id
            GROUP BY collection_id
        ) AS found ON found.collection_id = c.id
        WHERE c.account_id = :account_id
          AND (found.count = c.debits AND found.total = c.total) IS NOT TRUE
    """,
    "a collection has its file": """
        SELECT c.id
        FROM collection c
        LEFT JOIN collection_file f ON f.account_id = c.account_id AND f.collection_id = c.id
        WHERE c.account_id = :account_id AND f.collection_id IS NULL
    """,
    "a direct debit that is paid has its payment, and no other one has": """
        SELECT d.id
        FROM debit d
        LEFT JOIN payment p ON p.account_id = d.account_id AND p.id = d.payment_id
        WHERE d.account_id = :account_id
          AND (
              (d.status IN ('paid', 'returned')) <> (p.id IS NOT NULL)
              OR p.undone_at IS NOT NULL
              OR p.amount <> d.amount
          )
    """,
    "a direct debit has a mandate of the payer of its invoice": """
        SELECT d.id
        FROM debit d
        JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
        JOIN mandate m ON m.account_id = d.account_id AND m.id = d.mandate_id
        WHERE d.account_id = :account_id AND i.payer_id <> m.payer_id
    """,
}
