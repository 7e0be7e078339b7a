"""The rule that every statement on a distributed table binds its account, and its control."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.pagination import PageRequest
from masthead.model.renewals.rates import EndedQuery
from masthead.store.claims import why_facts
from masthead.store.dispatch import candidates
from masthead.store.engine.interface import Database, Transaction
from masthead.store.renewals import rates
from tests.support.account_scope import (
    ACROSS,
    TABLE,
    Unbound,
    caller,
    require_account,
    scopes,
    unbound_tables,
)
from tests.support.statement_counter import StatementCounter
from tests.test_architecture import UNSCOPED

OPERATIONS = Path(__file__).parents[4] / "docs" / "operations.md"


@pytest.mark.parametrize(
    "sql, tables",
    [
        ("SELECT id FROM copy WHERE account_id = :account_id", []),
        ("SELECT id FROM copy WHERE status = 'Sent'", ["copy"]),
        ("SELECT 1 FROM issue i WHERE account_id = :account_id", []),
        (
            """
            SELECT i.id
            FROM issue i
            JOIN copy c ON c.issue_id = i.id
            WHERE i.account_id = :account_id
            """,
            ["copy c"],
        ),
        (
            """
            SELECT id FROM issue i WHERE i.account_id = :account_id AND NOT EXISTS (
                SELECT 1 FROM copy c WHERE c.issue_id = i.id -- c.account_id = i.account_id
            )
            """,
            ["copy c"],
        ),
        (
            """
            SELECT id FROM issue i WHERE i.account_id = :account_id AND NOT EXISTS (
                SELECT 1 FROM copy c WHERE c.account_id = i.account_id AND c.issue_id = i.id
            )
            """,
            ["copy c"],
        ),
        (
            """
            SELECT id FROM issue i WHERE i.account_id = :account_id AND NOT EXISTS (
                SELECT 1 FROM copy c WHERE c.account_id = :account_id AND c.issue_id = i.id
            )
            """,
            [],
        ),
        (
            """
            SELECT c.id
            FROM (SELECT i.account_id, i.id FROM issue i WHERE i.account_id = :account_id LIMIT 1) t
            CROSS JOIN copy c
            WHERE c.account_id = t.account_id AND c.issue_id = t.id
            """,
            ["copy c"],
        ),
        (
            """
            SELECT p.id
            FROM period p
            JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
            LEFT JOIN product d ON d.account_id = s.account_id AND d.id = s.product_id
            WHERE :account_id = p.account_id
            """,
            [],
        ),
        (
            """
            WITH old AS (SELECT i.id FROM issue i WHERE i.number < :number)
            SELECT c.id FROM copy c WHERE c.account_id = :account_id AND c.issue_id IN (
                SELECT id FROM old
            )
            """,
            ["issue i"],
        ),
        (
            """
            SELECT a.name, s.daily_date
            FROM account a
            JOIN account_state s ON s.account_id = a.id
            WHERE a.id = :account_id
            """,
            [],
        ),
        ("SELECT id FROM copy c WHERE c.account_id = c.account_id", ["copy c"]),
        ("SELECT id FROM copy WHERE account_id = :account_id OR id IN (:ids...)", ["copy"]),
        ("SELECT id FROM copy WHERE (account_id = :account_id OR id = :id) AND n > 1", ["copy"]),
        ("SELECT id FROM copy WHERE account_id = :account_id AND (id = 1 OR (id = 2))", []),
        (
            "SELECT id FROM copy WHERE account_id = :account_id"
            " AND CASE WHEN id = 1 OR id = 2 THEN 1 ELSE CASE id WHEN 3 THEN 1 END END = 1",
            [],
        ),
        (
            "SELECT id FROM copy WHERE account_id = :account_id UNION ALL SELECT id FROM period",
            ["period"],
        ),
        ("INSERT INTO refund (account_id, id) VALUES (:account_id, :id)", []),
        ("UPDATE copy SET status = 'account_id = 1' WHERE id = :id", ["copy"]),
        ("DELETE FROM copy WHERE id = :id", ["copy"]),
    ],
)
def test_a_table_whose_account_is_open_is_found(sql: str, tables: list[str]) -> None:
    assert unbound_tables(sql) == tables


def test_a_function_that_asks_for_all_accounts_must_be_listed() -> None:
    sql = "SELECT id FROM outbox WHERE status = 'waiting'"
    require_account(sql, "background.outbox.list_due")
    require_account(sql, "")  # a test
    with pytest.raises(Unbound, match=r"`copies\.list_copies` names no account for outbox"):
        require_account(sql, "copies.list_copies")
    with pytest.raises(Unbound, match="no parameter"):
        require_account("INSERT INTO refund (account_id, id) VALUES (:acme, :id)", "copies.other")
    assert caller() == ""


def test_the_functions_that_ask_for_all_accounts_are_few_and_documented() -> None:
    assert ACROSS <= UNSCOPED
    text = OPERATIONS.read_text()
    assert [name for name in sorted(ACROSS) if f"`{name}`" not in text] == []


OPEN = "SELECT count(*) AS count FROM copy c WHERE c.issue_number = :issue_number"


@pytest.mark.parametrize("aside", [False, True])
async def test_a_read_that_names_no_account_fails_the_test_that_runs_it(
    db: Database, monkeypatch: pytest.MonkeyPatch, aside: bool
) -> None:
    """This is the control of the fixture `bound_accounts`."""
    monkeypatch.setattr(candidates, "_COUNT_COPIES", OPEN)
    async with db.read(aside=aside) as connection:
        with pytest.raises(Unbound, match=r"`dispatch\.candidates\.count_copies` names no account"):
            await candidates.count_copies(connection, 1, 1)


async def test_a_write_that_names_no_account_fails_the_test_that_runs_it(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "_COUNT_CLAIMS", OPEN)

    async def count(tx: Transaction) -> object:
        return await candidates.count_claims(tx, 1, 1, DispatchSelection())

    for database in (db, StatementCounter(db)):
        with pytest.raises(Unbound, match=r"`dispatch\.candidates\.count_claims` names no account"):
            await database.write(count)


class Noted:
    """A connection that notes a statement instead of running it."""

    dialect, sql = "postgres", ""

    async def fetch_all(self, sql: str, _parameters: object) -> list[Any]:
        """No rows."""
        self.sql = sql
        return []


@pytest.mark.parametrize(
    "ask",
    [
        lambda db: rates.count_rates(db, 1, first=1, last=2),
        lambda db: rates.list_ended(db, 1, EndedQuery(issue=1), PageRequest(1, None, b"")),
        lambda db: why_facts.list_subscriptions(db, 1, "reader", 1, None),
    ],
)
async def test_beside_outer_joins_each_select_has_the_parameter_of_the_account(
    ask: Callable[[Any], Awaitable[object]],
) -> None:
    """Citus does not plan these otherwise; an account that comes from outside is not enough."""
    noted = Noted()
    await ask(noted)
    assert "LEFT JOIN" in noted.sql
    inner = [each for each in scopes(noted.sql) if TABLE.search(each)]
    assert len(inner) > 2
    assert [each for each in inner if ":account_id" not in each] == []
