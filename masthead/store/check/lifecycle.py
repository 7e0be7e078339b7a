"""The invariants of refunds and cancellations: for each, a query for the rows that break it."""

LIFECYCLE_INVARIANTS = {
    "what was refunded of an order is the sum of its refunds": """
        SELECT p.id
        FROM period p
        LEFT JOIN (
            SELECT period_id, sum(amount) AS amount
            FROM refund
            WHERE account_id = :account_id
            GROUP BY period_id
        ) AS r ON r.period_id = p.id
        WHERE p.account_id = :account_id AND p.refunded <> coalesce(r.amount, 0)
    """,
    "a refund is more than nothing, and of an order of its subscription": """
        SELECT r.id
        FROM refund r
        LEFT JOIN period p ON p.account_id = r.account_id AND p.id = r.period_id
        WHERE r.account_id = :account_id
          AND (r.amount <= 0 OR p.subscription_id IS DISTINCT FROM r.subscription_id)
    """,
    "no more is refunded than was paid": """
        SELECT id
        FROM period
        WHERE account_id = :account_id AND refunded > price
    """,
    "a cancelled subscription has one open cancellation, others have none": """
        SELECT s.id
        FROM subscription s
        WHERE s.account_id = :account_id
          AND (
              SELECT count(*)
              FROM cancellation c
              WHERE c.account_id = :account_id
                AND c.subscription_id = s.id
                AND c.reopened_date IS NULL
          ) <> CASE s.status WHEN 'Cancelled' THEN 1 ELSE 0 END
    """,
    "a cancellation that was reopened has the moment too": """
        SELECT id
        FROM cancellation
        WHERE account_id = :account_id
          AND (reopened_date IS NULL) <> (reopened_at IS NULL)
    """,
}
