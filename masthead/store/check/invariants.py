"""The invariants of the data: for each, a query for the ids of the rows that break it."""

from masthead.store.issues.missing_copies import MISSING

INVARIANTS = {
    "an order id is used once": """
        SELECT order_id AS id
        FROM period
        WHERE account_id = :account_id
        GROUP BY order_id
        HAVING count(*) > 1
    """,
    "an issue number is used once": """
        SELECT CAST(number AS text) AS id
        FROM issue
        WHERE account_id = :account_id
        GROUP BY number
        HAVING count(*) > 1
    """,
    "a subscription's subscriber, source and product are its account's": """
        SELECT s.id
        FROM subscription s
        LEFT JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
        LEFT JOIN source o ON o.account_id = s.account_id AND o.id = s.source_id
        LEFT JOIN product p ON p.account_id = s.account_id AND p.id = s.product_id
        WHERE s.account_id = :account_id
          AND (u.id IS NULL OR o.id IS NULL OR p.id IS NULL)
    """,
    "a period's subscription is its account's": """
        SELECT p.id
        FROM period p
        LEFT JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE p.account_id = :account_id AND s.id IS NULL
    """,
    "a subscription has a period": """
        SELECT s.id
        FROM subscription s
        WHERE s.account_id = :account_id
          AND NOT EXISTS (
              SELECT 1
              FROM period p
              WHERE p.account_id = :account_id AND p.subscription_id = s.id
          )
    """,
    "a copy agrees with its subscription, period and issue": """
        SELECT c.id
        FROM copy c
        LEFT JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        LEFT JOIN period p ON p.account_id = c.account_id AND p.id = c.period_id
        LEFT JOIN issue i ON i.account_id = c.account_id AND i.id = c.issue_id
        WHERE c.account_id = :account_id
          AND (
              s.id IS NULL
              OR p.id IS NULL
              OR i.id IS NULL
              OR c.subscriber_id <> s.subscriber_id
              OR c.country <> s.country
              OR p.subscription_id <> c.subscription_id
              OR i.number <> c.issue_number
          )
    """,
    "a copy exists once": """
        SELECT min(id) AS id
        FROM copy
        WHERE account_id = :account_id
        GROUP BY subscription_id, issue_number
        HAVING count(*) > 1
    """,
    "a copy is of an issue that its period includes": """
        SELECT c.id
        FROM copy c
        JOIN period p ON p.account_id = c.account_id AND p.id = c.period_id
        WHERE c.account_id = :account_id
          AND (c.issue_number < p.first_issue OR c.issue_number > p.last_issue)
    """,
    "no copy is missing": f"""
        SELECT p.subscription_id AS id
        {MISSING}
          AND s.status <> 'Cancelled'
    """,
    "a skipped issue is one of its subscription, which has no copy of it": """
        SELECT k.subscription_id AS id
        FROM skipped_issue k
        LEFT JOIN subscription s ON s.account_id = k.account_id AND s.id = k.subscription_id
        LEFT JOIN copy c
            ON c.account_id = k.account_id
            AND c.subscription_id = k.subscription_id
            AND c.issue_number = k.issue_number
        WHERE k.account_id = :account_id
          AND (
              coalesce(k.issue_number NOT BETWEEN s.start_issue AND s.last_issue, true)
              OR c.id IS NOT NULL
          )
    """,
    "the money for a skipped issue is a refund of its subscription": """
        SELECT k.subscription_id AS id
        FROM skipped_issue k
        LEFT JOIN refund r ON r.account_id = k.account_id AND r.id = k.refund_id
        WHERE k.account_id = :account_id
          AND (
              (k.instead = 'credited' AND coalesce(r.subscription_id, '') <> k.subscription_id)
              OR (k.instead <> 'credited' AND k.refund_id IS NOT NULL)
          )
    """,
    "only a sent copy has a date": """
        SELECT id
        FROM copy
        WHERE account_id = :account_id AND date_sent IS NOT NULL AND status <> 'Sent'
    """,
    "a cancelled subscription has no copies to send": """
        SELECT c.id
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        WHERE c.account_id = :account_id AND s.status = 'Cancelled' AND c.status = 'Not sent'
    """,
    "only a cancelled subscription has cancelled copies": """
        SELECT c.id
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        WHERE c.account_id = :account_id AND s.status <> 'Cancelled' AND c.status = 'Cancelled'
    """,
    "a period's length is the number of its issues": """
        SELECT id
        FROM period
        WHERE account_id = :account_id AND length <> last_issue - first_issue + 1
    """,
    "the total length of a subscription is that of its periods": """
        SELECT s.id
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.type = 'subscription'
          AND s.total_length <> (
              SELECT sum(p.length)
              FROM period p
              WHERE p.account_id = :account_id AND p.subscription_id = s.id
          )
    """,
    "the total length of a membership is the number of its copies": """
        SELECT s.id
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.type = 'membership'
          AND s.total_length <> (
              SELECT count(*)
              FROM copy c
              WHERE c.account_id = :account_id AND c.subscription_id = s.id
          )
    """,
    "a subscription has stored JSON or is marked as outdated": """
        SELECT s.id
        FROM subscription s
        WHERE s.account_id = :account_id
          AND NOT EXISTS (
              SELECT 1
              FROM subscription_document d
              WHERE d.account_id = :account_id AND d.id = s.id
          )
          AND NOT EXISTS (
              SELECT 1
              FROM subscription_change c
              WHERE c.account_id = :account_id AND c.id = s.id
          )
    """,
    "what is marked as outdated is a subscription of its account": """
        SELECT c.id
        FROM subscription_change c
        WHERE c.account_id = :account_id
          AND NOT EXISTS (
              SELECT 1
              FROM subscription s
              WHERE s.account_id = :account_id AND s.id = c.id
          )
    """,
    "no stored JSON and no change is newer than the account's last write": """
        SELECT d.id
        FROM subscription_document d
        JOIN account_state a ON a.account_id = d.account_id
        WHERE d.account_id = :account_id AND d.revision > a.writes
        UNION
        SELECT c.id
        FROM subscription_change c
        JOIN account_state a ON a.account_id = c.account_id
        WHERE c.account_id = :account_id AND c.revision > a.writes
    """,
    "an id is not above the account's counter": """
        SELECT account_id AS id
        FROM account_state
        WHERE account_id = :account_id
          AND (
              last_period < (
                  SELECT coalesce(max(id), 0)
                  FROM period p
                  WHERE p.account_id = :account_id
              )
              OR account_id * 4294967296 + last_copy < (
                  SELECT coalesce(max(id), 0)
                  FROM (
                      SELECT c.id FROM copy c WHERE c.account_id = :account_id
                      UNION ALL
                      SELECT g.id FROM grace_copy g WHERE g.account_id = :account_id
                  ) AS numbered
              )
              OR last_entry < (
                  SELECT coalesce(max(id), 0)
                  FROM audit a
                  WHERE a.account_id = :account_id
              )
          )
    """,
    # A search is sorted by number, a list by id
    "the numbers of subscribers rise with their ids": """
        SELECT id
        FROM (
            SELECT id, n, lag(n) OVER (ORDER BY id) AS previous
            FROM subscriber
            WHERE account_id = :account_id
        ) AS numbered
        WHERE n <= previous
    """,
    "the numbers of subscriptions rise with their ids": """
        SELECT id
        FROM (
            SELECT id, n, lag(n) OVER (ORDER BY id) AS previous
            FROM subscription
            WHERE account_id = :account_id
        ) AS numbered
        WHERE n <= previous
    """,
    "a row of the search index has the number of its record": """
        SELECT CAST(t.n AS text) AS id
        FROM searchable t
        LEFT JOIN subscriber u ON u.account_id = t.account_id AND u.id = t.subscriber_id
        LEFT JOIN subscription s ON s.account_id = t.account_id AND s.id = t.subscription_id
        WHERE t.account_id = :account_id
          AND (
              coalesce(t.subscriber_id, t.subscription_id) IS NULL
              OR (t.subscriber_id IS NOT NULL AND coalesce(u.n, 0) <> t.n)
              OR (t.subscription_id IS NOT NULL AND coalesce(s.n, 0) <> t.n)
          )
    """,
    "who renewed within some issues is counted within more issues, too": """
        SELECT CAST(issue_number AS text) AS id
        FROM retention
        WHERE account_id = :account_id
          AND (
              within_1 < 0
              OR within_2 < within_1
              OR within_3 < within_2
              OR ended < within_3 + coalesce(automatic, 0)
          )
    """,
}
