"""Leave issues out of a subscription, such as during a holiday, and include them again."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.orders.period_coverage import issue_ranges
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.subscriptions.skips import (
    Instead,
    credits_for,
    lay_out,
    require_issues,
    require_last_free,
    require_room,
    require_skippable,
    require_taken_back,
)
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.subscriptions.terms import ExistingCopy
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.money import money_text
from masthead.services.issues.records import list_released
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.locking import lock_subscription
from masthead.services.subscriptions.refunds import Refund, list_paid_orders, write_refunds
from masthead.services.subscriptions.skip_choices import list_existing
from masthead.services.subscriptions.status_updates import follow_length
from masthead.services.transactions import in_transaction
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing.invoices import get_invoice
from masthead.store.billing.orders import find_invoices
from masthead.store.engine.interface import Transaction
from masthead.store.issues import missing_copies as issue_copies
from masthead.store.read_model import subscription_json
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import (
    periods,
    records as subscriptions,
    refunds,
    skips,
    subscription_copies,
)


class SkipOutcome(Struct, frozen=True):
    """What skipping, or taking it back, led to. last_issue: of the subscription.

    money: what goes back, or no longer does, in minor units by currency.
    """

    last_issue: int
    money: Mapping[str, int]
    subscriptions: int = 1


@in_transaction
async def skip_issues(
    tx: Transaction,
    account_id: int,
    id: str,
    numbers: Collection[int],
    instead: Instead,
    *,
    by: Actor,
) -> SkipOutcome:
    """Leave issues out of a subscription, and of the other copies for the same address.

    instead: one more issue at the end for each, or its money goes back as a refund of today.
    Nothing is saved if one of the issues cannot be skipped. Raises: NotFound, Erased, Invalid.
    """
    account, first = await lock_subscription(tx, account_id, id)
    outcomes = [
        await _skip(tx, account, row, sorted(set(numbers)), instead, by=by)
        for row in await _together(tx, account_id, first, LIVE)
    ]
    return _join(outcomes)


@in_transaction
async def take_back_skip(
    tx: Transaction, account_id: int, id: str, number: int, *, by: Actor
) -> SkipOutcome:
    """Let a subscription, and the other copies for its address, include a skipped issue again.

    The issue that was added at the end is removed; the refund that was recorded is deleted.
    Raises: NotFound, Erased, Invalid, also `not_skipped`, `invoice_credited`.
    """
    account, first = await lock_subscription(tx, account_id, id)
    rows = await _together(tx, account_id, first, {*LIVE, SubscriptionStatus.COMPLETE})
    skipped = await skips.list_skipped(tx, account_id, [row.id for row in rows])
    having = {each.subscription_id for each in skipped if each.issue_number == number}
    outcomes = [
        await _take_back(tx, account, row, number, by=by)
        for row in rows
        if row.id in having or row.id == id
    ]
    return _join(outcomes)


async def _together(
    tx: Transaction,
    account_id: int,
    row: StoredSubscription,
    statuses: Collection[SubscriptionStatus],
) -> list[StoredSubscription]:
    """The other copies for the same address with one of some statuses, after the given one."""
    group = (await get_bundle(tx, account_id, row.id)).group
    others = [each for each in group.members if each.id != row.id and each.status in statuses]
    return [row, *others]


def _join(outcomes: Sequence[SkipOutcome]) -> SkipOutcome:
    money: dict[str, int] = {}
    for outcome in outcomes:
        for currency, amount in outcome.money.items():
            money[currency] = money.get(currency, 0) + amount
    return SkipOutcome(outcomes[0].last_issue, money, len(outcomes))


async def _skip(
    tx: Transaction,
    account: Account,
    row: StoredSubscription,
    numbers: Sequence[int],
    instead: Instead,
    *,
    by: Actor,
) -> SkipOutcome:
    """Skip issues in a transaction that has locked the account. Raises: Invalid."""
    if not numbers:
        raise Invalid(_("Choose the issues to skip."), field="issues")
    copies = await list_existing(tx, account.id, row.id)
    skipped = await skips.list_skipped(tx, account.id, [row.id])
    require_skippable(
        row,
        numbers,
        skipped={each.issue_number for each in skipped},
        out=await list_released(tx, account.id, numbers, day=account.daily_date),
        copies=copies,
    )
    removed = {copy.id: copy.issue_number for copy in copies if copy.issue_number in set(numbers)}
    await _require_unmentioned(tx, account.id, removed)
    orders = (await periods.list_periods(tx, account.id, [row.id]))[row.id]
    money, refund_ids = dict[str, int](), dict[int, str]()
    if instead is Instead.CREDITED:
        money, refund_ids = await _credit(tx, account, row, orders, numbers, by=by)
    await subscription_copies.delete_copies(tx, account.id, list(removed))
    await skips.insert_skipped(
        tx, account.id, row.id, numbers, instead, refund_ids=refund_ids, moment=now(), by=by
    )
    added = {each.issue_number for each in skipped if each.instead is Instead.ADDED}
    if instead is Instead.ADDED:
        added |= set(numbers)
    last_issue = await _lay_out(tx, account, row, orders, added, copies)
    after = {"issues": issue_ranges(numbers), "instead": instead.value, "last_issue": last_issue}
    await _finish(tx, account, row, EntryType.SUBSCRIPTION_SKIP, after, by=by)
    return SkipOutcome(last_issue, money)


async def _require_unmentioned(
    tx: Transaction, account_id: int, removed: Mapping[int, int]
) -> None:
    """Raises: Invalid if something is about one of some copies. removed: issue numbers by id."""
    for id in await subscription_copies.list_mentioned(tx, account_id, list(removed)):
        raise Invalid(
            _(
                "There is a claim or a delivery report about the copy of issue {issue}, so that "
                "the issue must be kept."
            ).format(issue=removed[id]),
            code="copy_in_use",
            field="issues",
            value=removed[id],
        )


async def _credit(
    tx: Transaction,
    account: Account,
    row: StoredSubscription,
    orders: Sequence[StoredPeriod],
    numbers: Sequence[int],
    *,
    by: Actor,
) -> tuple[dict[str, int], dict[int, str]]:
    """Record a refund for each issue; returns their sum by currency, and their ids by number."""
    currencies = {order.id: order.currency for order in orders}
    money, ids = dict[str, int](), dict[int, str]()
    for number, (period_id, amount) in credits_for(orders, numbers).items():
        paid = (await list_paid_orders(tx, account.id, [row.id], day=account.daily_date))[row.id]
        refund = Refund(
            amounts={period_id: amount},
            day=account.daily_date,
            reason=_("Issue {issue} skipped").format(issue=number),
            field="instead",
        )
        [ids[number]] = await write_refunds(tx, account, [row], paid, refund, by=by)
        money[currencies[period_id]] = money.get(currencies[period_id], 0) + amount
    return money, ids


async def _lay_out(
    tx: Transaction,
    account: Account,
    row: StoredSubscription,
    orders: Sequence[StoredPeriod],
    added: Collection[int],
    copies: Sequence[ExistingCopy],
) -> int:
    """Give each period its issues, and the subscription its copies; returns its last issue."""
    ranges = lay_out(orders, added)
    require_room(ranges)
    require_last_free(ranges, copies)
    last_issue = ranges[-1].last
    surplus = {copy.id: copy.issue_number for copy in copies if copy.issue_number > last_issue}
    await _require_unmentioned(tx, account.id, surplus)
    await subscription_copies.delete_copies(tx, account.id, list(surplus))
    if last_issue != row.last_issue:
        await periods.update_ranges(tx, account.id, ranges)
        columns = {"last_issue": last_issue, "total_length": sum(each.length for each in ranges)}
        await subscriptions.update_subscription(tx, account.id, row.id, columns)
        await subscription_copies.update_periods(tx, account.id, row.id)
    await issue_copies.insert_missing_of_subscription(tx, account.id, row.id)
    return last_issue


async def _finish(
    tx: Transaction,
    account: Account,
    row: StoredSubscription,
    type: EntryType,
    after: Mapping[str, object],
    *,
    by: Actor,
) -> None:
    """Record the change, and update what follows from it."""
    await subscription_json.mark_outdated(tx, account.id, [row.id])
    entry = NewEntry(type, row.id, {"last_issue": row.last_issue}, after)
    await trail.record(tx, account.id, by, [entry])
    await follow_length(tx, account, row, by=by)


async def _take_back(
    tx: Transaction, account: Account, row: StoredSubscription, number: int, *, by: Actor
) -> SkipOutcome:
    """Include an issue again, in a transaction that has locked the account. Raises: Invalid."""
    require_issues(row)
    skipped = await skips.list_skipped(tx, account.id, [row.id])
    found = require_taken_back(
        number,
        {each.issue_number: each for each in skipped},
        out=await list_released(tx, account.id, [number], day=account.daily_date),
    )
    orders = (await periods.list_periods(tx, account.id, [row.id]))[row.id]
    money = dict[str, int]()
    if found.refund_id is not None:
        money = await _delete_refund(tx, account, row, orders, found.refund_id)
    await skips.delete_skipped(tx, account.id, row.id, number)
    added = {each.issue_number for each in skipped if each.instead is Instead.ADDED} - {number}
    copies = await list_existing(tx, account.id, row.id)
    last_issue = await _lay_out(tx, account, row, orders, added, copies)
    after: dict[str, object] = {"issues": str(number), "last_issue": last_issue}
    for currency, amount in money.items():
        after |= {"amount": money_text(amount, currency), "currency": currency}
    await _finish(tx, account, row, EntryType.SUBSCRIPTION_TAKE_BACK_SKIP, after, by=by)
    return SkipOutcome(last_issue, money)


async def _delete_refund(
    tx: Transaction,
    account: Account,
    row: StoredSubscription,
    orders: Sequence[StoredPeriod],
    refund_id: str,
) -> dict[str, int]:
    """Delete the refund of a skipped issue; returns its amount by currency.

    Raises: Invalid if its order is on an invoice, which says what is owed.
    """
    period_id, amount = await refunds.delete_refund(tx, account.id, refund_id)
    if invoice_id := (await find_invoices(tx, account.id, [period_id])).get(period_id):
        invoice = await get_invoice(tx, account.id, invoice_id)
        raise Invalid(
            _(
                "The price of the issue is taken off invoice {number}, so nothing would be owed "
                "for it. Enter a new order for the issue, which gets an invoice of its own."
            ).format(number=invoice.document.number),
            code="invoice_credited",
        )
    currencies = {order.id: order.currency for order in orders}
    await subscriber_store.update_stats(
        tx, account.id, [row.subscriber_id], currency=account.currency
    )
    return {currencies[period_id]: amount}
