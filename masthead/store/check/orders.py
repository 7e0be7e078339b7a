"""The invariants of products, orders, refunds, revenue and imports: queries for broken rows."""


def _misplaced(table: str, wrong: str) -> str:
    """The query for prices or rises that are of no product, medium or countries, or wrong."""
    return f"""
        SELECT r.product_id AS id
        FROM {table} r
        LEFT JOIN product p ON p.account_id = r.account_id AND p.id = r.product_id
        WHERE r.account_id = :account_id
          AND (
              p.id IS NULL
              OR r.medium NOT IN ('Print', 'Digital', 'Print + digital')
              OR r.country_group NOT IN ('home', 'europe', 'rest')
              OR {wrong}
          )
    """  # noqa: S608 - constants


ORDER_INVARIANTS = {
    "a product is for issues or for months": """
        SELECT id
        FROM product
        WHERE account_id = :account_id
          AND (
              type NOT IN ('subscription', 'membership')
              OR (type = 'subscription' AND interval_months IS NOT NULL)
              OR (type = 'membership' AND length IS NOT NULL)
              OR length NOT BETWEEN 1 AND 1000
              OR interval_months NOT BETWEEN 1 AND 1200
          )
    """,
    "a price is of a product of its account, for a medium and a group of countries": _misplaced(
        "product_price", "r.price < 0"
    ),
    "a price from a day on is of a product of its account": _misplaced(
        "dated_price", "r.price < 0"
    ),
    "a rise of renewals is of a product of its account, by an amount or by percent": _misplaced(
        "price_rise", "(r.amount = 0) = (r.rate = 0)"
    ),
    # older periods have neither; they count for the source and the product of the subscription
    "a period's source and product are its account's": """
        SELECT CAST(e.id AS text) AS id
        FROM period e
        LEFT JOIN source o ON o.account_id = e.account_id AND o.id = e.source_id
        LEFT JOIN product p ON p.account_id = e.account_id AND p.id = e.product_id
        WHERE e.account_id = :account_id
          AND (
              (e.source_id IS NOT NULL AND o.id IS NULL)
              OR (e.product_id IS NOT NULL AND p.id IS NULL)
              OR (
                  e.payment_method NOT IN (
                      'cheque', 'bank transfer', 'card', 'cash', 'direct debit', 'other'
                  )
              )
          )
    """,
    "only a gift has a giver": """
        SELECT id
        FROM subscription
        WHERE account_id = :account_id AND gifter_id IS NOT NULL AND NOT is_gift
    """,
    "the subscriptions of a bundle have the subscriber of its first one": """
        SELECT s.id
        FROM subscription s
        LEFT JOIN subscription f ON f.account_id = s.account_id AND f.id = s.bundle_id
        WHERE s.account_id = :account_id
          AND s.bundle_id IS NOT NULL
          AND (f.id IS NULL OR f.bundle_id <> f.id OR f.subscriber_id <> s.subscriber_id)
    """,
}


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
}
