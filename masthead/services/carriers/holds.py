"""A changed address ends the hold on the old one, and answers the open reports on it."""

from collections.abc import Collection

from masthead.model.carriers.delivery_reports import (
    ADDRESS,
    PostalAddress,
    ReportKind,
    ReportStatus,
    is_same_address,
)
from masthead.store.carriers import delivery_reports as store
from masthead.store.engine.interface import Row, Transaction

_ON_LABEL = frozenset({*ADDRESS, "company"})


async def close_answered_reports(
    tx: Transaction, account_id: int, subscription: Row, changed: Collection[str]
) -> None:
    """Close the open reports on a subscription if its address has just been changed.

    subscription: its columns with the new values. changed: the names of the changed columns.
    Queries: none if no part of the address changed, else one to four.
    """
    if not _ON_LABEL & set(changed):
        return
    reports = await store.list_of_subscriptions(tx, account_id, [subscription["id"]])
    address = PostalAddress.from_row(subscription)
    ids: dict[ReportStatus, list[str]] = {}
    for report in reports:
        if report.kind is ReportKind.UNDELIVERABLE:
            status = ReportStatus.CORRECTED
        elif report.new_address and is_same_address(report.new_address, address):
            status = ReportStatus.ACCEPTED
        elif not is_same_address(report.old_address, address):
            status = ReportStatus.OUTDATED
        else:
            continue
        ids.setdefault(status, []).append(report.id)
    for status, answered in ids.items():
        await store.resolve(tx, account_id, answered, status)
