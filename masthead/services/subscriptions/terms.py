"""Change the medium, the start issue or the number of issues of what has not gone out."""

from collections.abc import Sequence

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.resources import Subscription
from masthead.model.subscriptions.skips import require_not_cancelled, require_terms_without_skips
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.subscriptions.terms import (
    PeriodIssues,
    TermsPlan,
    TermsUpdate,
    plan_terms,
    require_terms,
)
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.services.subscriptions.locking import changed_since_opened, lock_subscription
from masthead.services.subscriptions.skip_choices import list_existing
from masthead.services.subscriptions.status_updates import follow_length
from masthead.services.transactions import in_transaction
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.issues import missing_copies as issue_copies, records as issues
from masthead.store.read_model import subscription_json
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscriptions import periods, records as subscriptions, subscription_copies


class SubscriptionTerms(Struct, frozen=True, kw_only=True):
    """The terms that can be changed. start_issue, length: None for memberships.

    length: of the last order.
    """

    medium: Medium
    start_issue: int | None
    length: int | None


class ChangedTerms(Struct, frozen=True):
    """The outcome: how many copies were added and removed, and how many a run holds as before."""

    added: int
    removed: int


def terms_of(row: StoredSubscription, orders: Sequence[StoredPeriod]) -> SubscriptionTerms:
    """The terms of a subscription. row: its columns. orders: its periods, oldest first."""
    return SubscriptionTerms(
        medium=Medium(row.medium), start_issue=row.start_issue, length=orders[-1].length
    )


@in_transaction
async def change_terms(
    tx: Transaction,
    account_id: int,
    id: str,
    wanted: SubscriptionTerms,
    *,
    also: Sequence[str] = (),
    seen: SubscriptionTerms,
    seen_orders: int,
    by: Actor,
) -> ChangedTerms:
    """Change the terms of a subscription; its copies that are not sent follow.

    What was sent, and what a frozen run holds, stays as it is. Prices do not change.
    also: the other subscriptions of its group, which change in the same way.
    seen, seen_orders: the terms and the number of orders when the form was opened. If they have
    changed since then, nothing is saved. Raises: NotFound, Invalid.
    """
    account, row = await lock_subscription(tx, account_id, id)
    orders = (await periods.list_periods(tx, account_id, [id]))[id]
    if (terms_of(row, orders), len(orders)) != (seen, seen_orders):
        raise changed_since_opened()
    outcomes = [await _change(tx, account, row, orders, seen, wanted, by=by)]
    others = await subscriptions.find_rows(tx, account_id, also) if also else {}
    owned = await periods.list_periods(tx, account_id, also) if also else {}
    for other in others.values():
        before = terms_of(other, owned[other.id])
        after = follow_terms(before, seen, wanted)
        outcomes.append(await _change(tx, account, other, owned[other.id], before, after, by=by))
    return ChangedTerms(
        sum(each.added for each in outcomes), sum(each.removed for each in outcomes)
    )


async def shorten(
    tx: Transaction,
    account: Account,
    row: StoredSubscription,
    orders: Sequence[StoredPeriod],
    length: int,
    *,
    by: Actor,
) -> None:
    """Give the last order of a subscription fewer issues. orders: its periods. Raises: Invalid."""
    before = terms_of(row, orders)
    await _change(tx, account, row, orders, before, structs.replace(before, length=length), by=by)


def follow_terms(
    own: SubscriptionTerms, seen: SubscriptionTerms, wanted: SubscriptionTerms
) -> SubscriptionTerms:
    """The terms of another copy, if those of one change from `seen` to `wanted`.

    It has as many issues more or less. Its start issue changes only if it was the same.
    """
    is_same_start = own.start_issue == seen.start_issue
    more = (wanted.length or 0) - (seen.length or 0)
    return SubscriptionTerms(
        medium=wanted.medium,
        start_issue=wanted.start_issue if is_same_start else own.start_issue,
        length=None if own.length is None else own.length + more,
    )


@in_transaction
async def update_terms(
    tx: Transaction, account_id: int, id: str, body: TermsUpdate, *, by: Actor
) -> Subscription:
    """Change the terms of a subscription that a program sends; the others stay.

    Raises: NotFound, Erased, Invalid.
    """
    account, row = await lock_subscription(tx, account_id, id)
    orders = (await periods.list_periods(tx, account_id, [id]))[id]
    before = terms_of(row, orders)
    wanted = structs.replace(before, **require_terms(body, row.type))
    await _change(tx, account, row, orders, before, wanted, by=by)
    return await get_subscription(tx, account_id, id)


async def _change(
    tx: Transaction,
    account: Account,
    row: StoredSubscription,
    orders: Sequence[StoredPeriod],
    before: SubscriptionTerms,
    wanted: SubscriptionTerms,
    *,
    by: Actor,
) -> ChangedTerms:
    """Change the terms in a transaction that has locked the account. Raises: Invalid."""
    if wanted == before:
        return ChangedTerms(0, 0)
    account_id, id = account.id, row.id
    require_not_cancelled(row)
    outcome = ChangedTerms(0, 0)
    columns: dict[str, object] = {"medium": wanted.medium}
    if row.type == SubscriptionType.SUBSCRIPTION:
        plan = await _plan(tx, account_id, row, orders, wanted)
        columns |= {
            name: getattr(plan, name) for name in ("start_issue", "last_issue", "total_length")
        }
        outcome = await _change_issues(tx, account_id, id, orders[-1].id, plan, columns)
    else:
        await subscriptions.update_subscription(tx, account_id, id, columns)
    await subscription_json.mark_outdated(tx, account_id, [id])
    old, new = structs.asdict(before), structs.asdict(wanted)
    changed = [name for name in new if old[name] != new[name]]
    entry = NewEntry(
        EntryType.SUBSCRIPTION_CHANGE_TERMS,
        id,
        {name: old[name] for name in changed},
        {name: new[name] for name in changed}
        | {name: count for name, count in structs.asdict(outcome).items() if count},
    )
    await trail.record(tx, account_id, by, [entry])
    await follow_length(tx, account, row, by=by)
    return outcome


async def _plan(
    tx: Transaction,
    account_id: int,
    row: StoredSubscription,
    orders: Sequence[StoredPeriod],
    wanted: SubscriptionTerms,
) -> TermsPlan:
    """The changes for other issues. Raises: Invalid."""
    assert wanted.start_issue is not None
    assert wanted.length is not None
    if wanted.start_issue != row.start_issue and not await issues.find_issue_id(
        tx, account_id, wanted.start_issue
    ):
        raise Invalid(
            _(
                "There is no issue {issue} yet. Create the issue first, or start with another one."
            ).format(issue=wanted.start_issue),
            code="unknown_start_issue",
            field="start_issue",
        )
    copies = await list_existing(tx, account_id, row.id)
    plan = plan_terms(
        [PeriodIssues(each.id, each.issues.start, len(each.issues)) for each in orders],
        copies,
        start_issue=wanted.start_issue,
        length=wanted.length,
    )
    require_terms_without_skips(
        {int(number) for each in orders for number in (each.skipped or "").split()},
        is_shifted=bool(plan.shift),
        last_issue=plan.last_issue,
    )
    for mentioned in await subscription_copies.list_mentioned(tx, account_id, list(plan.removed)):
        number = next(copy.issue_number for copy in copies if copy.id == mentioned)
        raise Invalid(
            _(
                "There is a claim or a delivery report about the copy of issue {issue}, so that "
                "the issue must be kept."
            ).format(issue=number),
            code="copy_in_use",
            field="length",
        )
    return plan


async def _change_issues(
    tx: Transaction,
    account_id: int,
    id: str,
    last_period: int,
    plan: TermsPlan,
    columns: dict[str, object],
) -> ChangedTerms:
    """Change periods, columns and copies as planned."""
    await subscription_copies.delete_copies(tx, account_id, list(plan.removed))
    if plan.shift:
        await periods.shift_periods(tx, account_id, id, plan.shift)
    await periods.update_length(tx, account_id, last_period, plan.length)
    await subscriptions.update_subscription(tx, account_id, id, columns)
    if plan.shift:
        await subscription_copies.update_periods(tx, account_id, id)
    added = await issue_copies.insert_missing_of_subscription(tx, account_id, id)
    return ChangedTerms(added, len(plan.removed))
