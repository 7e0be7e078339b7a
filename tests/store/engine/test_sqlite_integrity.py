"""The check of SQLite's search index."""

from pathlib import Path

import apsw
import pytest

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.sqlite.integrity import list_damaged


def test_a_disk_without_space_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise apsw.FullError("not an error")  # as SQLite says when it copies pages

    monkeypatch.setattr("masthead.store.engine.sqlite.integrity._compare_in_copy", fail)
    (file := tmp_path / "masthead.db").touch()
    with pytest.raises(DatabaseError, match=r"cannot be checked: the disk is full\. That needs 1"):
        list_damaged(file)


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
