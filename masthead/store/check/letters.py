"""The invariants of renewal letters: for each, a query for the ids of the rows that break it."""

LETTER_INVARIANTS = {
    "a batch of letters has as many letters as it says": """
        SELECT b.id
        FROM letter_batch b
        LEFT JOIN (
            SELECT batch_id, count(*) AS letters
            FROM renewal_letter
            WHERE account_id = :account_id
            GROUP BY batch_id
        ) AS t ON t.batch_id = b.id
        WHERE b.account_id = :account_id AND b.letters <> coalesce(t.letters, 0)
    """,
    "a batch of letters is in a round of its stage": """
        SELECT b.id
        FROM letter_batch b
        LEFT JOIN letter_batch r ON r.account_id = b.account_id AND r.id = b.round_id
        WHERE b.account_id = :account_id
          AND b.round_id IS NOT NULL
          AND (r.id IS NULL OR r.round_id IS NOT NULL OR r.stage <> b.stage)
    """,
    "a letter agrees with its batch": """
        SELECT l.id
        FROM renewal_letter l
        LEFT JOIN letter_batch b ON b.account_id = l.account_id AND b.id = l.batch_id
        WHERE l.account_id = :account_id
          AND (b.id IS NULL OR b.stage <> l.stage OR b.channel <> l.channel)
    """,
    "a letter is about a period of its subscription": """
        SELECT l.id
        FROM renewal_letter l
        LEFT JOIN period p ON p.account_id = l.account_id AND p.id = l.period_id
        LEFT JOIN subscriber u ON u.account_id = l.account_id AND u.id = l.subscriber_id
        WHERE l.account_id = :account_id
          AND (p.subscription_id IS DISTINCT FROM l.subscription_id OR u.id IS NULL)
    """,
    "the status of a letter is that of its email": """
        SELECT l.id
        FROM renewal_letter l
        LEFT JOIN outbox o ON o.account_id = l.account_id AND o.id = l.id
        WHERE l.account_id = :account_id
          AND l.channel = 'email'
          AND CASE
              WHEN l.reason = 'same_letter' THEN o.id IS NOT NULL
              ELSE coalesce(o.letter_id, '') <> l.id
                  OR l.status <> CASE o.status
                      WHEN 'waiting' THEN 'queued'
                      WHEN 'sending' THEN 'queued'
                      WHEN 'cancelled' THEN 'skipped'
                      ELSE o.status
                  END
          END
        UNION
        SELECT o.id
        FROM outbox o
        LEFT JOIN renewal_letter l
            ON l.account_id = o.account_id
            AND l.id = o.letter_id
            AND l.channel = 'email'
        WHERE o.account_id = :account_id AND o.letter_id IS NOT NULL AND l.id IS NULL
    """,
    "a printed letter has its text and address": """
        SELECT id
        FROM renewal_letter
        WHERE account_id = :account_id
          AND channel = 'print'
          AND (
              status NOT IN ('to_print', 'printed', 'skipped')
              OR subject IS NULL
              OR body IS NULL
              OR address IS NULL
          )
    """,
    "a letter that was skipped says why": """
        SELECT id
        FROM renewal_letter
        WHERE account_id = :account_id AND (status = 'skipped') <> (reason IS NOT NULL)
    """,
    "a letter ends when it goes out or is skipped": """
        SELECT id
        FROM renewal_letter
        WHERE account_id = :account_id
          AND (status IN ('queued', 'to_print')) <> (ended_at IS NULL)
    """,
    "only an address that bounced has a reason for it": """
        SELECT id
        FROM subscriber
        WHERE account_id = :account_id
          AND (bounced_at IS NULL) <> (bounce_reason IS NULL)
    """,
}
