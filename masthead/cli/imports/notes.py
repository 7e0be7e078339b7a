"""What `masthead import` says about the rows of a file."""

from collections.abc import Iterable

from masthead.model.imports.batches import Counts, ReasonCount, RowOutcome

MOST_REASONS = 10  # that are printed for a dry run


def notes_of_rows(counts: Counts, through: int, number: int | None = None) -> list[str]:
    """Notes about copies of issues that are out, and about rows that need a look.

    through: the last issue that is out whose copies count as sent; 0 for none.
    """
    show = f" `masthead imports show {number}` lists them." if number else ""
    notes = _notes_of_out(counts, through)
    if counts.billed:
        verb = "waits" if counts.billed == 1 else "wait"
        notes.append(
            f"{_many(counts.billed, 'order')} {verb} for an invoice. “Open items” on the pages "
            "issues them; until then, the import can be undone."
        )
    if counts.mandates:
        notes.append(f"{_many(counts.mandates, 'SEPA mandate')} of who pays.")
    if counts.lost_zeros:
        notes.append(
            f"{_many(counts.lost_zeros, 'postcode')} may have lost a zero in a spreadsheet. "
            "`--add-zeros` adds it."
        )
    if counts.skipped:
        notes.append(f"{rows_were(counts.skipped)} skipped: their orders exist already.{show}")
    if counts.left_out:
        notes.append(f"{rows_were(counts.left_out)} left out.{show}")
    if counts.warned:
        notes.append(f"{counts.warned} of the imported rows have warnings.{show}")
    if counts.likely:
        notes.append(
            f"{counts.likely} of the new subscribers have the name and address of an existing one. "
            "On the pages you can decide which of them are the same."
        )
    return notes


def _notes_of_out(counts: Counts, through: int) -> list[str]:
    every, unsent = counts.out_through(), counts.copies_out_unsent
    if not every:
        return []
    of = f"{_many(every[0].issues, 'issue')}"
    notes = [f"Issues up to {every[0].number} are out: {_many(every[0].copies, 'copy')} of {of}."]
    if counts.copies_sent:
        notes.append(f"{_many(counts.copies_sent, 'copy')} up to issue {through} count as sent.")
    if unsent:
        notes.append(f"{_many(unsent, 'copy')} are still to send.")
    notes.append("`--sent-through` with an issue number, `released` or `none` decides that.")
    return [" ".join(notes)]


def _many(count: int, noun: str) -> str:
    plural = {"copy": "copies"}.get(noun, f"{noun}s")
    return f"{count} {noun if count == 1 else plural}"


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
