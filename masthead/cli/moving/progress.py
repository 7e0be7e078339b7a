"""What the commands that move databases share."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from rich.progress import TaskID

from masthead.cli.output import progress_bar
from masthead.services.moving.digests import Progress


def migrate(url: str) -> None:
    """Create or upgrade tables. Alembic loads slowly, so it is imported only here."""
    import_module("masthead.store.engine.migrate").migrate(url, may_remove=True)


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """A function that shows progress on a terminal, one line for each stage."""
    with progress_bar() as bar:
        tasks = dict[str, TaskID]()

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage)
            bar.update(tasks[stage], completed=done, total=total or None)

        yield show
