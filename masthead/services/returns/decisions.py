"""Decide on delivery reports: accept new addresses, or dismiss reports."""

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.returns.delivery_reports import (
    DeliveryReport,
    PostalAddress,
    ReportKind,
    ReportStatus,
    is_same_address,
)
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.services.returns.answered_reports import resolve_reports
from masthead.services.subscriptions.update import change_subscription
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.returns import delivery_reports as store
from masthead.store.subscriptions import records as subscriptions


@with_locked_account
async def accept_report(tx: Transaction, account: Account, id: str, *, by: Actor) -> DeliveryReport:
    """Give the new address to all subscriptions of the subscriber that still have the old one.

    If the address was changed in the meantime, the report becomes outdated and nothing else
    changes. Queries: about 20, and ten for each subscription. Raises: NotFound, Invalid.
    """
    report = await store.get_report(tx, account.id, id)
    _require_open(report)
    new = report.new_address
    if new is None:
        raise Invalid(
            _(
                "The carrier gave no new address. Correct the address of the subscription, or "
                "dismiss the report."
            ),
            code="no_new_address",
        )
    rows = await _rows_at(tx, account.id, report)
    is_current = any(row.id == report.subscription_id for row in rows)
    status = ReportStatus.ACCEPTED if is_current else ReportStatus.OUTDATED
    await resolve_reports(tx, account.id, [id], status, by=by)
    changed = rows if is_current else []
    for row in changed:
        differing = {name: to for name, to in new.fields.items() if getattr(row, name) != to}
        await change_subscription(tx, account, row, differing, by=by)
    before = {"status": ReportStatus.OPEN}
    after = {"status": status, "subscriptions": [row.id for row in changed]}
    entry = NewEntry(EntryType.DELIVERY_REPORT_ACCEPT, id, before, after)
    await trail.record(tx, account.id, by, [entry])
    return await store.get_report(tx, account.id, id)


@with_locked_account
async def dismiss_report(
    tx: Transaction, account: Account, id: str, *, by: Actor
) -> DeliveryReport:
    """Keep the address. A hold ends for all subscriptions of the subscriber with that address.

    Queries: about eight. Raises: NotFound, Invalid.
    """
    report = await store.get_report(tx, account.id, id)
    _require_open(report)
    ids = [id]
    if report.kind is ReportKind.UNDELIVERABLE:
        rows = await _rows_at(tx, account.id, report)
        others = await store.list_of_subscriptions(tx, account.id, [row.id for row in rows])
        ids += [
            each.id for each in others if each.kind is ReportKind.UNDELIVERABLE and each.id != id
        ]
    await resolve_reports(tx, account.id, ids, ReportStatus.DISMISSED, by=by)
    states = {"status": ReportStatus.OPEN}, {"status": ReportStatus.DISMISSED}
    entry = NewEntry(EntryType.DELIVERY_REPORT_DISMISS, id, *states)
    await trail.record(tx, account.id, by, [entry])
    return await store.get_report(tx, account.id, id)


async def _rows_at(
    tx: Transaction, account_id: int, report: DeliveryReport
) -> list[StoredSubscription]:
    """The subscriptions of the subscriber that have the address that the report is about."""
    rows = await subscriptions.list_rows_of_subscribers(tx, account_id, [report.subscriber_id])
    old = report.old_address
    return [
        row for row in rows if is_same_address(PostalAddress.from_row(structs.asdict(row)), old)
    ]


def _require_open(report: DeliveryReport) -> None:
    """Raises: Invalid unless the report is open."""
    if report.status is not ReportStatus.OPEN:
        raise Invalid(
            _("This delivery report is {status}; only an open one can be decided.").format(
                status=_(report.status.value)
            ),
            code="not_open",
        )
