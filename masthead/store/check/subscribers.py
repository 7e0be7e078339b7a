"""The invariants of subscribers and their addresses: for each, a query for the broken rows."""


def _of_subscription(table: str) -> str:
    """The records of a table whose subscriber is not that of their subscription."""
    return f"""
        SELECT r.id
        FROM {table} r
        LEFT JOIN subscription s ON s.account_id = r.account_id AND s.id = r.subscription_id
        WHERE r.account_id = :account_id AND r.subscriber_id IS DISTINCT FROM s.subscriber_id
    """  # noqa: S608 - the names of tables below


SUBSCRIBER_INVARIANTS = {
    "a merged subscriber leads to one that is not merged": """
        SELECT u.id
        FROM subscriber u
        LEFT JOIN subscriber k ON k.account_id = u.account_id AND k.id = u.merged_into
        WHERE u.account_id = :account_id
          AND u.merged_into IS NOT NULL
          AND (k.id IS NULL OR k.merged_into IS NOT NULL)
    """,
    "a merged subscriber has no records": """
        SELECT u.id
        FROM subscriber u
        WHERE u.account_id = :account_id
          AND u.merged_into IS NOT NULL
          AND (
              EXISTS (
                  SELECT 1
                  FROM subscription s
                  WHERE s.account_id = :account_id AND s.subscriber_id = u.id
              )
              OR EXISTS (
                  SELECT 1
                  FROM subscription g
                  WHERE g.account_id = :account_id AND g.gifter_id = u.id
              )
              OR EXISTS (
                  SELECT 1
                  FROM copy c
                  WHERE c.account_id = :account_id AND c.subscriber_id = u.id
              )
              OR EXISTS (
                  SELECT 1
                  FROM subscriber_note n
                  WHERE n.account_id = :account_id AND n.subscriber_id = u.id
              )
              OR EXISTS (
                  SELECT 1
                  FROM searchable t
                  WHERE t.account_id = :account_id AND t.n = u.n AND t.subscriber_id = u.id
              )
          )
    """,
    "a merged subscriber has one merge that is not undone": """
        SELECT u.id
        FROM subscriber u
        WHERE u.account_id = :account_id
          AND (
              SELECT count(*)
              FROM subscriber_merge m
              WHERE m.account_id = :account_id AND m.merged_id = u.id AND m.undone_at IS NULL
          ) <> CASE WHEN u.merged_into IS NULL THEN 0 ELSE 1 END
    """,
    "a claim is of the subscriber of its subscription": _of_subscription("claim"),
    "a delivery report is of the subscriber of its subscription": (
        _of_subscription("delivery_report")
    ),
    "a planned address is of the subscriber of its subscription": (
        _of_subscription("address_change")
    ),
    "a renewal letter is to the subscriber of its subscription": (
        _of_subscription("renewal_letter")
    ),
    "the giver of a gift is a subscriber of its account": """
        SELECT s.id
        FROM subscription s
        LEFT JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.gifter_id
        WHERE s.account_id = :account_id AND s.gifter_id IS NOT NULL AND u.id IS NULL
    """,
    "an email to a subscriber is to one of its account": """
        SELECT o.id
        FROM outbox o
        LEFT JOIN subscriber u ON u.account_id = o.account_id AND u.id = o.subscriber_id
        WHERE o.account_id = :account_id AND o.subscriber_id IS NOT NULL AND u.id IS NULL
    """,
    "a deleted note has no text, and says who deleted it": """
        SELECT id
        FROM subscriber_note
        WHERE account_id = :account_id
          AND (
              (deleted_at IS NULL) <> (deleted_by_id IS NULL)
              OR (deleted_at IS NULL) <> (text <> '')
          )
    """,
}


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
          AND a.first_issue <= coalesce(a.last_issue, a.first_issue)
          AND b.first_issue <= coalesce(b.last_issue, b.first_issue)
    """,
    "a planned change of address is divided by another one only": """
        SELECT a.id
        FROM address_change a
        WHERE a.account_id = :account_id
          AND a.status = 'planned'
          AND a.move_first_issue IS NOT NULL
          AND NOT EXISTS (
              SELECT 1
              FROM address_change b
              WHERE b.account_id = :account_id
                AND b.subscription_id = a.subscription_id
                AND b.status = 'planned'
                AND b.move_first_issue IS NULL
                AND b.last_issue = a.first_issue - 1
          )
          AND (a.last_issue IS NULL OR a.first_issue <> a.move_first_issue)
    """,
    "a part of a planned change of address has one that stands for it": """
        SELECT a.id
        FROM address_change a
        WHERE a.account_id = :account_id
          AND a.status = 'planned'
          AND a.move_first_issue IS NOT NULL
          AND a.last_issue IS NOT NULL
          AND NOT EXISTS (
              SELECT 1
              FROM address_change b
              WHERE b.account_id = :account_id
                AND b.subscription_id = a.subscription_id
                AND b.group_id = a.group_id
                AND b.status = 'planned'
                AND b.last_issue IS NULL
                AND b.move_first_issue = a.move_first_issue
          )
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
    "the last issue of a change of address is not before the first, unless its days have none": """
        SELECT id
        FROM address_change
        WHERE account_id = :account_id
          AND (
              first_issue < 1
              OR last_issue < first_issue - 1
              OR (last_issue < first_issue AND last_day IS NULL)
          )
    """,
}
