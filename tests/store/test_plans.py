"""Each kind of plan that reads too much is found, in every statement that tests run on SQLite."""

import importlib
from pathlib import Path

import apsw
import pytest

from masthead.store import sources
from masthead.store.engine.migrate import migrate
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.plans import (
    MEANT,
    FullRead,
    new_database,
    repeated_reads,
    repeated_subqueries,
    unused_lists,
)

CHOSEN = "SELECT s.subscriber_id FROM subscription s WHERE s.account_id = :account_id AND "


@pytest.fixture
def planned() -> apsw.Connection:
    """A connection that plans as in a new database."""
    return new_database()


@for_each(
    "condition, is_repeated",
    [
        ("p.subscription_id = s.id AND p.last_issue > :issue", False),
        ("p.last_issue > s.last_issue", True),
        ("p.last_issue = s.last_issue", False),
    ],
)
def test_a_range_for_each_row_is_found(
    planned: apsw.Connection, condition: str, is_repeated: bool
) -> None:
    joined = f"s.account_id = 1 AND p.account_id = 1 AND p.price > 0 AND {condition}"
    for sql in (
        f"SELECT p.id FROM subscription s CROSS JOIN period p WHERE {joined}",  # noqa: S608
        f"SELECT s.id FROM subscription s WHERE EXISTS (SELECT 1 FROM period p WHERE {joined})",  # noqa: S608
    ):
        assert bool(list(repeated_reads(planned, sql))) is is_repeated


def test_a_range_for_one_row_is_none_for_each(planned: apsw.Connection) -> None:
    once = """
        SELECT p.id
        FROM account_state s
        CROSS JOIN period p ON p.account_id = s.account_id AND p.last_issue > s.last_copy
        WHERE s.account_id = :account_id
    """
    assert list(repeated_reads(planned, once)) == []
    for_all = once.replace("WHERE s.account_id = :account_id", "")
    assert list(repeated_reads(planned, for_all))  # positive control


@for_each(
    "condition, is_read_whole",
    [
        ("s.id IN (:ids...)", False),
        ("s.subscriber_id IN (:ids...)", False),
        ("+s.id IN (:ids...)", True),
        ("s.postcode IN (:ids...)", False),  # there is no index
        ("s.id NOT IN (:ids...)", False),
    ],
)
def test_a_list_that_no_index_looks_up_is_found(
    planned: apsw.Connection, condition: str, is_read_whole: bool
) -> None:
    assert bool(list(unused_lists(planned, CHOSEN + condition))) is is_read_whole


@pytest.fixture
def counted(tmp_path: Path) -> apsw.Connection:
    """A connection that knows of a few sources only, as after `ANALYZE` in a new database."""
    path = tmp_path / "masthead.db"
    migrate(f"sqlite:///{path}")
    connection = apsw.Connection(str(path))
    connection.execute("DELETE FROM sqlite_stat1")
    connection.execute(
        "INSERT INTO sqlite_stat1 VALUES ('source', 'sqlite_autoindex_source_1', '4 4 1')"
    )
    connection.execute("ANALYZE sqlite_schema")
    return connection


def test_lists_are_not_looked_up_without_statistics(counted: apsw.Connection) -> None:
    """Why databases have statistics of many rows from the beginning."""
    assert list(unused_lists(counted, CHOSEN + "s.id IN (:ids...)"))


def test_a_subquery_for_each_row_is_found(
    planned: apsw.Connection, counted: apsw.Connection
) -> None:
    joined = """
        SELECT t.source_id, o.name, sum(t.count)
        FROM (
            SELECT s.source_id, count(*) AS count
            FROM copy c
            JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
            WHERE c.account_id = :account_id AND c.issue_number = :issue_number
            GROUP BY s.source_id
            UNION ALL
            SELECT s.source_id, count(*)
            FROM subscription s
            WHERE s.account_id = :account_id AND s.last_issue = :issue_number
            GROUP BY s.source_id
        ) AS t
        JOIN source o
        WHERE o.account_id = :account_id AND o.id = t.source_id
        GROUP BY t.source_id, o.name
    """
    assert repeated_subqueries(counted, joined) == ["t"]
    assert repeated_subqueries(planned, joined) == []


async def test_the_code_cannot_run_such_a_statement(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    if acme.db.dialect == "postgres":
        return  # the rule is held on SQLite, for the same statements
    monkeypatch.setattr(sources, "_SOURCE", f"{CHOSEN}+s.id IN (:ids...) AND :id = 1")
    with pytest.raises(FullRead, match=r"`sources\.find_source` reads too much"):
        await sources.find_source(acme.db, acme.account_id, acme.shop)


def test_the_functions_that_read_much_on_purpose_exist() -> None:
    for name in MEANT:
        module, _, function = name.rpartition(".")
        assert hasattr(importlib.import_module(f"masthead.store.{module}"), function), name
