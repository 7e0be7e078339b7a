"""What `masthead import` says about the rows of a file."""

from collections.abc import Iterable

from masthead.model.imports.batches import Counts, ReasonCount, RowOutcome

MOST_REASONS = 10  # that are printed for a dry run


def notes_of_rows(counts: Counts, number: int | None = None) -> list[str]:
    """What is said about rows that were skipped, left out or have warnings."""
    show = f" `masthead imports show {number}` lists them." if number else ""
    said = []
    if counts.skipped:
        said.append(f"{rows_were(counts.skipped)} skipped: their orders exist already.{show}")
    if counts.left_out:
        said.append(f"{rows_were(counts.left_out)} left out.{show}")
    if counts.warned:
        said.append(f"{counts.warned} of the imported rows have warnings.{show}")
    if counts.likely:
        said.append(
            f"{counts.likely} of the new subscribers have the name and address of an existing one. "
            "On the pages you can decide which of them are the same."
        )
    return said


def notes_of_reasons(reasons: Iterable[ReasonCount]) -> list[str]:
    """Why rows would be rejected, the most frequent reasons first."""
    refused = [each for each in reasons if each.outcome is RowOutcome.REFUSED]
    return [
        f"{each.count} × rejected, first in line {each.line}: {each.text}"
        for each in refused[:MOST_REASONS]
    ]


def rows_were(count: int) -> str:
    """The start of a sentence about a number of rows."""
    return "1 row was" if count == 1 else f"{count} rows were"
