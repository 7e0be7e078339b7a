"""The invariants of events: for each, a query for the numbers of the events that break it."""

EVENT_INVARIANTS = {
    "the numbers of events have no gaps": """
        SELECT number AS id
        FROM (
            SELECT number, lag(number) OVER (ORDER BY number) AS previous
            FROM event
            WHERE account_id = :account_id
        ) AS numbered
        WHERE number <> previous + 1
    """,
    "the last event has the number that its account counts": """
        SELECT s.last_event AS id
        FROM account_state s
        WHERE s.account_id = :account_id
          AND EXISTS (SELECT 1 FROM event WHERE account_id = :account_id)
          AND s.last_event <> (SELECT max(number) FROM event WHERE account_id = :account_id)
    """,
}
