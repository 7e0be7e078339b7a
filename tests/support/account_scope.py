"""The rule that every statement on a distributed table binds its account, held while tests run.

Citus then sends the statement to the one node that has the account; without the condition it asks
all nodes, or refuses. A statement that asks for all accounts on purpose is listed in `ACROSS`.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from masthead.store.engine.citus.table_lists import DISTRIBUTED
from masthead.store.engine.interface import Parameters, Row
from masthead.store.engine.postgres import connection as postgres
from masthead.store.engine.sqlite import connection as sqlite
from masthead.store.engine.sqlite.database import _ThreadedConnection
from tests.support.plans import require_indexes

STORE = Path(postgres.__file__).parent.parent.parent
TESTS = Path(__file__).parent.parent
TABLE = re.compile(
    rf"\b(?:FROM|JOIN|UPDATE|INTO|USING) (?P<table>{'|'.join((*DISTRIBUTED, 'api_key'))})\b"
    r"(?: (?:AS )?(?P<alias>(?!(?:SET|ON|WHERE|ORDER|GROUP|LIMIT|VALUES|RETURNING|CROSS|JOIN|LEFT"
    r"|SELECT|UNION|USING)\b)\w+))?",
    re.IGNORECASE,
)
TEXTS = re.compile(r"'(?:[^']|'')*'")
COLUMN = r"(?<![.\w])(?:(?P<{}>\w+)\.)?account_id\b"
PARAMETER = r"(?::account_id\b|CAST⟨:account_id AS bigint⟩)"
GIVEN = re.compile(rf"{COLUMN.format('left')} = {PARAMETER}|{PARAMETER} = {COLUMN.format('right')}")
EQUAL = re.compile(rf"{COLUMN.format('one')} = {COLUMN.format('other')}")
BEGINS = re.compile(r"\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b")
INNER = re.compile(r"⟨[^⟨⟩]*⟩")
ALTERNATIVES = re.compile(r"⟨(?:[^⟨⟩]|⟨⟩)*\bOR\b(?:[^⟨⟩]|⟨⟩)*⟩")
CASE = re.compile(r"\bCASE\b(?:(?!\bCASE\b).)*?\bEND\b")
INNERMOST = re.compile(r"\(([^()]*)\)")


class Unbound(AssertionError):
    """A statement does not name the account of a distributed table."""


def scopes(sql: str) -> Iterator[str]:
    """The SELECTs of a statement, from the innermost one, each without those inside it."""
    text = " ".join(TEXTS.sub("''", re.sub(r"--[^\n]*", "", sql)).split())
    while match := INNERMOST.search(text):
        inner = match[1]
        if re.match(r"\s*(?:SELECT|WITH|VALUES)\b", inner):
            yield from re.split(r"\b(?:UNION ALL|UNION|EXCEPT|INTERSECT)\b", inner)
            text = f"{text[: match.start()]} ⟨⟩ {text[match.end() :]}"
        else:
            text = f"{text[: match.start()]}⟨{inner}⟩{text[match.end() :]}"
    yield from re.split(r"\b(?:UNION ALL|UNION|EXCEPT|INTERSECT)\b", text)


def unbound_tables(sql: str) -> list[str]:
    """The distributed tables that a SELECT of a statement reads or writes without their account.

    In the same SELECT, the account of each table equals the parameter, or that of another table
    for which this holds. An account from outside, or from a derived table, is not enough. A part
    of a statement, such as a join, is not checked itself, but the SELECTs in it are.
    """
    found = []
    for scope in filter(BEGINS.match, scopes(sql)):
        is_alone = len(re.findall(r"\b(?:FROM|JOIN)\b", scope)) <= 1
        bound = _bound(_without_alternatives(_with_account_ids(scope)))
        for match in TABLE.finditer(scope):
            table, alias = match["table"], match["alias"]
            if re.search(rf"INTO {table} ⟨ ?account_id\b", scope):
                continue
            if (alias or table) in bound or ((is_alone or not alias) and "" in bound):
                continue
            found.append(f"{table} {alias or ''}".strip())
    return found


def _without_alternatives(scope: str) -> str:
    """A SELECT without what an OR makes optional: such a condition binds nothing."""
    while (found := ALTERNATIVES.sub("⟨⟩", CASE.sub("⟨⟩", scope))) != scope:
        scope = found
    outside = scope
    while (found := INNER.sub("", outside)) != outside:
        outside = found
    return "" if re.search(r"\bOR\b", outside) else scope


def _with_account_ids(scope: str) -> str:
    """A SELECT in which the id of the table `account` is called as in all other tables."""
    for alias in re.findall(r"\b(?:FROM|JOIN) account (?:AS )?(\w+)", scope):
        scope = re.sub(rf"\b{alias}\.id\b", f"{alias}.account_id", scope)
    return scope


def _bound(scope: str) -> set[str]:
    """The tables of a SELECT whose account is the parameter: aliases, and "" if there is none."""
    pairs = {frozenset(match.groups("")) for match in EQUAL.finditer(scope)}
    bound = {match["left"] or match["right"] or "" for match in GIVEN.finditer(scope)}
    own = {match["alias"] or match["table"] for match in TABLE.finditer(scope)}
    while more := {name for pair in pairs if pair & bound for name in pair & own} - bound:
        bound |= more
    return bound


# Functions that ask for the accounts that have work, on purpose: one query to all nodes at once.
# The work itself is done account by account. docs/operations.md lists the jobs.
ACROSS = {
    "accounts.list_accounts",
    "background.idle_accounts.list_with_right_trend",
    "background.idle_accounts.list_without_pass",
    "background.idle_accounts.update_daily_dates",
    "background.idle_accounts.update_trend_days",
    "background.monitoring.count_backlogs",
    "background.monitoring.sum_accounts",
    "background.outbox.list_due",
    "background.outbox.list_sending",
    "dispatch.files.list_unfinished_files",
    "dispatch.fingerprints.list_marked",
    "exports.archives.list_old",
    "exports.archives.list_waiting",
    "events.log.list_accounts_with_old_events",
    "idempotency.list_accounts_with_old_keys",
    "imports.batches.list_command_accounts",
    "imports.batches.list_unused",
    "imports.batches.list_used",
    "imports.batches.list_working",
    "letters.stages.list_automatic",
    "privacy.erasures.list_uncleaned",
    "privacy.retention.list_automatic",
    "read_model.subscription_json.list_outdated_accounts",
    "reports.trends.list_due",
    "revenue.statements.list_waiting",
    "webhooks.endpoints.list_due_endpoints",
}


def require_account(sql: str, function: str) -> None:
    """Raises: Unbound if a function of the store may not run a statement for all accounts."""
    if not function or function in ACROSS:
        return
    tables = unbound_tables(sql)
    if TABLE.search(sql) and ":account_id" not in sql:
        tables = tables or ["the account is no parameter"]
    if tables:
        raise Unbound(f"`{function}` names no account for {', '.join(tables)}: {sql}")


Check = Callable[[str, str], None]  # of a statement and the function that runs it
SQLITE_CHECKS: tuple[Check, ...] = (require_account, require_indexes)


@contextmanager
def watched_statements() -> Iterator[None]:
    """Check each statement that the code runs during the block, when it runs for the first time."""
    checked = set[tuple[Check, str]]()

    def check(sql: str, checks: Sequence[Check]) -> None:
        if any((each, sql) not in checked for each in checks) and (function := caller()):
            for each in checks:
                each(sql, function)
                checked.add((each, sql))

    def watch(translate: Callable[[str], Any], *checks: Check) -> Callable[[str], Any]:
        def watched(sql: str) -> Any:
            check(sql, checks)
            return translate(sql)

        return watched

    async def fetch_all(connection: Any, sql: str, parameters: Parameters) -> list[Row]:
        check(sql, SQLITE_CHECKS)  # in the thread, the function is unknown
        return await fetch_aside(connection, sql, parameters)

    fetch_aside = _ThreadedConnection.fetch_all
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(postgres, "_translate", watch(postgres._translate, require_account))
        patched.setattr(sqlite, "_translate", watch(sqlite._translate, *SQLITE_CHECKS))
        patched.setattr(_ThreadedConnection, "fetch_all", fetch_all)
        yield


def caller() -> str:
    """The function of the store that runs a statement, such as `audit.log.list_entries`.

    Empty for a statement of a test, and in a thread that only runs the statement.
    """
    frame: Any = sys._getframe(1)
    while frame is not None:
        module = _module_of(frame.f_code.co_filename)
        if module is not None:
            return f"{module}.{frame.f_code.co_name}" if module else ""
        frame = frame.f_back
    return ""


@cache
def _module_of(file: str) -> str | None:
    """The module of the store that a file is; empty for one of tests, None for any other file."""
    path = Path(file)
    if path.is_relative_to(STORE) and "engine" not in path.relative_to(STORE).parts[:1]:
        return ".".join(path.relative_to(STORE).with_suffix("").parts)
    is_test = path.is_relative_to(TESTS) and not path.is_relative_to(TESTS / "support")
    return "" if is_test else None
