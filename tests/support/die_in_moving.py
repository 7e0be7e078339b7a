"""Run a command that moves a database, and kill it when it begins the step DIE_AT.

`copied:7` is the seventh time that it tells of this step, which is within it.

WITHOUT=marker: masthead may use what is not complete.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from masthead.cli import main
from masthead.cli.moving import backups, database_copies as copies, restores
from masthead.services.moving.digests import Progress
from masthead.store.engine.moving import places, postgres_target, sqlite_target
from masthead.store.engine.moving.backup_files import copy_file


@contextmanager
def dying_progress() -> Iterator[Progress]:
    """Kill this process at the step."""
    step, _, time = os.environ.get("DIE_AT", "").partition(":")
    left = int(time or 1)

    def show(stage: str, done: int, total: int) -> None:
        nonlocal left
        left -= stage == step
        if stage == step and not left:
            os.kill(os.getpid(), signal.SIGKILL)

    yield show


def in_place(target: sqlite_target.SQLiteTarget, path: Path, folder: Path) -> None:
    """Write the copy where masthead looks for it."""
    target._path, target._file, target.url = path, path, f"sqlite:///{path}"


async def fill_in_place(place: places.FilePlace, erasures: object) -> None:
    """Restore the file where masthead looks for it."""
    place._path.unlink()
    place.url = copy_file(place._backup, place._path.parent)


async def take_nothing(connection: object) -> None:
    """Do not mark a database as unfinished."""


for module in (backups, copies, restores):
    setattr(module, "shown_progress", dying_progress)  # noqa: B010 - mypy knows no such name there
if os.environ.get("WITHOUT") == "marker":
    setattr(sqlite_target.SQLiteTarget, "__init__", in_place)  # noqa: B010 - as above
    setattr(sqlite_target, "_take", lambda path: None)  # noqa: B010 - as above
    setattr(postgres_target, "_take", take_nothing)  # noqa: B010 - as above
    setattr(places.FilePlace, "fill", fill_in_place)  # noqa: B010 - as above
    setattr(places, "AFTER", "RESET search_path;")  # noqa: B010 - as above
    setattr(places, "_remember", lambda erasures: "")  # noqa: B010 - as above

if __name__ == "__main__":
    main()
