"""Until SQLite has statistics, no statement reads a table again for each row of another one.

Without them, SQLite takes a range of an index for cheaper than the rows of one record: for each
order, it would read all that ended later. `IS TRUE` around a comparison hides it from the planner.
"""

import contextlib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import apsw
import pytest

import masthead.store
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite.connection import _translate
from tests.support.cases import for_each

STATEMENT = re.compile(r"\s*(SELECT|WITH|UPDATE|DELETE|INSERT)\b")
STEP = re.compile(r"(?:SCAN|SEARCH) (?P<name>\S+)(?: EXISTS)?(?: USING.*? INDEX (?P<index>\w+))?.*")
# Tables with few rows in an account
FEW = set(
    "account_state account_user debit_settings dispatch issue product sandbox source "
    "summed_until".split()
)
# Ranges that are meant: what the outer row says is where they begin and end
MEANT = {
    "masthead.store.audit.choices._ACTORS": "the next actor after each one",
    "masthead.store.background.idle_accounts.list_without_pass": "whether an account has any",
    "masthead.store.read_model.subscription_json.list_outdated_accounts": "the same",
    "masthead.store.billing.settings.find_settings": "the few settings of an account",
    "masthead.store.check.billing.BILLING_INVARIANTS": "what the sums of an account have",
    "masthead.store.check.billing._SUMMED_INVOICES": "the same",
    "masthead.store.check.billing._SUMMED_PAYMENTS": "the same",
    "masthead.store.check.invariants.INVARIANTS": "what each account has",
    "masthead.store.dispatch.grace_candidates._COUNT_DUE": "what ended before each of few issues",
    "masthead.store.history.entries._MARKED": "entries with consecutive ids",
    "masthead.store.history.entries._UPDATED": "entries beside another one",
    "masthead.store.imports.used_issues._USES": "what goes on beyond each of few issues",
}


def list_statements() -> dict[str, str]:
    """The texts of the store that may be whole statements, with where they are."""
    found: dict[str, str] = {}

    def collect(value: object, place: str) -> None:
        if isinstance(value, str) and STATEMENT.match(value):
            found.setdefault(value, place)
        elif isinstance(value, CodeType):
            for each in value.co_consts:
                collect(each, place)
        elif isinstance(value, dict):
            for each in value.values():
                collect(each, place)
        elif isinstance(value, tuple | list):
            for each in value:
                collect(each, place)
        elif inspect.isfunction(value) and value.__module__.startswith("masthead.store."):
            collect(inspect.unwrap(value).__code__, place)

    for module in pkgutil.walk_packages(masthead.store.__path__, "masthead.store."):
        if ".migrations" not in module.name:
            for name, value in vars(importlib.import_module(module.name)).items():
                if not name.startswith("__"):
                    collect(value, f"{module.name}.{name}")
    return found


def explain(connection: apsw.Connection, sql: str) -> list[Any]:
    """The steps of the plan of a statement: number, parent, and text."""
    text = _translate(sql)
    values = dict.fromkeys(re.findall(r":(\w+)", text))
    return [
        (id, parent, step)
        for id, parent, _, step in connection.execute(f"EXPLAIN QUERY PLAN {text}", values)
    ]


def repeated_reads(connection: apsw.Connection, sql: str) -> Iterator[str]:
    """The steps that read much of a table for each row of another one."""
    steps = explain(connection, sql)
    parents = {id: (parent, step) for id, parent, step in steps}
    computed = {step.split()[1] for _, _, step in steps if step.startswith(("MAT", "CO-ROUTINE"))}
    tables = dict(connection.execute("SELECT name, tbl_name FROM sqlite_master"))
    begun = set[int]()

    def is_repeated(parent: int) -> bool:
        while parent in parents:
            parent, step = parents[parent]
            if step.startswith("CORRELATED"):
                return True
            if step.startswith(("MATERIALIZE", "CO-ROUTINE", "LIST SUBQUERY")):
                return False
        return False

    for _, parent, step in steps:
        found = STEP.fullmatch(step)
        if not found or "VIRTUAL TABLE" in step or "CONSTANT ROW" in step:
            continue
        is_inner = parent in begun or is_repeated(parent)
        begun.add(parent)
        if found["name"] in computed or found["name"].startswith("("):
            continue
        equal = set(re.findall(r"(\w+|<expr>)=\?", step)) - {"account_id"}
        if is_inner and not equal and tables.get(found["index"]) not in FEW:
            yield step


@pytest.fixture
def without_statistics(tmp_path: Path) -> apsw.Connection:
    """An empty database, of which SQLite knows nothing."""
    path = tmp_path / "masthead.db"
    migrate(f"sqlite:///{path}")
    return apsw.Connection(str(path))


def test_no_statement_reads_a_table_for_each_row_of_another(
    without_statistics: apsw.Connection,
) -> None:
    found, parts = dict[str, list[str]](), 0
    statements = list_statements()
    for sql, place in statements.items():
        try:
            reads = list(repeated_reads(without_statistics, sql))
        except apsw.SQLError:
            parts += 1  # of a statement, or one for PostgreSQL
            continue
        if reads:
            found.setdefault(place, []).extend(reads)
    assert len(statements) - parts > 700
    assert {place: found[place] for place in found.keys() - MEANT.keys()} == {}
    assert found.keys() >= MEANT.keys()


def repeated_subqueries(connection: apsw.Connection, sql: str) -> list[str]:
    """The subqueries that are computed again for each row of a table."""
    loops, computed = dict[int, list[str]](), set[str]()
    for _, parent, step in explain(connection, sql):
        kind, name, *_ = f"{step} ".split(" ")
        if kind == "CO-ROUTINE":
            computed.add(name)
        elif kind == "SCAN":
            loops.setdefault(parent, []).append(name)
    return [name for names in loops.values() for name in names[1:] if name in computed]


def test_few_rows_do_not_let_a_statement_compute_a_subquery_for_each(
    without_statistics: apsw.Connection,
) -> None:
    execute = without_statistics.execute
    execute("ANALYZE")
    execute("INSERT INTO sqlite_stat1 VALUES ('source', 'sqlite_autoindex_source_1', '4 4 1')")
    execute("ANALYZE sqlite_schema")
    found = set[str]()
    for sql, place in list_statements().items():
        with contextlib.suppress(apsw.SQLError):  # a part of a statement, or one for PostgreSQL
            if repeated_subqueries(without_statistics, sql):
                found.add(place)
    assert found == set()
    once_more = """
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
    assert repeated_subqueries(without_statistics, once_more) == ["t"]  # positive control


@for_each(
    "condition, is_repeated",
    [
        ("p.subscription_id = s.id AND p.last_issue > :issue", True),
        ("p.subscription_id = s.id AND (p.last_issue > :issue) IS TRUE", False),
        ("p.last_issue > s.last_issue", True),
    ],
)
def test_a_range_for_each_row_is_found(
    without_statistics: apsw.Connection, condition: str, is_repeated: bool
) -> None:
    joined = f"s.account_id = 1 AND p.account_id = 1 AND p.price > 0 AND {condition}"
    for sql in (
        f"SELECT p.id FROM subscription s CROSS JOIN period p WHERE {joined}",  # noqa: S608
        f"SELECT s.id FROM subscription s WHERE EXISTS (SELECT 1 FROM period p WHERE {joined})",  # noqa: S608
    ):
        assert bool(list(repeated_reads(without_statistics, sql))) is is_repeated
