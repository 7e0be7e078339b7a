"""The error messages of `masthead migrate`."""

from pathlib import Path

import pytest

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate


@pytest.mark.parametrize("url", ["postgres:masthead@localhost/x", "masthead.db", "sqlite://x.db"])
async def test_an_invalid_database_url_is_refused_with_examples(url: str) -> None:
    with pytest.raises(DatabaseError, match="names no database; expected `sqlite:////"):
        migrate(url)


async def test_the_error_for_a_missing_folder_names_it(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="nowhere` of the database does not exist"):
        migrate(f"sqlite:///{tmp_path}/nowhere/masthead.db")


async def test_a_file_that_is_not_a_database_is_refused_with_a_short_message(
    tmp_path: Path,
) -> None:
    file = tmp_path / "letter.db"
    file.write_text("Dear Ada, this is no database.\n" * 100)
    with pytest.raises(DatabaseError, match="file is not a database") as refusal:
        migrate(f"sqlite:///{file}")
    assert "http" not in str(refusal.value)
