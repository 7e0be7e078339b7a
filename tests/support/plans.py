"""The rule that no statement reads a table again and again, or whole instead of by a list.

SQLite plans as in a new database (decision 0094), and the rule is held while tests run: for each
statement that the code runs. A statement that reads so on purpose is listed in `MEANT`.
"""

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path

import apsw

from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite.connection import _translate

STEP = re.compile(r"(?:SCAN|SEARCH) (?P<name>\S+)(?: EXISTS)?(?: USING.*? INDEX (?P<index>\w+))?.*")
EQUAL = re.compile(r"(\w+|<expr>)=\?")
TABLE = re.compile(
    r"\b(?:FROM|JOIN|UPDATE|INTO) (\w+)"
    r"(?: (?:AS )?(?!(?:SET|ON|WHERE|ORDER|GROUP|LIMIT|VALUES|CROSS|JOIN|LEFT|UNION)\b)(\w+))?"
)
IN_LIST = re.compile(r"(?:(\w+)\.)?(\w+) IN \(:\w+\.\.\.")
# Tables with few rows in an account
FEW = set(
    "account account_state account_user api_key billing collection debit_settings dispatch "
    "import_batch issue product reminder_stage revenue_statement sandbox source summed_until "
    "vat_rate vat_setting".split()
)
# Functions of the store that read so on purpose, and why
MEANT = {
    "audit.choices.list_actions": "the next action after each one",
    "audit.choices.list_actors": "the next actor after each one",
    "background.idle_accounts.list_without_pass": "whether an account has any",
    "dispatch.grace_candidates.list_candidates": "all that ended with the issues before",
    "dispatch.grace_copies.insert_numbered": "the same",
    "history.entries.list_marked": "entries with consecutive ids",
    "history.entries.list_updated_statuses": "entries beside another one",
    "privacy.records.count_rows": "claims, which have no index of subscriptions",
    "read_model.subscription_json._find": "whether an account has any",
    "read_model.subscription_json.list_outdated_accounts": "the same",
    "reminders.payers.count_overdue": "a range with one id",
    "reports.trends.count_active": "all subscriptions, with the statuses in a column",
}

Steps = list[tuple[int, int, str]]  # number, parent, and text


class FullRead(AssertionError):
    """A statement reads more than it needs."""


@lru_cache(maxsize=4)  # the rules ask for the same one
def explain(connection: apsw.Connection, sql: str) -> Steps:
    """The steps of the plan of a statement."""
    text = _translate(sql)
    values = dict.fromkeys(re.findall(r":(\w+)", text))
    return [
        (id, parent, step)
        for id, parent, _, step in connection.execute(f"EXPLAIN QUERY PLAN {text}", values)
    ]


def _computed(steps: Steps) -> set[str]:
    """The names of subqueries."""
    return {step.split()[1] for _, _, step in steps if step.startswith(("MAT", "CO-ROUTINE"))}


@cache
def _indexes(connection: apsw.Connection) -> dict[str, tuple[str, bool, list[str]]]:
    """All indexes by name: the table, whether it has all rows, each once, and the columns."""
    rows = connection.execute(
        """
        SELECT t.name, i.name, i."unique" AND NOT i.partial, c.name
        FROM pragma_table_list AS t, pragma_index_list(t.name) AS i, pragma_index_info(i.name) AS c
        WHERE t.schema = 'main'
        ORDER BY i.name, c.seqno
        """
    )
    found: dict[str, tuple[str, bool, list[str]]] = {}
    for table, index, is_key, column in rows:
        found.setdefault(index, (table, bool(is_key), []))[2].append(column or "<expr>")
    return found


def repeated_reads(connection: apsw.Connection, sql: str) -> Iterator[str]:
    """The steps that read much of a table for each row of another one."""
    steps, indexes = explain(connection, sql), _indexes(connection)
    parents = {id: (parent, step) for id, parent, step in steps}
    computed = _computed(steps)
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
        table, is_key, columns = indexes.get(found["index"], ("", False, []))
        equal = EQUAL.findall(step)
        is_inner = parent in begun or is_repeated(parent)
        if not (is_key and len(equal) == len(columns)):  # more than one row
            begun.add(parent)
            if found["name"] in computed or found["name"].startswith("("):
                continue
            if is_inner and equal in ([], ["account_id"]) and table not in FEW:
                yield step


def unused_lists(connection: apsw.Connection, sql: str) -> Iterator[str]:
    """The steps that read a table whole, though its rows are chosen by a list of values."""
    lists = {(alias, column) for alias, column in IN_LIST.findall(sql) if column != "NOT"}
    if not lists:
        return
    indexes = _indexes(connection)
    ways = {(table, columns[1]) for table, _, columns in indexes.values() if columns[1:]}
    names = {alias or table: table for table, alias in TABLE.findall(sql)}
    steps = explain(connection, sql)
    computed = _computed(steps)
    for _, _, step in steps:
        found = STEP.fullmatch(step)
        if not found or EQUAL.findall(step) not in ([], ["account_id"]):
            continue
        name = found["name"]
        table = names.get(name, "")
        if table and table not in FEW and name not in computed:
            for alias, column in lists:
                if (table, column) in ways and alias in ("", name):
                    yield step


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


@cache
def new_database() -> apsw.Connection:
    """A connection that plans as in a new database."""
    path = Path(tempfile.mkdtemp(), "plans.db")
    migrate(f"sqlite:///{path}")
    return apsw.Connection(str(path))


def require_indexes(sql: str, function: str) -> None:
    """Raises: FullRead if a function of the store may not run a statement on SQLite."""
    if function in MEANT:
        return
    try:
        steps = [step for find in RULES for step in find(new_database(), sql)]
    except apsw.SQLError:  # it needs a table of a test
        return
    if steps:
        raise FullRead(f"`{function}` reads too much by {steps}: {sql}")


RULES: tuple[Callable[[apsw.Connection, str], Iterable[str]], ...] = (
    repeated_reads,
    repeated_subqueries,
    unused_lists,
)
