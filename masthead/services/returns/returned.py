"""Record the copies that a carrier could not deliver, and the subscribers who moved."""

from collections.abc import Callable

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.imports.tabular_data import Line
from masthead.model.imports.values.country_names import read_country
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.dates import read_date
from masthead.model.returns.delivery_reports import ReportKind, ReportStatus
from masthead.model.returns.reasons import classify, says_moved
from masthead.model.types.damaged_texts import repair_texts
from masthead.model.types.plausible_days import sent_day
from masthead.model.types.text import short_text
from masthead.services.returns.carrier_files import (
    CarrierFile,
    FirstLines,
    UnmatchedRow,
    cell_of,
    read_batches,
)
from masthead.services.returns.record import ReturnedOutcome, ReturnedRow, record_returned
from masthead.services.returns.shipped import reference_of
from masthead.store.engine.interface import Database

_ADDRESS_FIELDS = (
    CarrierField.ADDRESS1,
    CarrierField.ADDRESS2,
    CarrierField.CITY,
    CarrierField.STATE,
    CarrierField.POSTCODE,
)


class ReturnedSummary(Struct):
    """The numbers of rows by result.

    undeliverable: their addresses are on hold. moved: a new address can be accepted. outdated: only
    recorded, because the subscriber has changed the address since. unchanged: recorded before.
    unmatched: nothing was changed for them.
    """

    read: int = 0
    undeliverable: int = 0
    moved: int = 0
    outdated: int = 0
    unchanged: int = 0
    unmatched: int = 0


async def import_returned(
    db: Database,
    account_id: int,
    file: CarrierFile,
    *,
    by: Actor,
    on_unmatched: Callable[[UnmatchedRow], None] = lambda row: None,
    on_progress: Callable[[ReturnedSummary], None] = lambda summary: None,
) -> ReturnedSummary:
    """Record the copies in a file as undeliverable or moved, in transactions of 5,000 rows.

    A file can be imported again: what is recorded already stays as it is.
    Queries: about ten for each batch. Memory: constant, besides 8 bytes for each line.
    """
    summary, seen = ReturnedSummary(), FirstLines()
    for batch in read_batches(file):
        unmatched: dict[int, str] = {}
        rows: list[ReturnedRow] = []
        for row in batch:
            try:
                rows.append(read_returned_row(account_id, file, row))
            except Invalid as reason:
                unmatched[row.number] = str(reason)
        outcomes = await record_returned(db, account_id, rows, seen=seen, by=by)
        by_number = {row.number: outcome for row, outcome in zip(rows, outcomes, strict=True)}
        for row in batch:
            outcome = by_number.get(row.number)
            _count(summary, outcome)
            why = unmatched[row.number] if outcome is None else outcome.reason
            if why:
                on_unmatched(UnmatchedRow(row, why))
        on_progress(summary)
    return summary


def _count(summary: ReturnedSummary, outcome: ReturnedOutcome | None) -> None:
    summary.read += 1
    if outcome is None or outcome.reason:
        summary.unmatched += 1
    elif outcome.report_id is None:
        summary.unchanged += 1
    elif outcome.status is ReportStatus.OUTDATED:
        summary.outdated += 1
    elif outcome.kind is ReportKind.MOVED:
        summary.moved += 1
    else:
        summary.undeliverable += 1


def read_returned_row(account_id: int, file: CarrierFile, row: Line) -> ReturnedRow:
    """The report in a row. Raises: Invalid."""
    if row.problem:
        raise Invalid(row.problem)
    reference = reference_of(account_id, file, row)
    texts = [cell_of(file, row, field) for field in (CarrierField.KIND, CarrierField.REASON)]
    new_address = _new_address(file, row)
    if not file.layout.has_new_columns and any(texts) and not any(map(says_moved, texts)):
        new_address = None  # the columns repeat the old address
    kind, reason = classify(*texts, has_new_address=new_address is not None)
    day = read_date(cell_of(file, row, CarrierField.DATE), file.date_order)
    return ReturnedRow(
        row.number, reference, kind, reason, sent_day("date", day) if day else None, new_address
    )


def _new_address(file: CarrierFile, row: Line) -> dict[str, str | None] | None:
    """The new address in a row; None if it is not complete. Raises: Invalid."""
    parts: dict[str, str | None] = {
        field.value: short_text(field.value, cell_of(file, row, field)) or None
        for field in _ADDRESS_FIELDS
    }
    repaired, lost = repair_texts(parts, parts)
    parts |= {name: text or None for name, text in repaired.items()}
    if not parts["address1"] or not (parts["city"] or parts["postcode"]):
        return None
    if lost:
        raise lost[0]
    country = cell_of(file, row, CarrierField.COUNTRY)
    return {**parts, "country": read_country("country", country) if country else None}
