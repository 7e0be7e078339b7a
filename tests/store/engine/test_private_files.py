"""Folders for personal data, and those above them, can only be opened by their owner."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import masthead
from masthead.store.engine.private_files import create_private_folder


@pytest.fixture(params=[0, 0o077, 0o300])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_folders_are_private_whatever_the_umask_is(tmp_path: Path) -> None:
    create_private_folder(tmp_path / "backups" / "2026" / "november")
    made = sorted((tmp_path / "backups").rglob("*"))
    assert len(made) == 2
    for path in (tmp_path / "backups", *made):
        assert path.stat().st_mode & 0o777 == 0o700


def test_folders_that_exist_stay_as_they_are(tmp_path: Path) -> None:
    known = tmp_path / "shared"
    known.mkdir()
    known.chmod(0o755)
    create_private_folder(known)
    create_private_folder(known / "own")
    assert known.stat().st_mode & 0o777 == 0o755


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        create_private_folder(tmp_path / "file" / "below")


def test_no_folder_is_made_with_the_permissions_of_the_umask() -> None:
    """`mkdir(mode=…, parents=True)` gives the mode to the last folder only."""
    [package] = masthead.__path__
    for path in Path(package).rglob("*.py"):
        assert "parents=True" not in path.read_text(encoding="utf-8"), path
