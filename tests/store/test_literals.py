"""Each text that a statement compares with a column is a value that the column can have.

No type checker sees a status that is misspelt in SQL: its condition is never true.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from masthead import store
from masthead.model.audit_entries import EntryType
from masthead.model.dispatch.files import FileStatus
from masthead.model.imports.batches import BatchStatus, RowOutcome
from masthead.model.self_service.sign_in import LinkPurpose
from masthead.model.subscriptions.skips import Instead
from masthead.model.types.enums import PaymentMethod, Role, SubscriptionType
from masthead.model.webhooks.resources import MessageStatus, WebhookStatus
from masthead.services.exports.row_checks import VALUES
from masthead.store.engine.citus.table_lists import DISTRIBUTED
from masthead.store.exports.archives import ArchiveStatus
from tests.support.cases import for_each
from tests.test_architecture import texts_of

MODULES = [
    path for path in sorted(Path(store.__path__[0]).rglob("*.py")) if "versions" not in path.parts
]
# The values of columns, by table; first of those that no export checks
OTHERS: dict[str, dict[str, Iterable[str]]] = {
    "account_export": {"status": ArchiveStatus},
    "account_user": {"role": Role},
    "audit": {"subject_type": {each.subject_type for each in EntryType}},
    "dispatch_file": {"status": FileStatus},
    "import_batch": {"status": BatchStatus},
    "import_row": {"outcome": RowOutcome},
    "outbox": {"status": "waiting sending sent kept failed cancelled".split()},
    "period": {"payment_method": PaymentMethod},
    "product": {"type": SubscriptionType},
    "skipped_issue": {"instead": Instead},
    "subscriber_link": {"purpose": LinkPurpose},
    "webhook": {"status": WebhookStatus},
    "webhook_delivery": {"status": MessageStatus},
}
KNOWN: dict[str, Mapping[str, Iterable[str]]] = {**VALUES, **OTHERS}
# Texts that are no values of an enum, and columns that statements name themselves
OWN = {"actor_kind user", "country DE", "kind grace", "kind payment", "reasons []", "type table"}
OWN |= {"type index"}
TABLE = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO) (\w+)(?: (?:AS )?([a-z]\w*))?")
COLUMN = r"\b(?:(\w+)\.)?([a-z_]+)"
COMPARED = re.compile(rf"{COLUMN} (?:=|<>|(?:NOT )?IN) ('[^']*'|\( ?'[^)]*\))")
CASE = re.compile(rf"CASE {COLUMN}((?: WHEN '[^']*' THEN \S+)+)")
THEN = re.compile(r"THEN \S+")
VALUE = re.compile(r"'([^'…{]+)'")


def wrong_values(sql: str) -> list[str]:
    """The columns that a statement, or a part of one, compares with a text that they cannot have.

    A column belongs to the table of its alias, if that is known. A column of an account's table
    that no list names has no values.
    """
    sql = " ".join(sql.split())
    tables = defaultdict[str, set[str]](set)
    for table, alias in TABLE.findall(sql):
        for name in (table, alias):
            tables[name].add(table)
    if sql.startswith(("SELECT", "UPDATE", "DELETE")):
        tables[""] = set[str]().union(*tables.values())
    found = list[str]()
    for alias, column, text in (*COMPARED.findall(sql), *CASE.findall(sql)):
        of_accounts = tables[alias].intersection(DISTRIBUTED)
        lists = [KNOWN.get(each, {}) for each in of_accounts] or list(KNOWN.values())
        values = {str(value) for each in lists for value in each.get(column, ())}
        given = VALUE.findall(THEN.sub("", text).replace("''", ""))
        if values or of_accounts:
            found += [f"{column} {value}" for value in given if value not in values]
    return found


@for_each("path", MODULES)
def test_texts_in_statements_are_values_of_their_columns(path: Path) -> None:
    code = ast.parse(path.read_text(encoding="utf-8"))
    wrong = {each for sql in texts_of(code, {}) for each in wrong_values(sql)}
    assert wrong <= OWN


@for_each(
    "sql, wrong",
    [
        ("SELECT id FROM copy WHERE status = 'Not Sent'", ["status Not Sent"]),
        ("SELECT c.id FROM copy c WHERE c.status IN ('Sent', 'Lost')", ["status Lost"]),
        ("UPDATE subscription SET status = 'Sent'", ["status Sent"]),  # of a copy
        ("SELECT CASE c.status WHEN 'sent' THEN 1 ELSE 0 END FROM copy c", ["status sent"]),
        ("l.status <> 'freezing'", ["status freezing"]),
        ("SELECT c.id FROM copy c WHERE c.status = 'Sent' AND c.date_sent IS NULL", []),
        ("l.status = 'sent'", []),
        ("SELECT n.id FROM subscriber_note n WHERE n.mood = 'good'", ["mood good"]),
    ],
)
def test_a_misspelt_value_is_found(sql: str, wrong: list[str]) -> None:
    assert wrong_values(sql) == wrong
