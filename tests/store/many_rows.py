# ruff: noqa: S608 - the texts of this file
"""Many rows, created by SQL in a few seconds: common and rare values, old and new rows.

Account 1 has the subscribers, subscriptions and copies. Account 2 has the sources and issues: the
few of account 1 would be read without an index.

PostgreSQL chooses a plan by statistics, which it collects at moments of its own (autovacuum) and
from a random sample (ANALYZE). So that a test has the same plans each time, `fill` leaves the
tables without statistics, and `analyze` collects those of all rows. SQLite always has the same.
"""

from masthead.store.engine.interface import Database, Transaction

ROWS = 100_000
COPIES = ROWS // 20 * 24  # a subscription in twenty has copies, of 24 issues each
LAST_ISSUE = 60  # with copies; the next one has none
FIRST_COPY = 2**32

_MOMENT = "'2026-01-01T00:00:00.000000+00:00'"


def id_of(letter: str, number: int, account_id: int = 1) -> str:
    """The id of a row by its number."""
    return f"{account_id:05}{letter:0>16}{1_000_000_000 + number}"


def _id(letter: str, number: str = "n", account_id: int = 1) -> str:
    """The same in SQL."""
    return f"'{account_id:05}{letter:0>16}' || CAST(1000000000 + {number} AS text)"


def _up_to(count: int) -> str:
    return f"WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < {count})"


FILL = (
    "INSERT INTO account (id, name, subdomain, currency, is_active, welcome_subject,"
    f" welcome_text, created_at) {_up_to(2)}"
    f" SELECT n, 'Many', 'many' || CAST(n AS text), 'EUR', true, '', '', {_MOMENT} FROM up",
    f"INSERT INTO source (account_id, id, name, type, is_active, created_at) {_up_to(40)}"
    f" SELECT 1, {_id('S')}, 'Source', 'shop', true, {_MOMENT} FROM up",
    f"INSERT INTO source (account_id, id, name, type, is_active, created_at) {_up_to(ROWS)}"
    f" SELECT 2, {_id('S', account_id=2)}, 'Source', 'shop', true, {_MOMENT} FROM up",
    f"INSERT INTO issue (account_id, id, number, name, created_at) {_up_to(LAST_ISSUE + 1)}"
    f" SELECT 1, {_id('I')}, n, 'Issue', {_MOMENT} FROM up",
    f"INSERT INTO issue (account_id, id, number, name, created_at) {_up_to(ROWS)}"
    f" SELECT 2, {_id('I', account_id=2)}, n, 'Issue', {_MOMENT} FROM up",
    "INSERT INTO product (account_id, id, name, benefits, created_at)"
    f" VALUES (1, 'P', 'Imported subscription', '[]', {_MOMENT})",
    f"INSERT INTO product (account_id, id, name, benefits, created_at) {_up_to(ROWS // 100)}"
    f" SELECT 2, CAST(n AS text), 'Imported subscription', '[]', {_MOMENT} FROM up",
    "INSERT INTO subscriber (account_id, id, email, email_key, is_placeholder, subscription_count,"
    f" has_active_subscription, ltv, created_at) {_up_to(ROWS)}"
    f" SELECT 1, {_id('U')}, 'ada@many.test', CAST(n AS text), false, 1, n % 3 <> 2, 4200,"
    f" {_MOMENT}"
    " FROM up",
    # one in 400 has subscriber 1, seven in ten have source 1, six in ten are active, and one in
    # 20,000 has the country LI and is past due
    "INSERT INTO subscription (account_id, id, subscriber_id, source_id, product_id, type, status,"
    " medium, country, is_recurring, is_comp, is_gift, start_issue, last_issue, total_length,"
    f" created_at) {_up_to(ROWS)}"
    f" SELECT 1, {_id('B')},"
    f" CASE WHEN n % 400 = 20 THEN {_id('U', '1')} ELSE {_id('U')} END,"
    f" CASE WHEN n % 10 < 7 THEN {_id('S', '1')} ELSE {_id('S', '(2 + n % 38)')} END,"
    " 'P', 'subscription', CASE WHEN n % 20000 = 40 THEN 'Past due' WHEN n * 37 % 100 < 60 THEN"
    " 'Active' WHEN n * 37 % 100 < 95 THEN 'Complete' ELSE 'Cancelled' END,"
    " CASE WHEN n % 20 = 0 THEN 'Print' ELSE 'Digital' END,"
    " CASE WHEN n % 20000 = 40 THEN 'LI' WHEN n * 79 % 100 < 60 THEN 'DE' ELSE 'AT' END,"
    f" false, false, n % 50 = 10, 1 + n * 31 % 37, 24 + n * 31 % 37, 24, {_MOMENT}"
    " FROM up",
    "INSERT INTO subscription_document (account_id, id, revision, format_revision, document)"
    " SELECT account_id, id, 1, 1, '{}' FROM subscription",
    "INSERT INTO period (account_id, id, subscription_id, order_id, is_complete, first_issue,"
    " last_issue, length, price, discount_amount, refunded, currency, created_at)"
    f" {_up_to(ROWS)}"
    f" SELECT 1, n, {_id('B')}, CAST(n AS text), false, 1 + n * 31 % 37, 24 + n * 31 % 37, 24,"
    f" 4200, 0, 0, 'EUR', {_MOMENT} FROM up",
    # the older half was created subscription by subscription, as in an import, the others by issue
    "INSERT INTO copy (account_id, id, subscription_id, period_id, subscriber_id, issue_id,"
    " issue_number, status, country)"
    f" SELECT 1, {FIRST_COPY} + row_number() OVER (ORDER BY CASE WHEN s.id < '{{middle}}' THEN 0"
    " ELSE i.number END, s.id, i.number), s.id, p.id, s.subscriber_id, i.id, i.number,"
    " CASE WHEN p.id % 1200 = 0 THEN 'Cancelled' WHEN i.number > 54 THEN 'Not sent'"
    " ELSE 'Sent' END, s.country FROM subscription s"
    " JOIN period p ON p.account_id = 1 AND p.subscription_id = s.id"
    " JOIN issue i ON i.account_id = 1 AND i.number BETWEEN s.start_issue AND s.last_issue"
    " WHERE s.account_id = 1 AND s.medium = 'Print'".format(middle=id_of("B", ROWS // 2)),
)


SAMPLED = 300  # rows that ANALYZE reads for each unit of its target
MOST_ROWS = 300_000  # of a table: `audit` may have an entry for each subscription and each copy
TABLES = """
    SELECT CAST(CAST(oid AS regclass) AS text) AS name
    FROM pg_class
    WHERE relkind = 'r'
        AND relnamespace = CAST(current_schema() AS regnamespace)
    ORDER BY oid
"""


async def stop_autovacuum(db: Database) -> None:
    """Let PostgreSQL collect no statistics by itself, of any table: small ones are joined too."""

    async def work(tx: Transaction) -> None:
        for table in await tx.fetch_all(TABLES, {}):
            await tx.execute_many(
                f"ALTER TABLE {table['name']} SET (autovacuum_enabled = false)", [{}]
            )

    if db.dialect == "postgres":
        await db.write(work)


async def analyze(db: Database) -> None:
    """Collect statistics of all rows; a random sample would differ from run to run."""

    async def work(tx: Transaction) -> None:
        target = MOST_ROWS // SAMPLED
        await tx.execute_many(f"SET LOCAL default_statistics_target = {target}", [{}])
        await tx.execute_many("ANALYZE", [{}])

    if db.dialect == "postgres":
        await db.write(work, is_long=True)


# Some that changed
CHANGED = [
    f"UPDATE {table} SET changed_at = '2026-02-01T00:00:00.000000+00:00' WHERE id > '{after}'"
    for table, after in (
        ("subscription_document", id_of("B", ROWS - 50)),
        ("subscriber", id_of("U", ROWS - 50)),
    )
]
# Subscriptions with outdated JSON, which are on none of the pages that tests read
OUTDATED = f"""
    INSERT INTO subscription_change (account_id, id, revision, changed_at)
    SELECT account_id, id, 9999, '2026-01-01T00:00:00.000000+00:00'
    FROM subscription
    WHERE account_id = 1
      AND id > '{id_of("B", ROWS // 2)}'
      AND id <= '{id_of("B", ROWS // 2 + 1000)}'
"""


async def fill(db: Database) -> None:
    """Create the rows, in a database with empty tables; it gets statistics only by `analyze`."""
    await stop_autovacuum(db)

    async def work(tx: Transaction) -> None:
        if (
            tx.dialect == "postgres"
        ):  # without foreign keys, if the user may: they take half of the time
            await tx.fetch_all(
                "SELECT set_config('session_replication_role', 'replica', true)"
                " WHERE current_setting('is_superuser') = 'on'",
                {},
            )
        for statement in FILL:
            await tx.execute_many(statement, [{}])

    await db.write(work, is_long=True)
