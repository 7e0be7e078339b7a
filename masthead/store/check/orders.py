"""The invariants of products and orders: for each, a query for the ids of rows that break it."""

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
    "a price is of a product of its account, for a medium and a group of countries": """
        SELECT r.product_id AS id
        FROM product_price r
        LEFT JOIN product p ON p.account_id = r.account_id AND p.id = r.product_id
        WHERE r.account_id = :account_id
          AND (
              p.id IS NULL
              OR r.medium NOT IN ('Print', 'Digital', 'Print + digital')
              OR r.country_group NOT IN ('home', 'europe', 'rest')
              OR r.price < 0
          )
    """,
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
