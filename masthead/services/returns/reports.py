"""Record reports on copies one by one, as programs and people send them."""

from collections.abc import Sequence
from datetime import date

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.returns.copy_references import Reference, read_reference, reference_of_id
from masthead.model.returns.delivery_reports import ReportKind, ReportStatus
from masthead.model.returns.report_inputs import (
    CarrierReportKind,
    CarrierReportOutcome,
    CarrierReportResult,
    DeliveryReportCreate,
)
from masthead.model.types.plausible_days import sent_day
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.services.returns.carrier_files import FirstLines
from masthead.services.returns.record import ReturnedOutcome, ReturnedRow, record_returned
from masthead.services.returns.shipped import ShippedOutcome, ShippedRow, ship
from masthead.store.engine.interface import Database
from masthead.store.moments import get_daily_date


async def record_reports(
    db: Database,
    account_id: int,
    reports: Sequence[DeliveryReportCreate],
    *,
    by: Actor,
) -> list[CarrierReportResult]:
    """Record what a carrier says of copies; the result of each report, in the same order.

    Shipped copies without a date are sent today. Shipped copies are written in one transaction,
    the others in another one. Queries: about 30, for any number of reports.
    """
    async with db.read() as connection:
        today = await get_daily_date(connection, account_id)
    results: dict[int, CarrierReportResult] = {}
    shipped: list[ShippedRow] = []
    returned: list[ReturnedRow] = []
    for number, report in enumerate(reports, 1):
        try:
            reference = _reference(account_id, report)
            day = sent_day("date", report.date) if report.date else None
        except Invalid as reason:
            results[number] = _unmatched(str(reason))
            continue
        if report.kind is CarrierReportKind.SHIPPED:
            shipped.append(ShippedRow(number, reference, day or today))
        else:
            returned.append(_returned_row(number, reference, report, day))
    seen = FirstLines()
    for shipped_row, marking in zip(
        shipped, await ship(db, account_id, shipped, seen=FirstLines(), by=by), strict=True
    ):
        results[shipped_row.number] = _shipped_result(marking)
    for returned_row, record in zip(
        returned, await record_returned(db, account_id, returned, seen=seen, by=by), strict=True
    ):
        results[returned_row.number] = _returned_result(record)
    return [results[number] for number in range(1, len(reports) + 1)]


def _reference(account_id: int, report: DeliveryReportCreate) -> Reference:
    """The line or the copy that a report is about. Raises: Invalid."""
    if report.key is not None:
        return read_reference(account_id, report.key)
    assert report.copy is not None
    return reference_of_id(account_id, str(report.copy))


def _returned_row(
    number: int, reference: Reference, report: DeliveryReportCreate, day: date | None
) -> ReturnedRow:
    is_moved = report.kind is CarrierReportKind.MOVED
    address = {name: getattr(report, name) for name in ADDRESS_FIELDS} if is_moved else None
    kind = ReportKind(report.kind.value)
    return ReturnedRow(number, reference, kind, report.reason, day, address)


def _shipped_result(outcome: ShippedOutcome) -> CarrierReportResult:
    if outcome.reason:
        return _unmatched(outcome.reason)
    is_marked = outcome.is_marked
    result = CarrierReportOutcome.MARKED if is_marked else CarrierReportOutcome.ALREADY_SENT
    return CarrierReportResult(result, None, None)


def _returned_result(outcome: ReturnedOutcome) -> CarrierReportResult:
    if outcome.reason:
        return _unmatched(outcome.reason)
    if outcome.report_id is None:
        return CarrierReportResult(CarrierReportOutcome.UNCHANGED, None, None)
    is_outdated = outcome.status is ReportStatus.OUTDATED
    result = CarrierReportOutcome.OUTDATED if is_outdated else CarrierReportOutcome.RECORDED
    return CarrierReportResult(result, outcome.report_id, None)


def _unmatched(reason: str) -> CarrierReportResult:
    return CarrierReportResult(CarrierReportOutcome.UNMATCHED, None, reason)
