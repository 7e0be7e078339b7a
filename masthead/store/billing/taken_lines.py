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

# Money in, and money out: the sign of its amounts, the document and the payment of a settlement
PAID_SIDE = {"sign": "1", "document": "invoice_id", "payment": "payment_id"}
PAID_BACK_SIDE = {"sign": "-1", "document": "credit_note_id", "payment": "payback_id"}

_SETTLING = """
        SELECT
            s.id,
            s.settled_date AS day,
            s.{document} AS document_id,
            s.amount,
            {sign} AS sign,
            CAST(coalesce((
                SELECT sum(e.amount)
                FROM settlement e
                WHERE e.account_id = :account_id
                  AND e.{document} = s.{document}
                  AND e.{payment} IS NOT NULL
                  AND (
                      e.settled_date < s.settled_date
                      OR (e.settled_date = s.settled_date AND e.id < s.id)
                  ) IS TRUE
            ), 0) AS bigint) AS paid_before
        FROM settlement s
        WHERE s.account_id = :account_id
          AND s.settled_date BETWEEN :first AND :last
          AND s.{payment} IS NOT NULL
          AND s.{document} IS NOT NULL
"""
_SEVERAL_COUNTRIES = """
          AND EXISTS (
              SELECT 1
              FROM invoice_line a
              JOIN invoice_line b ON b.account_id = a.account_id AND b.invoice_id = a.invoice_id
              WHERE a.account_id = :account_id
                AND a.invoice_id = s.{document}
                AND a.line = 1
                AND b.line > 1
                AND b.country <> a.country
          )
"""
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
    FROM ({settling}) AS t
    JOIN invoice i ON i.account_id = :account_id AND i.id = t.document_id
    JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
    WHERE i.total <> 0
"""


def taken_lines(*, of_several_countries: bool = False) -> str:
    """The statement that lists the lines of the documents of each settlement.

    of_several_countries: only of documents whose lines have different countries.
    """
    settling = _SETTLING + (_SEVERAL_COUNTRIES if of_several_countries else "")
    sides = (settling.format(**side) for side in (PAID_SIDE, PAID_BACK_SIDE))
    return _LINES.format(settling=" UNION ALL ".join(sides))
