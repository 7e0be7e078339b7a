"""The invariants of bank lines: for each, a query for the ids of the rows that break it."""

BANK_INVARIANTS = {
    "a recorded bank line has its payment, and no other line has one": """
        SELECT l.id
        FROM bank_line l
        LEFT JOIN payment p ON p.account_id = l.account_id AND p.id = l.payment_id
        WHERE l.account_id = :account_id
          AND (
              (l.status = 'matched') <> (
                  p.id IS NOT NULL
                  OR EXISTS (
                      SELECT 1
                      FROM debit d
                      WHERE d.account_id = :account_id AND d.line_id = l.id
                  )
              )
              OR p.undone_at IS NOT NULL
              OR p.currency <> l.currency
              OR p.payment_date <> l.booking_date
              OR (l.amount > 0 AND p.amount <> l.amount)
              OR (l.amount < 0 AND p.amount >= 0)
          )
    """,
    "a payment is recorded for one bank line at most": """
        SELECT payment_id AS id
        FROM bank_line
        WHERE account_id = :account_id AND payment_id IS NOT NULL
        GROUP BY payment_id
        HAVING count(*) > 1
    """,
    "a statement has the new lines that it counts": """
        SELECT s.id
        FROM bank_statement s
        WHERE s.account_id = :account_id
          AND s.kept - s.known <> (
              SELECT count(*)
              FROM bank_line l
              WHERE l.account_id = :account_id AND l.statement_id = s.id
          )
    """,
}
