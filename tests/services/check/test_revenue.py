"""Each invariant of money is broken, and `check` reports it."""

import hashlib
import inspect
import re
from functools import partial

import pytest

from masthead.model.pagination import all_pages
from masthead.model.revenue import recognition
from masthead.services.check import revenue as check_revenue
from masthead.services.revenue.statements import request_statement
from masthead.store.check.orders import REVENUE_INVARIANTS
from masthead.store.engine.interface import Database
from masthead.store.revenue import statements as store
from masthead.store.revenue.statements import compress_part
from tests.conftest import BY, Cast, Client, make_account
from tests.support.billing import bill, turn_on_billing
from tests.support.checks import execute, faults, faults_after, rolled_back
from tests.support.factories import import_row, make_issue, make_membership
from tests.support.revenue import DAY, TODAY, add_refund, make_statement

READY = "a ready statement has its figures and hashes, and no other has"
FILES = "only a ready statement has files"
HASH = "the bytes of a statement match its hash"
FILE = "the file of a statement has its figures"
ORDERS = "the orders of a statement match their hash"
COUNTED = "the figures of a statement match its orders"
RECOUNT = "revenue matches a recount by the database"
TAKINGS = "takings by month match the sum of all orders and payments"
OWED = "what payers owe is what is open of documents and payments"

BREAKS = [
    (READY, "UPDATE revenue_statement SET figures = NULL WHERE id = :id", "id"),
    (READY, "UPDATE revenue_statement SET error = 'x' WHERE id = :id", "id"),
    (READY, "UPDATE revenue_statement SET sha256 = 'x' WHERE id = :waiting", "waiting"),
    (FILES, "UPDATE revenue_statement SET status = 'waiting' WHERE id = :id", "id"),
    (HASH, "UPDATE revenue_statement SET sha256 = 'x' WHERE id = :id", "id"),
    (
        HASH,
        "DELETE FROM revenue_statement_part WHERE statement_id = :id AND file = 'figures'",
        "id",
    ),
    (FILE, "UPDATE revenue_statement SET figures = :other WHERE id = :id", "id"),
    (ORDERS, "UPDATE revenue_statement SET orders_sha256 = 'x' WHERE id = :id", "id"),
    (
        ORDERS,
        "UPDATE revenue_statement_part SET content = :garbage"
        " WHERE statement_id = :id AND file = 'orders'",
        "id",
    ),
    (COUNTED, "UPDATE revenue_statement SET figures = :other WHERE id = :id", "id"),
    (COUNTED, "UPDATE revenue_statement SET figures = :empty WHERE id = :id", "id"),
    (TAKINGS, "UPDATE period SET order_date = '1850-01-01' WHERE {own}", "EUR"),
    (TAKINGS, "UPDATE period SET is_billed = NULL WHERE {own}", "EUR"),
    (OWED, "UPDATE invoice SET open_amount = open_amount + 1 WHERE {own}", "EUR"),
]


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they roll back what they break."""
    return await make_account(client, db, "Acme")


@pytest.fixture(scope="module")
async def scene(acme: Cast) -> dict[str, object]:
    """Orders in two currencies, a ready statement, and one that waits."""
    await turn_on_billing(acme)
    await make_issue(acme, 2)
    await bill(acme)
    sent = {"sent_issues": "1", "sent_dates": "2026-01-20"}
    await import_row(acme, order_id="ONE", start_issue="1", length="3", price="100.01", **sent)
    await import_row(acme, start_issue="1", length="2", currency="USD", **sent)
    await make_membership(acme, period_start="2026-01-01", period_end="2026-12-31")
    await add_refund(acme, "ONE", "2026-03-01", 1000)
    statement = await make_statement(acme)
    row = await acme.db.fetch_one(
        "SELECT figures FROM revenue_statement WHERE account_id = :a AND id = :id",
        {"a": acme.account_id, "id": statement.id},
    )
    assert row is not None
    return {
        "id": statement.id,
        "waiting": await request_statement(acme.db, acme.account_id, DAY, today=TODAY, by=BY),
        "other": re.sub(r'"deferred":\d+', '"deferred":1', row["figures"], count=1),
        "empty": '{"day":"2026-06-30","currencies":[]}',
        "garbage": compress_part(b"nothing"),
    }


@pytest.mark.usefixtures("scene")
async def test_statements_break_no_invariant(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await faults(acme) == []
    monkeypatch.setattr(check_revenue, "all_pages", partial(all_pages, limit=1))
    assert await faults(acme) == []


@pytest.mark.parametrize("invariant, sql, culprit", BREAKS)
async def test_a_broken_row_is_reported_with_its_invariant(
    acme: Cast, scene: dict[str, object], invariant: str, sql: str, culprit: str
) -> None:
    found = await faults_after(acme, sql, **scene)
    assert (invariant, str(scene.get(culprit, culprit))) in found


@pytest.mark.parametrize(
    "was, becomes", [(b",10.00,31.14,", b",10.00,31.15,"), (b"5.89\r", b"5.90\r")]
)
async def test_a_damaged_line_is_reported(
    acme: Cast, scene: dict[str, object], was: bytes, becomes: bytes
) -> None:
    """A file whose hash fits too: the lines themselves do not add up."""
    (part, *_) = await store.list_parts(
        acme.db, acme.account_id, str(scene["id"]), store.StatementFile.ORDERS
    )
    content = await store.get_part(
        acme.db, acme.account_id, str(scene["id"]), store.StatementFile.ORDERS, part
    )
    other = content.replace(was, becomes)
    assert other != content

    async def work(acme: Cast) -> list[tuple[str, str]]:
        await execute(
            acme,
            "UPDATE revenue_statement_part SET content = :content"
            " WHERE statement_id = :id AND file = 'orders'",
            content=compress_part(other),
            id=scene["id"],
        )
        await execute(
            acme,
            "UPDATE revenue_statement SET orders_sha256 = :hash WHERE id = :id",
            hash=hashlib.sha256(other).hexdigest(),
            id=scene["id"],
        )
        return await faults(acme)

    assert (COUNTED, scene["id"]) in await rolled_back(acme, work)


@pytest.mark.usefixtures("scene")
async def test_a_mistake_in_the_rules_is_found_by_the_recount(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognition, "carried", lambda price, parts, of: -(-price * parts // of))
    assert RECOUNT in {invariant for invariant, _ in await faults(acme)}


async def test_the_tests_break_every_invariant() -> None:
    yielded = re.findall(r'yield "([^"]+)"', inspect.getsource(check_revenue))
    assert {invariant for invariant, _, _ in BREAKS} | {RECOUNT} == {
        *REVENUE_INVARIANTS,
        *yielded,
    }
