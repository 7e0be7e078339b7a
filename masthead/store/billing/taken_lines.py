"""The lines of documents that payments settled on some days, in SQL."""


def _paid_of(part: str) -> str:
    """What a settlement pays of the first part of the lines of its document, in SQL.

    As floating-point numbers, because the product of two amounts can be too large for an integer.
    Each rounded number is subtracted again by the next settlement, so no cent is lost.
    """
    after, before = (
        f"CAST(round(CAST(p.{paid} AS double precision) * ({part}) / p.total) AS bigint)"
        for paid in ("paid_after", "paid_before")
    )
    return f"({after} - {before})"


# Of the lines `p` of `taken_lines`: what was paid up to the end of a line, up to its VAT, and
# before it
WITH_LINE = _paid_of("p.upto")
WITH_NET = _paid_of("p.upto - p.vat")
WITHOUT_LINE = _paid_of("p.upto - p.vat - p.net")

_LINES = """
    SELECT
        t.day,
        i.currency,
        i.total,
        l.country,
        l.category,
        l.rate,
        l.net,
        l.vat,
        t.sign,
        t.paid_before,
        t.paid_before + t.amount AS paid_after,
        CAST(sum(l.net + l.vat) OVER (PARTITION BY t.id ORDER BY l.line) AS bigint) AS upto
    FROM (
        SELECT
            s.id,
            s.settled_date AS day,
            s.invoice_id,
            s.amount,
            1 AS sign,
            CAST(coalesce((
                SELECT sum(e.amount)
                FROM settlement e
                WHERE e.account_id = :account_id
                  AND e.invoice_id = s.invoice_id
                  AND e.payment_id IS NOT NULL
                  AND (
                      e.settled_date < s.settled_date
                      OR (e.settled_date = s.settled_date AND e.id < s.id)
                  ) IS TRUE
            ), 0) AS bigint) AS paid_before
        FROM settlement s
        WHERE s.account_id = :account_id
          AND s.settled_date BETWEEN :first AND :last
          AND s.payment_id IS NOT NULL
          AND s.invoice_id IS NOT NULL
          {of_invoices}
        UNION ALL
        SELECT
            s.id,
            s.settled_date,
            s.credit_note_id,
            s.amount,
            -1,
            CAST(coalesce((
                SELECT sum(e.amount)
                FROM settlement e
                WHERE e.account_id = :account_id
                  AND e.credit_note_id = s.credit_note_id
                  AND e.payback_id IS NOT NULL
                  AND (
                      e.settled_date < s.settled_date
                      OR (e.settled_date = s.settled_date AND e.id < s.id)
                  ) IS TRUE
            ), 0) AS bigint)
        FROM settlement s
        WHERE s.account_id = :account_id
          AND s.settled_date BETWEEN :first AND :last
          AND s.payback_id IS NOT NULL
          AND s.credit_note_id IS NOT NULL
          {of_credit_notes}
    ) AS t
    JOIN invoice i ON i.account_id = :account_id AND i.id = t.invoice_id
    JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
    WHERE i.total <> 0
"""
_SEVERAL_COUNTRIES = """
          AND EXISTS (
              SELECT 1
              FROM invoice_line a
              JOIN invoice_line b ON b.account_id = a.account_id AND b.invoice_id = a.invoice_id
              WHERE a.account_id = :account_id
                AND a.invoice_id = {document}
                AND a.line = 1
                AND b.line > 1
                AND b.country <> a.country
          )
"""


def taken_lines(*, of_several_countries: bool = False) -> str:
    """The statement that lists the lines of the documents of each settlement.

    of_several_countries: only of documents whose lines have different countries.
    """
    which = _SEVERAL_COUNTRIES if of_several_countries else ""
    return _LINES.format(
        of_invoices=which.format(document="s.invoice_id"),
        of_credit_notes=which.format(document="s.credit_note_id"),
    )
