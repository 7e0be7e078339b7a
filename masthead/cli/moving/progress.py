"""What the commands that move databases share."""

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from rich.progress import TaskID

from masthead.cli.output import progress_bar
from masthead.services.moving.digests import Progress

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of the work. SIGTERM ends it as Ctrl-C does: it removes what it has begun.

    A shell lets its background jobs ignore Ctrl-C, so this does not rely on it.
    Raises: KeyboardInterrupt if it was stopped.
    """
    is_stopped = False

    async def stoppable() -> T:
        task = asyncio.ensure_future(work)

        def stop() -> None:
            nonlocal is_stopped
            is_stopped = True
            task.cancel()

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        return await task

    try:
        return asyncio.run(stoppable())
    except asyncio.CancelledError:
        if is_stopped:
            raise KeyboardInterrupt from None
        raise


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
