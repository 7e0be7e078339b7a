"""The invariants of changes of addresses: for each, a query for the ids that break it."""

ADDRESS_INVARIANTS = {
    "the planned changes of an address do not overlap": """
        SELECT a.id
        FROM address_change a
        JOIN address_change b
            ON b.account_id = a.account_id
            AND b.subscription_id = a.subscription_id
            AND b.id <> a.id
        WHERE a.account_id = :account_id
          AND a.status = 'planned'
          AND b.status = 'planned'
          AND a.first_issue <= coalesce(b.last_issue, a.first_issue)
          AND b.first_issue <= coalesce(a.last_issue, b.first_issue)
    """,
    "a change of address is for the subscriber of its subscription": """
        SELECT a.id
        FROM address_change a
        LEFT JOIN subscription s ON s.account_id = a.account_id AND s.id = a.subscription_id
        WHERE a.account_id = :account_id
          AND s.subscriber_id IS DISTINCT FROM a.subscriber_id
    """,
    "a change of address that ended says when": """
        SELECT id
        FROM address_change
        WHERE account_id = :account_id
          AND (
              (status = 'planned') <> (ended_at IS NULL)
              OR status NOT IN ('planned', 'done', 'cancelled')
          )
    """,
    "the last issue of a change of address is not before the first": """
        SELECT id
        FROM address_change
        WHERE account_id = :account_id AND (last_issue < first_issue OR first_issue < 1)
    """,
}
