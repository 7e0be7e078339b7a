"""The progress bar of `masthead import`."""

from collections.abc import Callable
from contextlib import ExitStack

from masthead.cli.output import progress_bar
from masthead.model.imports.batches import Counts
from masthead.services.imports.reading import FileReading


def show_progress(stack: ExitStack, reading: FileReading) -> Callable[[Counts], None]:
    """A progress bar, as a function that moves it."""
    progress = stack.enter_context(progress_bar())
    task = progress.add_task("rows", total=reading.survey.rows)
    return lambda counts: progress.update(task, completed=counts.read)
