"""The check of SQLite's search index."""

from pathlib import Path

import pytest

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.sqlite.integrity import list_damaged


def test_a_check_that_fails_says_what_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "masthead.db"
    file.write_bytes(b"this is no database, but it is longer than the header of one" * 40)
    with pytest.raises(DatabaseError) as raised:
        list_damaged(file)
    assert str(raised.value).startswith("The search index cannot be checked: ")
    assert str(raised.value).endswith(
        f"That needs 1 MiB for a copy of the database in `{tmp_path}`."
    )
    assert [each.name for each in tmp_path.iterdir()] == ["masthead.db"]
