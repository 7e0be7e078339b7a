"""The distributed form of a migration's statements, for databases that are distributed already.

A migration creates a new table like any other database does. On Citus it is put where it belongs
at once, before any row or foreign key: a table of one node cannot refer to a distributed one.
"""

import re
from collections.abc import Iterable

from masthead.store.engine.citus.steps import placing_sql
from masthead.store.engine.citus.table_lists import DISTRIBUTED, LOCAL, REFERENCE
from masthead.store.engine.interface import DatabaseError

_CREATE = re.compile(r"\s*CREATE TABLE (?:IF NOT EXISTS )?(\w+)\b", re.IGNORECASE)
_FOREIGN_KEY = re.compile(
    r",\s*(CONSTRAINT \w+\s+FOREIGN KEY \([\w, ]+\)\s+REFERENCES \w+ \([\w, ]+\))", re.IGNORECASE
)


def distributed_form(statement: str) -> list[str]:
    """The statements that run instead of one of a migration. Raises: DatabaseError.

    Citus itself does all others on every node, such as a new column or index.
    """
    match = _CREATE.match(statement)
    if match is None or match[1] in LOCAL:
        return [statement]
    name = match[1]
    if name not in REFERENCE and name not in DISTRIBUTED:
        raise DatabaseError(f"masthead does not know where Citus keeps `{name}`. Please report it.")
    return [
        _FOREIGN_KEY.sub("", statement),
        placing_sql(name),
        *_added(name, _FOREIGN_KEY.findall(statement)),
    ]


def _added(name: str, foreign_keys: Iterable[str]) -> list[str]:
    return [f"ALTER TABLE {name} ADD {each}" for each in foreign_keys]
