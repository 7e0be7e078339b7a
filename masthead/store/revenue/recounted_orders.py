"""Orders with what is left of their price, with VAT and without, worked out by the database.

`masthead check` adds them up, and compares the sums with those of `model.revenue`. So nothing here
is shared with it: neither the rules of revenue, nor those of VAT.
"""

from datetime import date

from masthead.model.billing.vat import EU
from masthead.model.clock import end_of
from masthead.store.billing.payers import COUNTRY
from masthead.store.engine.interface import Dialect
from masthead.store.revenue.days import DAY_OF_MOMENT

# What an order is, and what decides about its VAT. min() has another name on PostgreSQL, so the
# lower of two values is a CASE
_SOLD = f"""
    WITH documents AS (
        SELECT
            l.period_id,
            CAST(sum(CASE i.kind WHEN 'invoice' THEN l.net + l.vat ELSE -l.net - l.vat END)
                AS bigint) AS total,
            CAST(sum(CASE i.kind WHEN 'invoice' THEN l.vat ELSE -l.vat END) AS bigint) AS vat
        FROM invoice i
        JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
        WHERE i.account_id = :account_id AND i.issue_date <= :day AND l.period_id > 0
        GROUP BY l.period_id
    ),
    sold AS (
        SELECT
            p.id,
            p.subscription_id,
            p.currency,
            CASE WHEN d.total > p.price THEN d.total ELSE p.price END AS price,
            p.first_issue,
            p.last_issue,
            p.last_issue - p.first_issue + 1 - (
                SELECT count(*)
                FROM skipped_issue k
                WHERE k.account_id = :account_id
                  AND k.subscription_id = p.subscription_id
                  AND k.issue_number BETWEEN p.first_issue AND p.last_issue
                  AND k.instead = 'added'
            ) AS length,
            p.period_start,
            p.period_end,
            CASE
                WHEN d.total IS NOT NULL THEN d.total
                WHEN r.amount > p.price THEN 0
                ELSE p.price - coalesce(r.amount, 0)
            END AS gross,
            d.vat AS document_vat,
            x.cancelled_date,
            s.medium,
            s.country,
            coalesce(p.product_id, s.product_id) AS product_id,
            CASE WHEN b.period_id IS NULL THEN s.country ELSE coalesce({COUNTRY}, s.country) END
                AS buyer_country,
            CASE
                WHEN b.period_id IS NOT NULL THEN CASE
                    WHEN f.country = 'DE' OR coalesce(p.period_end, e.release_date_actual) < :day
                    THEN coalesce(p.period_end, e.release_date_actual, :day)
                    ELSE :day
                END
                ELSE coalesce(p.order_date, {{recorded}})
            END AS rate_day,
            CASE substr(y.vat_id, 1, 2) WHEN 'EL' THEN 'GR' ELSE substr(y.vat_id, 1, 2) END
                AS vat_country
        FROM period p
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        LEFT JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
        LEFT JOIN payer y ON y.account_id = b.account_id AND y.subscriber_id = b.payer_id
        LEFT JOIN subscriber u ON u.account_id = b.account_id AND u.id = b.payer_id
        LEFT JOIN documents d ON d.period_id = p.id
        LEFT JOIN billing f ON f.account_id = p.account_id
        LEFT JOIN issue e ON e.account_id = p.account_id AND e.number = p.last_issue
        LEFT JOIN (
            SELECT period_id, CAST(sum(amount) AS bigint) AS amount
            FROM refund
            WHERE account_id = :account_id AND refund_date <= :day
            GROUP BY period_id
        ) AS r ON r.period_id = p.id
        LEFT JOIN (
            SELECT subscription_id, min(cancelled_date) AS cancelled_date
            FROM cancellation
            WHERE account_id = :account_id
              AND cancelled_date <= :day
              AND (reopened_date IS NULL OR reopened_date > :day)
            GROUP BY subscription_id
        ) AS x ON x.subscription_id = p.subscription_id
        WHERE p.account_id = :account_id
          AND coalesce(p.order_date <= :day, p.created_at < :end)
          AND {{condition}}
    )
"""  # noqa: S608 - our own names

# The rate of the printed or the digital part of an order; NULL where there is no VAT, or documents
# say how much. A VAT id of another country frees from it within the EU
_RATE = """
    CASE
        WHEN o.document_vat IS NOT NULL OR {is_exempt} THEN NULL
        WHEN {place} = 'eu' AND o.vat_country <> f.country AND o.vat_country IN (:eu...)
        THEN NULL
        ELSE (
            SELECT v.rate
            FROM vat_rate v
            WHERE v.account_id = :account_id
              AND v.first_day <= o.rate_day
              AND v.product_id IN ('', o.product_id)
              AND v.medium IN ('', '{medium}')
              AND v.place IN ({country}, {place})
            ORDER BY
                CASE WHEN v.place = {country} THEN 0 ELSE 1 END,
                CASE WHEN v.product_id = '' THEN 1 ELSE 0 END,
                CASE WHEN v.medium = '' THEN 1 ELSE 0 END,
                v.first_day DESC
            LIMIT 1
        )
    END
"""
_PLACE = """
    CASE
        WHEN {country} = f.country THEN 'home'
        WHEN {country} IN (:eu...) AND f.country IN (:eu...) THEN 'eu'
        ELSE 'other'
    END
"""


def _setting(column: str) -> str:
    """A column of the VAT setting that holds; NULL if none has begun."""
    return f"""(
        SELECT v.{column}
        FROM vat_setting v
        WHERE v.account_id = :account_id
          AND v.first_day <= o.rate_day
        ORDER BY v.first_day DESC
        LIMIT 1
    )"""  # noqa: S608 - our own names


def _rate_of(medium: str, country: str) -> str:
    is_exempt = f"coalesce({_setting('is_small_business')}, f.is_small_business, TRUE)"
    place = _PLACE.format(country=country)
    return _RATE.format(is_exempt=is_exempt, medium=medium, country=country, place=place)


def _vat_of(gross: str, rate: str) -> str:
    """The VAT in an amount that includes it, rounded half up; nothing without a rate."""
    return f"coalesce((2 * {gross} * {rate} + 10000 + {rate}) / (2 * (10000 + {rate})), 0)"


# The orders that count on a day, with what is left of them, with VAT (`gross`) and without (`net`).
# MATERIALIZED: otherwise, the databases look up a rate wherever a later column uses it, many
# times for each order, and PostgreSQL takes as long to plan that
_COUNTED = f"""
    {_SOLD},
    split AS MATERIALIZED (
        SELECT
            o.*,
            CASE o.medium
                WHEN 'Print' THEN 0
                WHEN 'Digital' THEN o.gross
                ELSE o.gross * coalesce({_setting("digital_percent")}, f.digital_percent, 0) / 100
            END AS digital,
            {_rate_of("Print", "o.country")} AS print_rate,
            {_rate_of("Digital", "o.buyer_country")} AS digital_rate
        FROM sold o
        LEFT JOIN billing f ON f.account_id = :account_id
    ),
    counted AS (
        SELECT
            o.*,
            o.gross - coalesce(
                o.document_vat,
                {_vat_of("(o.gross - o.digital)", "o.print_rate")}
                    + {_vat_of("o.digital", "o.digital_rate")}
            ) AS net
        FROM split o
    )
"""  # noqa: S608 - our own names


def with_counted(dialect: Dialect, condition: str) -> str:
    """The beginning of a statement, with a table `counted` of the orders that count on a day.

    condition: of their periods `p`.
    """
    recorded = DAY_OF_MOMENT[dialect].format("p.created_at")
    return _COUNTED.format(recorded=recorded, condition=condition)


def parameters_of(account_id: int, day: date) -> dict[str, object]:
    """The parameters of such a statement."""
    return {"account_id": account_id, "day": day, "end": end_of(day), "eu": sorted(EU)}
