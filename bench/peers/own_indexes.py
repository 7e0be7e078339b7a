"""A copy of the database as a program without masthead would have it.

Python's own SQLite may be too old to read masthead's longest indexes, those by name: "parser stack
overflow". No peer uses them. The statistics are those of Python's SQLite, which plans by them.
"""

import sqlite3  # noqa: TID251 - what the peers use
from pathlib import Path

import apsw

TOO_LONG = ("subscriber_by_name", "subscription_by_name")


def prepare_copy(url: str) -> None:
    """Let Python's own SQLite read the copy of a URL, and update its statistics."""
    if not url.startswith("sqlite:"):
        return
    path = Path(url.removeprefix("sqlite:///"))
    copy = apsw.Connection(str(path))
    for name in TOO_LONG:
        copy.execute(f"DROP INDEX IF EXISTS {name}")
    copy.close()
    with sqlite3.connect(path) as own:
        own.execute("ANALYZE")
    own.close()
