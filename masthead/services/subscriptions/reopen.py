"""Reopen a cancelled subscription, with a preview."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import date

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.resources import Subscription
from masthead.model.subscriptions.lifecycle import (
    derive_status,
    is_period_complete,
    status_before_completion,
)
from masthead.model.subscriptions.refunds import PaidOrder
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType
from masthead.services.issues.records import list_released
from masthead.services.subscriptions.cancel import changed_since
from masthead.services.subscriptions.locking import lock_subscription
from masthead.services.subscriptions.refunds import list_paid_orders
from masthead.services.subscriptions.status_updates import update_statuses
from masthead.services.transactions import in_transaction
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing.orders import find_credited
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.events.write import get_written
from masthead.store.issues import missing_copies as issue_copies
from masthead.store.read_model import subscription_json
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import (
    cancellations,
    periods,
    records as subscriptions,
    subscription_copies,
)
from masthead.store.subscriptions.subscription_copies import CopyInRun, MissingCopy


class ReopenPreview(Struct, frozen=True, kw_only=True):
    """The effect of reopening. Issues are given by number, lowest first.

    after: the status. restored: issues with a cancelled copy that will be sent. added: issues that
    were created meanwhile and get a copy. out: those of both that are out already, so that their
    copy goes with the next run. upcoming: included issues that do not exist yet.
    paid_until: the last day of a membership. orders: what was paid and refunded. credited: the
    number of an invoice that was credited since, which bars reopening; empty if none was.
    """

    after: SubscriptionStatus
    cancelled_date: date
    reason: str
    notes: str | None
    restored: Sequence[int]
    added: Sequence[int]
    out: Sequence[int]
    sent: int
    upcoming: Sequence[int]
    paid_until: date | None
    orders: Sequence[PaidOrder]
    credited: str

    @property
    def digest(self) -> str:
        """A short text that changes if the preview does."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]


async def preview_reopen(
    db: Connection, account_id: int, id: str, *, day: date
) -> ReopenPreview | None:
    """The effects of `reopen_subscription` now; None if the subscription is not cancelled.

    day: the date of the account's last daily pass. Queries: about ten, which need one snapshot.
    Raises: NotFound.
    """
    subscription = await get_subscription(db, account_id, id)
    cancellation = await cancellations.find_open(db, account_id, id)
    if subscription.status is not SubscriptionStatus.CANCELLED or cancellation is None:
        return None
    copies = await subscription_copies.list_with_runs(db, account_id, [id])
    cancelled = [copy for copy in copies if copy.status is CopyStatus.CANCELLED]
    missing = await subscription_copies.list_missing(db, account_id, id)
    coming: list[CopyInRun | MissingCopy] = [*cancelled, *missing]
    unsent = Counter(each.period_id for each in coming)
    complete = [
        is_period_complete(
            period_end=row.period_end,
            day=day,
            missing_issues=row.missing_issues,
            unsent_copies=unsent[row.id],
        )
        for row in (await periods.list_completion(db, account_id, [id]))[id]
    ]
    numbers = [each.issue_number for each in coming]
    known = {*numbers, *(copy.issue_number for copy in copies)}
    return ReopenPreview(
        after=derive_status(
            status_before_completion(
                cancellation.status_before, is_recurring=subscription.is_recurring
            ),
            type=subscription.type,
            is_recurring=subscription.is_recurring,
            periods_complete=complete,
        ),
        cancelled_date=cancellation.cancelled_date,
        reason=cancellation.reason,
        notes=cancellation.notes,
        restored=sorted(copy.issue_number for copy in cancelled),
        added=[each.issue_number for each in missing],
        out=await list_released(db, account_id, numbers, day=day),
        sent=sum(copy.status is CopyStatus.SENT for copy in copies),
        upcoming=[number for number in subscription.issue_list if number not in known],
        paid_until=subscription.current_period_end,
        orders=(await list_paid_orders(db, account_id, [id], day=day))[id],
        credited=await find_credited(db, account_id, id, since=cancellation.cancelled_date) or "",
    )


@in_transaction
async def reopen_subscription(
    tx: Transaction,
    account_id: int,
    id: str,
    *,
    also: Sequence[str] = (),
    seen: str | None = None,
    by: Actor,
) -> Subscription:
    """Undo the cancellation of a subscription.

    Its cancelled copies are sent after all, with the next run of each issue: runs do not change.
    Issues that were created meanwhile get a copy. Refunds stay.
    seen: the digest of the preview that the user saw; None if there was none.
    also: the other subscriptions of its group, which are reopened too.
    Raises: NotFound, Invalid.
    """
    account, row = await lock_subscription(tx, account_id, id)
    await _reopen(tx, account, row, seen=seen, by=by)
    others = await subscriptions.find_rows(tx, account_id, also) if also else {}
    for other in others.values():
        await _reopen(tx, account, other, seen=None, by=by)
    return await get_written(tx, account_id, id)


async def _reopen(
    tx: Transaction, account: Account, row: StoredSubscription, *, seen: str | None, by: Actor
) -> None:
    """Reopen a subscription in a transaction that has locked the account. Raises: Invalid."""
    account_id, id = account.id, row.id
    preview = await preview_reopen(tx, account_id, id, day=account.daily_date)
    cancellation = await cancellations.find_open(tx, account_id, id)
    if preview is None or cancellation is None:
        raise not_cancelled(row.status)
    if seen is not None and preview.digest != seen:
        raise changed_since()
    if preview.credited:
        raise Invalid(
            _(
                "Invoice {number} was credited when this subscription was cancelled, so nothing "
                "would be owed for its copies. Enter a new order, which gets an invoice of its own."
            ).format(number=preview.credited),
            code="invoice_credited",
        )
    status = status_before_completion(cancellation.status_before, is_recurring=row.is_recurring)
    await subscriptions.update_status(tx, account_id, [id], status)
    restored = await subscription_copies.restore_cancelled(tx, account_id, id)
    added = await issue_copies.insert_missing_of_subscription(tx, account_id, id)
    if row.type == SubscriptionType.MEMBERSHIP:
        await issue_copies.update_membership_lengths(tx, account_id, [id])
    await cancellations.close_cancellation(
        tx, account_id, cancellation.id, reopened_date=account.daily_date
    )
    await subscription_json.mark_outdated(tx, account_id, [id])
    states = {"status": row.status}, {"status": status, "restored_copies": restored}
    after = {**states[1], "copies": added} if added else states[1]
    entry = NewEntry(EntryType.SUBSCRIPTION_UNDO_CANCEL, id, states[0], after)
    await trail.record(tx, account_id, by, [entry])
    await update_statuses(tx, account, [id], by=by)
    subscribers = [row.subscriber_id]
    await subscriber_store.update_stats(tx, account_id, subscribers, currency=account.currency)


def not_cancelled(status: str) -> Invalid:
    """The error for a subscription that is not cancelled."""
    return Invalid(
        _("This subscription is not cancelled, so it cannot be reopened: it is {status}.").format(
            status=_(status)
        ),
        code="not_cancelled",
    )
