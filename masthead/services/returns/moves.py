"""A subscriber says that they moved: the new address is recorded and accepted at once."""

from datetime import date

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.dispatch.copy_keys import key_of
from masthead.model.dispatch.runs import DispatchLine
from masthead.model.errors import Invalid
from masthead.model.returns.delivery_reports import (
    DeliveryReport,
    PostalAddress,
    ReportKind,
    ReportStatus,
    is_same_address,
)
from masthead.model.returns.report_inputs import CarrierReportKind, DeliveryReportCreate
from masthead.model.translations import gettext as _
from masthead.services.returns.decisions import accept_report
from masthead.services.returns.reports import record_reports
from masthead.store.engine.interface import Database
from masthead.store.returns import delivery_reports as store


async def move_subscriber(
    db: Database, account_id: int, line: DispatchLine, new: PostalAddress, *, today: date, by: Actor
) -> DeliveryReport | None:
    """Report that the subscriber of a copy moved, and accept the new address; the report.

    All subscriptions of the subscriber that have the address on the label get the new one. If the
    subscription of the copy has another address already, the report is outdated and nothing else
    changes. If it was reported and decided before, nothing changes, and the result is None.
    Writes two transactions: if the second one fails, the report stays open. It can be repeated.
    Raises: Invalid.
    """
    old = PostalAddress.from_row(structs.asdict(line))
    if is_same_address(new, old):
        raise Invalid(
            _("This is the address on the label. Type the new address."), field="address1"
        )
    if not new.address1 or not (new.city or new.postcode):
        raise Invalid(
            _("The new address needs a street or PO box, and a town or a postcode."),
            field="address1",
        )
    key = key_of(account_id, line.id)
    body = DeliveryReportCreate(key=key, kind=CarrierReportKind.MOVED, date=today)
    body = structs.replace(body, **new.fields)
    [result] = await record_reports(db, account_id, [body], by=by)
    async with db.read() as connection:
        if result.id is not None:
            report = await store.get_report(connection, account_id, result.id)
        else:
            of_copy = await store.list_of_subscriptions(
                connection, account_id, [line.subscription_id]
            )
            again = (each for each in of_copy if _is_about(each, line, new))
            found = next(again, None)
            if found is None:
                return None
            report = found
    if report.status is not ReportStatus.OPEN:
        return report
    return await accept_report(db, account_id, report.id, by=by)


def _is_about(report: DeliveryReport, line: DispatchLine, new: PostalAddress) -> bool:
    """Whether a report says that the subscriber of a copy moved to this address."""
    return (
        report.kind is ReportKind.MOVED and report.line_id == line.id and report.new_address == new
    )
