"""Change the address of subscriptions of one subscriber, now or for some issues, and take that
back while it is planned.
"""

from collections.abc import Sequence

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.addresses.changes import (
    ALREADY_CANCELLED,
    ALREADY_DONE,
    ISSUES_ARE_OVER,
    SAME_ADDRESS,
    TEMPORARY_PLANNED,
    AddressChange,
    ChangeStatus,
    TemporaryAddresses,
    describe_issues,
    one_line,
    require_issues,
    require_place,
)
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.ids import new_id
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.services.addresses.apply import apply_addresses, apply_due_changes, list_past_changes
from masthead.services.addresses.preview import digest_of, preview_change
from masthead.services.addresses.requests import ChangeRequest, find_chosen, find_planned_beside
from masthead.services.addresses.splits import divide_moves
from masthead.services.privacy.guard import require_not_erased
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.addresses import changes as store
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction


class ChangeResult(Struct, frozen=True, kw_only=True):
    """The outcome of a request. changed: subscriptions with the new address; planned: to have it.

    group_id: of the planned changes, empty if the address was changed now. has_effect: False if
    nothing goes to the planned address, as the preview that the user saw says.
    """

    group_id: str
    changed: int
    planned: int
    has_effect: bool = True


@with_locked_account
async def change_addresses(
    tx: Transaction,
    account: Account,
    subscriber_id: str,
    request: ChangeRequest,
    *,
    seen: str | None = None,
    by: Actor,
) -> ChangeResult:
    """Change the address of subscriptions now, or plan to; all of them, or none.

    A change for good is made at once if its first issue is released. Addresses for some issues that
    are planned within a change for good go before it.
    seen: the digest of the preview that the user saw. If the preview is different by now, nothing
    is saved.
    Raises: NotFound, Invalid (`address_change_overlaps`, `issues_are_over`, `same_address`).
    """
    require_issues(request.first_issue, request.last_issue)
    rows = await find_chosen(tx, account.id, subscriber_id, request.subscription_ids)
    require_place(request.address, rows)
    await require_not_erased(tx, account.id, [subscriber_id])
    has_effect = await _require_seen(tx, account.id, rows, request, seen)
    beside = await find_planned_beside(tx, account.id, request, rows)
    _require_difference(rows, request, beside)
    if request.first_issue is None:
        wanted = {row.id: request.address.without_known_name(row) for row in rows}
        changed = await apply_addresses(tx, account, wanted, by=by)
        return ChangeResult(group_id="", changed=changed, planned=0)
    result = await _plan(tx, account, rows, request, request.first_issue, by=by)
    return structs.replace(result, has_effect=has_effect)


async def _require_seen(
    tx: Transaction,
    account_id: int,
    rows: Sequence[StoredSubscription],
    request: ChangeRequest,
    seen: str | None,
) -> bool:
    """Whether something goes to the new address, as the preview says; True without a preview.

    Raises: Invalid `changed_meanwhile` unless the user saw this preview.
    """
    if seen is None:
        return True
    preview = await preview_change(tx, account_id, rows, request)
    if digest_of(request, preview) != seen:
        raise Invalid(
            _("Something has changed since the preview. Check it again."), code=CHANGED_MEANWHILE
        )
    return any(each.has_effect for each in preview)


def _require_difference(
    rows: Sequence[StoredSubscription], request: ChangeRequest, beside: Sequence[AddressChange]
) -> None:
    """Raises: Invalid if all subscriptions have the address already.

    Within a planned change for good, some issues may go to the present address.
    """
    is_back = request.last_issue is not None and beside
    if not is_back and not any(request.address.columns_for(row) for row in rows):
        raise Invalid(
            _("This is the address that the subscriptions have already."),
            code=SAME_ADDRESS,
            field="address1",
        )


async def _plan(
    tx: Transaction,
    account: Account,
    rows: Sequence[StoredSubscription],
    request: ChangeRequest,
    first: int,
    *,
    by: Actor,
) -> ChangeResult:
    group_id, moment = new_id(account.id), now()
    planned = [
        AddressChange(
            id=new_id(account.id),
            group_id=group_id,
            subscriber_id=row.subscriber_id,
            subscription_id=row.id,
            first_issue=first,
            last_issue=request.last_issue,
            first_day=request.first_day,
            last_day=request.last_day,
            address=request.address.without_known_name(row),
            status=ChangeStatus.PLANNED,
            created_at=moment,
            actor_kind=by.kind,
            actor_id=by.id,
            ended_at=None,
        )
        for row in rows
    ]
    await store.insert_changes(tx, account.id, planned)
    await _require_effect(tx, account, planned)
    await _record(tx, account.id, EntryType.SUBSCRIPTION_PLAN_ADDRESS, planned, by=by)
    await divide_moves(tx, account.id, [row.id for row in rows])
    changed = await apply_due_changes(tx, account, by=by)
    left = await store.list_planned(tx, account.id, [row.id for row in rows])
    count = sum(1 for each in left if each.group_id == group_id and not each.is_part)
    return ChangeResult(group_id=group_id, changed=0 if count else changed, planned=count)


async def _require_effect(
    tx: Transaction, account: Account, planned: Sequence[AddressChange]
) -> None:
    """Raises: Invalid `issues_are_over` if no copy would go to the new address."""
    past = {each.id for each in await list_past_changes(tx, account)}
    if {each.id for each in planned} <= past:
        last = planned[0].last_issue
        raise Invalid(
            _("The issues up to {last} are over, so no copy would go to the new address.").format(
                last=last
            ),
            code=ISSUES_ARE_OVER,
            field="last_issue",
            value=last,
        )


@with_locked_account
async def cancel_changes(
    tx: Transaction,
    account: Account,
    subscriber_id: str,
    group_id: str,
    *,
    temporary: TemporaryAddresses | None = None,
    by: Actor,
) -> int:
    """Cancel the changes that were planned together; returns how many. Raises: NotFound, Invalid.

    Copies that a run holds keep their address; all others go to that of the subscription, or, after
    an address for some issues within a change for good, to that one.
    temporary: what becomes of addresses for some issues within a change for good; without it,
    Invalid (`temporary_address_planned`) if there are any.
    """
    found = await store.list_of_group(tx, account.id, group_id)
    own = [each for each in found if each.subscriber_id == subscriber_id]
    if not own:
        raise NotFound("change of address", group_id)
    planned = [each for each in own if each.status is ChangeStatus.PLANNED]
    if not planned:
        raise _not_planned(own[0])
    within = await list_within(tx, account.id, planned)
    if within and temporary is None:
        raise _ask_about(within[0])
    ended = [*planned, *(within if temporary is TemporaryAddresses.CANCEL else ())]
    await store.end_changes(tx, account.id, [each.id for each in ended], ChangeStatus.CANCELLED)
    await _record(tx, account.id, EntryType.SUBSCRIPTION_CANCEL_ADDRESS, ended, by=by)
    await divide_moves(tx, account.id, {each.subscription_id for each in ended})
    return sum(1 for each in planned if not each.is_part)


async def list_within(
    db: Connection, account_id: int, planned: Sequence[AddressChange]
) -> list[AddressChange]:
    """The planned addresses for some issues within planned changes for good. Queries: one or none.

    planned: the changes of a group.
    """
    begins = {each.subscription_id: each.begins for each in planned if each.last_issue is None}
    if not begins:
        return []
    others = await store.list_planned(db, account_id, list(begins))
    return [
        each
        for each in others
        if each.is_temporary and each.overlaps(begins[each.subscription_id], None)
    ]


def _ask_about(temporary: AddressChange) -> Invalid:
    return Invalid(
        _(
            "Another address is planned within this change: {issues}, to {address}. Say whether "
            "that one stays, or is cancelled, too."
        ).format(
            issues=describe_issues(temporary.first_issue, temporary.last_issue),
            address=one_line(temporary.address),
        ),
        code=TEMPORARY_PLANNED,
        field="temporary_addresses",
    )


def _not_planned(change: AddressChange) -> Invalid:
    if change.status is ChangeStatus.CANCELLED:
        return Invalid(_("This change of address is cancelled already."), code=ALREADY_CANCELLED)
    return Invalid(
        _(
            "This change of address was made already, so it cannot be cancelled. Change the "
            "address back instead."
        ),
        code=ALREADY_DONE,
    )


async def _record(
    tx: Transaction,
    account_id: int,
    type: EntryType,
    changes: Sequence[AddressChange],
    *,
    by: Actor,
) -> None:
    """Add an entry for each subscription: the issues, and the address."""
    entries = []
    for each in changes:
        if each.is_part:
            continue
        address = {
            name: text for name, text in structs.asdict(each.address).items() if text is not None
        }
        issues = {"first_issue": each.begins, "last_issue": each.last_issue}
        fields: dict[str, object] = {**issues, **address}
        if each.first_day is not None:
            fields |= {"first_day": each.first_day, "last_day": each.last_day}
        if type is EntryType.SUBSCRIPTION_PLAN_ADDRESS:
            entries.append(NewEntry(type, each.subscription_id, None, fields))
        else:
            before = {"status": ChangeStatus.PLANNED, **fields}
            after = {"status": ChangeStatus.CANCELLED}
            entries.append(NewEntry(type, each.subscription_id, before, after))
    await trail.record(tx, account_id, by, entries)
