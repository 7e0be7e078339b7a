"""The invariants of invoices, payments, bank statements, debits and reminders: queries."""

REMINDER_INVARIANTS = {
    "a hold because of an invoice lasts only while the invoice is open": """
        SELECT h.id
        FROM subscription_hold h
        LEFT JOIN invoice i ON i.account_id = h.account_id AND i.id = h.invoice_id
        WHERE h.account_id = :account_id
          AND h.invoice_id IS NOT NULL
          AND h.ended_at IS NULL
          AND (i.open_amount > 0) IS NOT TRUE
    """,
    "a fee belongs to a reminder, which asks for it, or to a debit that came back": """
        SELECT i.id
        FROM invoice i
        LEFT JOIN reminder r ON r.account_id = i.account_id AND r.fee_id = i.id
        LEFT JOIN debit d ON d.account_id = i.account_id AND d.fee_id = i.id
        WHERE i.account_id = :account_id
          AND i.kind = 'fee'
          AND (r.currency = i.currency AND r.total >= i.total) IS NOT TRUE
          AND d.id IS NULL
          AND NOT EXISTS (
              SELECT 1
              FROM settlement s
              WHERE s.account_id = :account_id
                AND s.invoice_id = i.id
                AND s.payment_id IS NULL
                AND s.credit_note_id IS NULL
                AND s.amount = i.total
          )
    """,
    "the last reminder of an invoice is the newest one that was not taken back": """
        SELECT i.id
        FROM invoice i
        LEFT JOIN (
            SELECT t.invoice_id, max(t.stage) AS stage, max(r.reminded_date) AS reminded_date
            FROM reminder_item t
            JOIN reminder r ON r.account_id = t.account_id AND r.id = t.reminder_id
            WHERE t.account_id = :account_id AND t.stage > 0 AND r.status <> 'skipped'
            GROUP BY t.invoice_id
        ) AS f ON f.invoice_id = i.id
        WHERE i.account_id = :account_id
          AND (
              i.reminder_stage <> coalesce(f.stage, 0)
              OR i.reminded_date IS DISTINCT FROM f.reminded_date
          )
    """,
}


DEBIT_INVARIANTS = {
    "a direct debit is in a collection unless it waits or was taken out": """
        SELECT d.id
        FROM debit d
        LEFT JOIN collection c ON c.account_id = d.account_id AND c.id = d.collection_id
        WHERE d.account_id = :account_id
          AND (
              (d.status IN ('collected', 'paid', 'returned') AND c.id IS NULL)
              OR (d.status = 'waiting' AND c.id IS NOT NULL)
              OR (c.id IS NOT NULL AND (d.amount > 0) IS NOT TRUE)
              OR (c.cancelled_at IS NOT NULL AND d.status <> 'cancelled')
          )
    """,
    "a collection is the sum of its direct debits": """
        SELECT c.id
        FROM collection c
        LEFT JOIN (
            SELECT collection_id, count(*) AS count, sum(amount) AS total
            FROM debit
            WHERE account_id = :account_id
            GROUP BY collection_id
        ) AS found ON found.collection_id = c.id
        WHERE c.account_id = :account_id
          AND (found.count = c.debits AND found.total = c.total) IS NOT TRUE
    """,
    "a collection has its file": """
        SELECT c.id
        FROM collection c
        LEFT JOIN collection_file f ON f.account_id = c.account_id AND f.collection_id = c.id
        WHERE c.account_id = :account_id AND f.collection_id IS NULL
    """,
    "a direct debit that is paid has its payment, and no other one has": """
        SELECT d.id
        FROM debit d
        LEFT JOIN payment p ON p.account_id = d.account_id AND p.id = d.payment_id
        WHERE d.account_id = :account_id
          AND (
              (d.status IN ('paid', 'returned')) <> (p.id IS NOT NULL)
              OR p.undone_at IS NOT NULL
              OR p.amount <> d.amount
          )
    """,
    "a direct debit has a mandate of the payer of its invoice": """
        SELECT d.id
        FROM debit d
        JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
        JOIN mandate m ON m.account_id = d.account_id AND m.id = d.mandate_id
        WHERE d.account_id = :account_id AND i.payer_id <> m.payer_id
    """,
}


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


# What is settled of invoices and by credit notes, and what payments have settled
_SETTLED = """
    SELECT id, sum(amount) AS amount
    FROM (
        SELECT invoice_id AS id, amount
        FROM settlement
        WHERE account_id = :account_id AND invoice_id IS NOT NULL
        UNION ALL
        SELECT credit_note_id AS id, -amount
        FROM settlement
        WHERE account_id = :account_id AND credit_note_id IS NOT NULL
    ) AS parts
    GROUP BY id
"""
_USED = """
    SELECT id, sum(amount) AS amount
    FROM (
        SELECT payment_id AS id, amount
        FROM settlement
        WHERE account_id = :account_id AND payment_id IS NOT NULL
        UNION ALL
        SELECT payback_id AS id, -amount
        FROM settlement
        WHERE account_id = :account_id AND payback_id IS NOT NULL
    ) AS parts
    GROUP BY id
"""
# What the sums by day have too much or too little, for the ids that they include
_SUMMED_INVOICES = """
    SELECT issue_date, currency, kind, country, category, rate, net, vat
    FROM billed_sum
    WHERE account_id = :account_id
    UNION ALL
    SELECT i.issue_date, i.currency, i.kind, l.country, l.category, l.rate, -l.net, -l.vat
    FROM summed_until s
    JOIN invoice i ON i.account_id = s.account_id AND i.id <= s.last_invoice
    JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
    WHERE s.account_id = :account_id
"""
_SUMMED_PAYMENTS = """
    SELECT payment_date, currency, source_id, product_id, amount
    FROM paid_sum
    WHERE account_id = :account_id
    UNION ALL
    SELECT
        m.payment_date,
        m.currency,
        coalesce(m.source_id, ''),
        coalesce(m.product_id, ''),
        -m.amount
    FROM summed_until s
    JOIN payment m ON m.account_id = s.account_id AND m.id <= s.last_payment
    WHERE s.account_id = :account_id
"""
# What invoices say of each order, less what credit notes say
_BILLED = """
    SELECT
        l.period_id,
        sum(CASE WHEN i.kind = 'invoice' THEN l.net + l.vat ELSE -l.net - l.vat END) AS amount
    FROM invoice_line l
    JOIN invoice i ON i.account_id = l.account_id AND i.id = l.invoice_id
    WHERE l.account_id = :account_id
    GROUP BY l.period_id
"""
BILLING_INVARIANTS = {
    "the numbers of a series have no gap": """
        SELECT given.series AS id
        FROM (
            SELECT
                series,
                min(series_number) AS first,
                max(series_number) AS last,
                count(*) AS count
            FROM invoice
            WHERE account_id = :account_id
            GROUP BY series
        ) AS given
        LEFT JOIN number_series n ON n.account_id = :account_id AND n.series = given.series
        WHERE (
            given.first <> 1
            OR given.last <> given.count
            OR (n.last_number = given.count) IS NOT TRUE
        )
    """,
    "what is open of an invoice is what nothing has settled": f"""
        SELECT i.id
        FROM invoice i
        LEFT JOIN ({_SETTLED}) AS settled ON settled.id = i.id
        WHERE i.account_id = :account_id
          AND i.open_amount
              <> CASE WHEN i.kind = 'credit_note' THEN -i.total ELSE i.total END
              - coalesce(settled.amount, 0)
    """,  # noqa: S608 - a constant
    "what is left of a payment is what has settled nothing": f"""
        SELECT p.id
        FROM payment p
        LEFT JOIN ({_USED}) AS used ON used.id = p.id
        WHERE p.account_id = :account_id
          AND p.unused_amount
              <> CASE WHEN p.undone_at IS NULL THEN p.amount ELSE 0 END - coalesce(used.amount, 0)
    """,  # noqa: S608 - a constant
    "an invoice is the sum of its lines": """
        SELECT i.id
        FROM invoice i
        LEFT JOIN (
            SELECT invoice_id, sum(net) AS net, sum(vat) AS vat
            FROM invoice_line
            WHERE account_id = :account_id
            GROUP BY invoice_id
        ) AS lines ON lines.invoice_id = i.id
        WHERE i.account_id = :account_id
          AND (lines.net = i.net AND lines.vat = i.vat AND i.total = i.net + i.vat) IS NOT TRUE
    """,
    "invoices and credit notes of an order are its price less refunds": f"""
        SELECT CAST(b.period_id AS text) AS id
        FROM billed_order b
        JOIN period p ON p.account_id = b.account_id AND p.id = b.period_id
        LEFT JOIN ({_BILLED}) AS billed ON billed.period_id = b.period_id
        WHERE b.account_id = :account_id
          AND coalesce(billed.amount, 0)
              <> CASE WHEN b.invoice_id IS NULL THEN 0 ELSE p.price - p.refunded END
    """,  # noqa: S608 - a constant
    "the sums by day are those of documents": f"""
        SELECT CAST(t.issue_date AS text) AS id
        FROM ({_SUMMED_INVOICES}) AS t
        GROUP BY t.issue_date, t.currency, t.kind, t.country, t.category, t.rate
        HAVING sum(t.net) <> 0 OR sum(t.vat) <> 0
    """,  # noqa: S608 - a constant
    "the sums by day are those of payments": f"""
        SELECT CAST(t.payment_date AS text) AS id
        FROM ({_SUMMED_PAYMENTS}) AS t
        GROUP BY t.payment_date, t.currency, t.source_id, t.product_id
        HAVING sum(t.amount) <> 0
    """,  # noqa: S608 - a constant
    "an order is billed if it has a payer": """
        SELECT CAST(p.id AS text) AS id
        FROM period p
        LEFT JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
        WHERE p.account_id = :account_id
          AND coalesce(p.is_billed, FALSE) <> (b.period_id IS NOT NULL)
    """,
}
