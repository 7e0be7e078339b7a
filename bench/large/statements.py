"""What the statements share: numbers, days, payers, ids and moments, in tables of their own."""

from datetime import UTC, date, datetime, timedelta

from bench.data import FIRST_RELEASE
from masthead.model.ids import account_prefix
from masthead.store.engine.interface import Transaction

FIRST_DAY = FIRST_RELEASE
MORE_DAYS = 60  # after today: when what is not paid is due

PEOPLE = """
    INSERT INTO bench_person (
        n, subscriber_id, subscription_id, period_id, source_id, product_id, country, name
    )
    SELECT
        row_number() OVER (ORDER BY s.subscriber_id),
        s.subscriber_id,
        s.id,
        p.id,
        s.source_id,
        s.product_id,
        s.country,
        trim(coalesce(s.first_name, '') || ' ' || coalesce(s.last_name, ''))
    FROM (
        SELECT s.subscriber_id, min(p.id) AS period_id
        FROM period p
        CROSS JOIN subscription s
        WHERE p.account_id = :account_id AND s.account_id = :account_id AND s.id = p.subscription_id
        GROUP BY s.subscriber_id
    ) AS f
    CROSS JOIN period p
    CROSS JOIN subscription s
    WHERE p.account_id = :account_id
      AND p.id = f.period_id
      AND s.account_id = :account_id
      AND s.id = p.subscription_id
"""
TABLES = {
    "bench_number": "n bigint PRIMARY KEY",
    "bench_day": "n bigint PRIMARY KEY, issue_date date, made_at timestamptz",
    "bench_person": "n bigint PRIMARY KEY, subscriber_id text, subscription_id text, "
    "period_id bigint, source_id text, product_id text, country text, name text",
}


class Sizes:
    """How much there is. persons: who pay; each has as many invoices. days: until today."""

    def __init__(self, account_id: int, invoices: int, persons: int, today: date) -> None:
        self.account_id, self.invoices, self.persons = account_id, invoices, persons
        self.today, self.days = today, (today - FIRST_DAY).days
        self.entries = 20 * invoices // 100  # of the audit trail, and as many events
        self.letters, self.requests = invoices // 10, invoices // 20

    def id(self, letter: str, number: str) -> str:
        """The expression of the id of a record, older than those that services create.

        letter: of its kind, a digit of Crockford's base 32. number: an expression, from 0 on.
        """
        return f"'{account_prefix(self.account_id)}00{letter}{'0' * 12}' || " + (
            f"CAST(10000000000 + {number} AS text)"
        )

    @property
    def by(self) -> str:
        """Who did it, as two columns."""
        return "'command', 'bench'"


async def create_tables(tx: Transaction, account_id: int, most: int, today: date) -> int:
    """Create and fill the tables of numbers, days and persons; returns how many persons."""
    for name, columns in TABLES.items():
        await tx.execute_many(f"CREATE TABLE {name} ({columns})", [{}])
    await tx.execute(
        """
        INSERT INTO bench_number (n)
        WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < :most)
        SELECT n FROM up
        """,
        {"most": most},
    )
    count = (today - FIRST_DAY).days + MORE_DAYS
    days = [FIRST_DAY + timedelta(days=number) for number in range(count + 1)]
    await tx.insert_rows(
        "bench_day",
        [
            {
                "n": number,
                "issue_date": day,
                "made_at": datetime(day.year, day.month, day.day, 9, tzinfo=UTC),
            }
            for number, day in enumerate(days)
        ],
    )
    persons = await tx.execute(PEOPLE, {"account_id": account_id})
    if tx.dialect == "postgres":
        await tx.execute_many("ANALYZE", [{}])
    return persons


async def drop_tables(tx: Transaction) -> None:
    """Drop these tables again."""
    for name in TABLES:
        await tx.execute_many(f"DROP TABLE {name}", [{}])
