"""Let changes of address that were planned for days follow the release dates of issues."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.addresses.changes import AddressChange, ChangeStatus
from masthead.model.addresses.days import Release, find_span
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.services.addresses.splits import divide_moves
from masthead.store.accounts import Account
from masthead.store.addresses import changes as store
from masthead.store.addresses.parts import replace_parts, update_issues
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.issues import records as issues


async def follow_release_dates(tx: Transaction, account: Account, *, by: Actor) -> None:
    """Give planned changes for days the issues that come out in them now.

    A change in whose days no issue comes out any more keeps its days, has no issues, and is
    cancelled when the days are over. One stays as it is if too few release dates are known for
    that, or if its issues would overlap with those of another change. Queries: one, or two, and
    about ten if anything changes.
    """
    planned = await store.list_for_days(tx, account.id)
    if not planned:
        return
    releases = await issues.list_releases(tx, account.id)
    moved, ended = dict[str, AddressChange](), list[AddressChange]()
    for each in planned:
        wanted = _with_issues(each, releases)
        is_over = each.last_day is not None and each.last_day < account.daily_date
        if is_over and not (each.has_issues and wanted.has_issues):
            ended.append(each)
        elif _issues_of(wanted) != _issues_of(each):
            moved[each.id] = wanted
    gone = {each.id for each in ended}
    beside = defaultdict[str, list[AddressChange]](list)
    for each in await store.list_planned(tx, account.id, {it.subscription_id for it in planned}):
        if not each.is_part and each.id not in gone:
            beside[each.subscription_id].append(each)
    # one that stays may be in the way of another one
    while refused := {id for id, each in moved.items() if _overlaps(each, beside, moved)}:
        moved = {id: each for id, each in moved.items() if id not in refused}
    kept = [(each, moved[each.id]) for each in planned if each.id in moved]
    await _store(tx, account, kept, ended, by=by)


def _overlaps(
    change: AddressChange,
    beside: Mapping[str, Sequence[AddressChange]],
    moved: Mapping[str, AddressChange],
) -> bool:
    """Whether a change has an issue of another one of its kind. moved: those with new issues."""
    others = (moved.get(it.id, it) for it in beside[change.subscription_id] if it.id != change.id)
    return any(
        change.overlaps(it.begins, it.last_issue)
        for it in others
        if it.is_temporary == change.is_temporary
    )


def _with_issues(change: AddressChange, releases: Sequence[Release]) -> AddressChange:
    """The change with the issues of its days, as a whole, or without any.

    It stays as it is while the day of the next issue is only expected.
    """
    assert change.first_day is not None
    try:
        span = find_span(releases, change.first_day, change.last_day)
    except Invalid as reason:
        if reason.code != "no_issue_in_span":
            return change
        following = find_span(releases, change.first_day, None).first
        if following.is_expected or not change.has_issues:
            return change
        return structs.replace(change, last_issue=change.first_issue - 1)
    first, last = span.first.number, span.last.number if span.last else None
    return structs.replace(change, first_issue=first, last_issue=last, move_first_issue=None)


def _issues_of(change: AddressChange) -> dict[str, int | None]:
    """The issues of the whole change for the audit trail; without any, no first one."""
    if not change.has_issues:
        return {"first_issue": None, "last_issue": None}
    return {"first_issue": change.begins, "last_issue": change.last_issue}


async def _store(
    tx: Transaction,
    account: Account,
    moved: Sequence[tuple[AddressChange, AddressChange]],
    ended: Sequence[AddressChange],
    *,
    by: Actor,
) -> None:
    if not (moved or ended):
        return
    wanted = [each for _before, each in moved]
    await replace_parts(
        tx, account.id, last=[it for it in wanted if it.last_issue is None], before=[]
    )
    await update_issues(tx, account.id, [it for it in wanted if it.last_issue is not None])
    await store.end_changes(tx, account.id, [each.id for each in ended], ChangeStatus.CANCELLED)
    entries = [
        NewEntry(
            EntryType.SUBSCRIPTION_PLAN_ADDRESS,
            after.subscription_id,
            _issues_of(before),
            _issues_of(after),
        )
        for before, after in moved
    ]
    entries += [
        NewEntry(
            EntryType.SUBSCRIPTION_CANCEL_ADDRESS,
            each.subscription_id,
            {"status": ChangeStatus.PLANNED, **_issues_of(each)},
            {"status": ChangeStatus.CANCELLED},
        )
        for each in ended
    ]
    await trail.record(tx, account.id, by, entries)
    await divide_moves(tx, account.id, {it.subscription_id for it in [*wanted, *ended]})
