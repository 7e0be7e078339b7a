"""Delivery reports as the API returns them."""

from datetime import date

from msgspec import Struct

from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.resources import Moment
from masthead.model.returns.delivery_reports import (
    DeliveryReport,
    PostalAddress,
    ReportKind,
    ReportStatus,
)


class DeliveryReportResource(Struct, frozen=True):
    """What a carrier said of a copy.

    id: use it in paths.
    status: `open`: it needs a decision, and an undeliverable address is on hold; `accepted`: the
        subscription has the new address; `corrected`: its address was changed, which ended the
        hold; `dismissed`: the address is kept; `outdated`: the address was changed before.
    key: copy key on the label, null if the copy was in no dispatch run.
    reason: in the carrier's words.
    date: date of the report, null if the carrier gave none.
    old_address: the address that the copy was sent to.
    new_address: null unless the subscriber moved.
    created_at: moment at which it was recorded, in UTC.
    resolved_at: moment at which it was closed, in UTC; null while it is open.
    """

    id: str
    kind: ReportKind
    status: ReportStatus
    key: str | None
    copy_id: int
    issue_number: int
    subscription_id: str
    subscriber_id: str
    reason: str | None
    date: date | None
    old_address: PostalAddress
    new_address: PostalAddress | None
    created_at: Moment
    resolved_at: Moment | None

    @classmethod
    def from_report(cls, account_id: int, report: DeliveryReport) -> "DeliveryReportResource":
        """The resource of a report."""
        key = printed(key_of(account_id, report.line_id)) if report.line_id else None
        return cls(
            id=report.id,
            kind=report.kind,
            status=report.status,
            key=key,
            copy_id=report.copy_id,
            issue_number=report.issue_number,
            subscription_id=report.subscription_id,
            subscriber_id=report.subscriber_id,
            reason=report.reason,
            date=report.report_date,
            old_address=report.old_address,
            new_address=report.new_address,
            created_at=report.created_at,
            resolved_at=report.resolved_at,
        )
