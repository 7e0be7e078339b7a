"""The databases of the benchmark are like those of a server that has run for a while."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from bench.data import DESK
from bench.databases import Databases
from bench.options import FULL
from masthead.store.engine.interface import sqlite_path

pytestmark = pytest.mark.slow

INDEXES = """
    SELECT t.name, x.name
    FROM sqlite_schema t
    JOIN pragma_index_list(t.name) x
    WHERE t.type = 'table' AND t.name NOT LIKE 'search%'
"""


def test_sqlite_has_statistics_of_all_rows(tmp_path: Path) -> None:
    with ExitStack() as stack:
        built = Databases(replace(FULL, cache=tmp_path), stack).get("sqlite", DESK, 200)
    connection = apsw.Connection(str(sqlite_path(built.url)), flags=apsw.SQLITE_OPEN_READONLY)
    known = dict(connection.execute("SELECT idx, stat FROM sqlite_stat1"))
    indexes = list(connection.execute(INDEXES))
    filled = {name for name, _ in indexes if connection.execute(f"SELECT 1 FROM {name}").fetchone()}  # noqa: S608 - tables
    connection.close()
    assert {"invoice", "settlement", "claim", "copy"} <= filled
    assert [index for name, index in indexes if name in filled and index not in known] == []
