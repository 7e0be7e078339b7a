"""The rule that every statement on a distributed table binds its account, held while tests run.

Citus then sends the statement to the one node that has the account; without the condition it asks
all nodes, or refuses. A statement that asks for all accounts on purpose is listed in `ACROSS`.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from masthead.store.engine.citus.table_lists import DISTRIBUTED
from masthead.store.engine.postgres import connection as postgres
from masthead.store.engine.sqlite import connection as sqlite

STORE = Path(postgres.__file__).parent.parent.parent
TABLE = re.compile(
    rf"\b(?:FROM|JOIN|UPDATE|INTO|USING) (?P<table>{'|'.join(DISTRIBUTED)})\b"
    r"(?: (?:AS )?(?P<alias>(?!(?:SET|ON|WHERE|ORDER|GROUP|LIMIT|VALUES|RETURNING|CROSS|JOIN|LEFT"
    r"|SELECT|UNION|USING)\b)\w+))?",
    re.IGNORECASE,
)
TEXTS = re.compile(r"'(?:[^']|'')*'")
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
    """The distributed tables of which a statement reads or writes rows of any account."""
    found = []
    for scope in scopes(sql):
        is_alone = len(re.findall(r"\b(?:FROM|JOIN)\b", scope)) <= 1
        for match in TABLE.finditer(scope):
            table, alias = match["table"], match["alias"]
            if re.search(rf"INTO {table} ⟨ ?account_id\b", scope):
                continue
            column = rf"\b{alias or table}\.account_id"
            if is_alone or not alias:
                column = rf"(?:{column}|(?<![.\w])account_id)"
            if not re.search(rf"{column} = |= {column}\b", scope):
                found.append(f"{table} {alias or ''}".strip())
    return found


# Functions that ask for the accounts that have work, on purpose: one query to all nodes at once.
# The work itself is done account by account. docs/operations.md lists the jobs.
ACROSS = {
    "accounts.find_account",
    "accounts.list_accounts",
    "background.monitoring.count_backlogs",
    "background.monitoring.sum_accounts",
    "background.outbox.list_due",
    "background.outbox.list_sending",
    "dispatch.files.list_unfinished_files",
    "exports.archives.list_old",
    "exports.archives.list_waiting",
    "idempotency.list_accounts_with_old_keys",
    "imports.batches.list_command_accounts",
    "imports.batches.list_unused",
    "imports.batches.list_working",
    "letters.stages.list_automatic",
    "privacy.erasures.list_uncleaned",
    "privacy.retention.list_automatic",
    "privacy.runs.list_marked",
    "read_model.subscription_json.list_outdated_accounts",
    "reports.trends.list_due",
    "revenue.statements.list_waiting",
    "users.list_memberships",
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


@contextmanager
def watched_statements() -> Iterator[None]:
    """Check each statement that the code runs during the block, when it runs for the first time."""

    def watch(translate: Callable[[str], Any]) -> Callable[[str], Any]:
        @cache
        def checked(sql: str) -> Any:
            require_account(sql, caller())
            return translate(sql)

        return checked

    with pytest.MonkeyPatch.context() as patched:
        for module in (postgres, sqlite):
            patched.setattr(module, "_translate", watch(module._translate))
        yield


def caller() -> str:
    """The function of the store that runs a statement, such as `audit.log.list_entries`."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(STORE) and "engine" not in path.relative_to(STORE).parts[:1]:
            module = ".".join(path.relative_to(STORE).with_suffix("").parts)
            return f"{module}.{frame.f_code.co_name}"
        if "tests" in path.parts:
            return ""
        frame = frame.f_back
    return ""
