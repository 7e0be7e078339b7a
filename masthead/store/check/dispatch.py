"""The invariants of dispatch runs: for each, a query for the ids of the rows that break it."""

DISPATCH_INVARIANTS = {
    "a copy is in one live run at most": """
        SELECT copy_id AS id
        FROM dispatch_line
        WHERE account_id = :account_id AND claim_id = '' AND status <> 'left'
        GROUP BY copy_id
        HAVING count(*) > 1
    """,
    "a copy names the live run that has its line": """
        SELECT c.id
        FROM copy c
        LEFT JOIN dispatch d ON d.account_id = c.account_id AND d.id = c.dispatch_id
        WHERE c.account_id = :account_id
          AND c.dispatch_id IS NOT NULL
          AND (
              d.id IS NULL
              OR d.status = 'discarded'
              OR d.issue_number <> c.issue_number
              OR NOT EXISTS (
                  SELECT 1
                  FROM dispatch_line l
                  WHERE l.account_id = :account_id
                    AND l.copy_id = c.id
                    AND (l.dispatch_id = c.dispatch_id) IS TRUE
                    AND l.claim_id = ''
                    AND l.status <> 'left'
              )
          )
        UNION
        SELECT l.copy_id
        FROM dispatch_line l
        LEFT JOIN copy c ON c.account_id = l.account_id AND c.id = l.copy_id
        LEFT JOIN grace_copy g ON g.account_id = l.account_id AND g.id = l.copy_id
        WHERE l.account_id = :account_id
          AND l.claim_id = ''
          AND l.status <> 'left'
          AND l.dispatch_id IS DISTINCT FROM coalesce(c.dispatch_id, g.dispatch_id)
    """,
    "a line is sent if its copy is": """
        SELECT l.id
        FROM dispatch_line l
        JOIN copy c ON c.account_id = l.account_id AND c.id = l.copy_id
        WHERE l.account_id = :account_id
          AND l.claim_id = ''
          AND (
              (l.status = 'held' AND c.status <> 'Not sent')
              OR (l.status = 'sent' AND c.status <> 'Sent')
          )
    """,
    "a line fits the status of its run": """
        SELECT l.id
        FROM dispatch_line l
        LEFT JOIN dispatch d ON d.account_id = l.account_id AND d.id = l.dispatch_id
        WHERE l.account_id = :account_id
          AND (
              d.id IS NULL
              OR (l.status = 'held' AND d.status <> 'frozen')
              OR (l.status = 'sent' AND d.status <> 'marked' AND l.shipped_date IS NULL)
              OR (l.status <> 'left' AND d.status = 'discarded')
              OR (l.left_reason = 'discarded' AND d.status <> 'discarded')
          )
    """,
    "a line that left its run says why and when": """
        SELECT id
        FROM dispatch_line
        WHERE account_id = :account_id
          AND (
              (status = 'left') <> (left_reason IS NOT NULL)
              OR (status = 'left') <> (left_at IS NOT NULL)
          )
    """,
    "the copies of a marked run are sent on its date": """
        SELECT c.id
        FROM dispatch_line l
        JOIN dispatch d ON d.account_id = l.account_id AND d.id = l.dispatch_id
        JOIN copy c ON c.account_id = l.account_id AND c.id = l.copy_id
        WHERE l.account_id = :account_id
          AND l.claim_id = ''
          AND l.status = 'sent'
          AND d.status = 'marked'
          AND c.date_sent IS DISTINCT FROM d.date_sent
          AND (l.shipped_date IS NULL OR c.date_sent IS DISTINCT FROM l.shipped_date)
    """,
    "the dates of a run fit its status": """
        SELECT id
        FROM dispatch
        WHERE account_id = :account_id
          AND (
              (status = 'marked') <> (marked_at IS NOT NULL)
              OR (status = 'discarded') <> (discarded_at IS NOT NULL)
              OR (status <> 'marked' AND date_sent IS NOT NULL)
          )
    """,
    "the numbers of a run match its lines": """
        SELECT d.id
        FROM dispatch d
        LEFT JOIN (
            SELECT
                dispatch_id,
                count(*) AS lines,
                sum(CASE WHEN claim_id = '' AND is_grace IS NULL THEN 1 ELSE 0 END) AS copies,
                sum(CASE WHEN is_grace THEN 1 ELSE 0 END) AS grace_copies,
                min(id) AS first_line,
                max(id) AS last_line
            FROM dispatch_line
            WHERE account_id = :account_id
            GROUP BY dispatch_id
        ) AS t ON t.dispatch_id = d.id
        WHERE d.account_id = :account_id
          AND (
              t.lines IS NULL
              OR d.lines <> t.lines
              OR d.copies <> t.copies
              OR d.grace_copies <> t.grace_copies
              OR d.lines <> d.copies + d.replacements + d.grace_copies
              OR d.first_line <> t.first_line
              OR d.first_line + d.lines - 1 <> t.last_line
          )
    """,
    "a line's id is not above the account's counter": """
        SELECT account_id AS id
        FROM account_state
        WHERE account_id = :account_id
          AND last_line < (
              SELECT coalesce(max(l.id), 0)
              FROM dispatch_line l
              WHERE l.account_id = :account_id
          )
    """,
    "a claim is held or sent by the run that has its line": """
        SELECT k.id
        FROM claim k
        WHERE k.account_id = :account_id
          AND (
              (k.status IN ('held', 'sent')) <> (k.dispatch_id IS NOT NULL)
              OR (
                  k.dispatch_id IS NOT NULL
                  AND NOT EXISTS (
                      SELECT 1
                      FROM dispatch_line l
                      WHERE l.account_id = :account_id
                        AND l.copy_id = k.copy_id
                        AND l.claim_id = k.id
                        AND (l.dispatch_id = k.dispatch_id) IS TRUE
                        AND l.status = k.status
                  )
              )
          )
        UNION
        SELECT l.claim_id
        FROM dispatch_line l
        LEFT JOIN claim k ON k.account_id = l.account_id AND k.id = l.claim_id
        WHERE l.account_id = :account_id
          AND l.claim_id <> ''
          AND l.status <> 'left'
          AND (k.dispatch_id IS DISTINCT FROM l.dispatch_id OR k.status <> l.status)
    """,
    "a delivery report is about a subscription and a copy of its account": """
        SELECT r.id
        FROM delivery_report r
        LEFT JOIN subscription s ON s.account_id = r.account_id AND s.id = r.subscription_id
        LEFT JOIN copy c ON c.account_id = r.account_id AND c.id = r.copy_id
        LEFT JOIN grace_copy g ON g.account_id = r.account_id AND g.id = r.copy_id
        WHERE r.account_id = :account_id
          AND (
              s.id IS NULL
              OR (
                  c.subscriber_id IS DISTINCT FROM s.subscriber_id
                  AND g.subscription_id IS DISTINCT FROM s.id
              )
          )
    """,
    "a grace copy is held or sent by the run that has its line": """
        SELECT g.id
        FROM grace_copy g
        LEFT JOIN dispatch d ON d.account_id = g.account_id AND d.id = g.dispatch_id
        LEFT JOIN dispatch_line l
            ON l.account_id = g.account_id
            AND l.copy_id = g.id
            AND l.dispatch_id = g.dispatch_id
            AND l.is_grace
        WHERE g.account_id = :account_id
          AND (
              d.issue_number IS DISTINCT FROM g.issue_number
              OR l.subscription_id IS DISTINCT FROM g.subscription_id
              OR l.status IS DISTINCT FROM g.status
          )
    """,
    "a sent grace copy has the date of its run": """
        SELECT g.id
        FROM grace_copy g
        JOIN dispatch d ON d.account_id = g.account_id AND d.id = g.dispatch_id
        JOIN dispatch_line l
            ON l.account_id = g.account_id
            AND l.copy_id = g.id
            AND l.dispatch_id = g.dispatch_id
        WHERE g.account_id = :account_id
          AND g.date_sent IS DISTINCT FROM CASE
              WHEN l.shipped_date IS NOT NULL AND g.date_sent = l.shipped_date THEN g.date_sent
              WHEN g.status = 'sent' AND d.status = 'marked' THEN d.date_sent
          END
    """,
    "a subscription has no copy and grace copy of one issue": """
        SELECT g.id
        FROM grace_copy g
        JOIN copy c
            ON c.account_id = g.account_id
            AND c.subscription_id = g.subscription_id
            AND c.issue_number = g.issue_number
        WHERE g.account_id = :account_id
          AND g.status <> 'left'
        UNION
        SELECT g.id
        FROM grace_copy g
        JOIN copy c ON c.account_id = g.account_id AND c.id = g.id
        WHERE g.account_id = :account_id
    """,
}
