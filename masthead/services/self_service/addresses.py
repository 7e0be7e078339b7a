"""Change the address on the page for subscribers, and cancel what is planned.

As `actions`: call each with the `OneTransaction` of a form.
"""

from masthead.model.actors import BY_SUBSCRIBER
from masthead.model.addresses.changes import TemporaryAddresses, describe_issues, one_line
from masthead.model.errors import Invalid
from masthead.model.self_service.settings import Action
from masthead.model.translations import gettext as _
from masthead.services.addresses.changes import ChangeResult, cancel_changes, change_addresses
from masthead.services.addresses.groups import list_groups
from masthead.services.addresses.requests import ChangeRequest, find_chosen, find_planned_beside
from masthead.services.self_service.actions import Caller, finish, require_allowed
from masthead.store.engine.interface import Connection, Database

MAX_PLANNED = 12  # changes of the address at a time, so that the page stays small


async def change_address(db: Database, caller: Caller, request: ChangeRequest) -> ChangeResult:
    """Change the address of subscriptions, now or for some issues.

    Raises: NotFound, Invalid, as `change_addresses`.
    """
    await require_allowed(db, caller, Action.ADDRESS)
    if request.first_issue is not None:
        await _require_few_planned(db, caller)
    account_id, id = caller.account_id, caller.subscriber.id
    rows = await find_chosen(db, account_id, id, request.subscription_ids)
    beside = await find_planned_beside(db, account_id, request, rows)
    result = await change_addresses(db, account_id, id, request, by=BY_SUBSCRIBER)
    address = one_line(request.address)
    if result.planned and request.first_issue is not None:
        what = _("The new address is {address}, {issues}.").format(
            address=address, issues=describe_issues(request.first_issue, request.last_issue)
        )
    else:
        what = _("The new address is {address}.").format(address=address)
    stays = _("The planned address {address} stays: {issues}.")
    for each in {each.group_id: each for each in beside}.values():
        issues = describe_issues(each.begins, each.last_issue)
        what += "\n" + stays.format(address=one_line(each.address), issues=issues)
    await finish(db, caller, Action.ADDRESS, what)
    return result


async def _require_few_planned(db: Connection, caller: Caller) -> None:
    """Raises: Invalid if as many changes are planned as the page shows. Queries: one."""
    groups = await list_groups(db, caller.account_id, caller.subscriber.id)
    if sum(each.is_planned for each in groups) >= MAX_PLANNED:
        raise Invalid(
            _(
                "{count} changes of the address are planned already. Cancel one of them first."
            ).format(count=MAX_PLANNED),
            field="when",
        )


async def cancel_address(
    db: Database, caller: Caller, group_id: str, *, temporary: TemporaryAddresses | None
) -> None:
    """Cancel planned changes of the address. Raises: NotFound, Invalid, as `cancel_changes`."""
    await require_allowed(db, caller, Action.ADDRESS)
    await cancel_changes(
        db, caller.account_id, caller.subscriber.id, group_id, temporary=temporary, by=BY_SUBSCRIBER
    )
    if temporary is TemporaryAddresses.CANCEL:
        what = _("The planned changes of the address are cancelled.")
    else:
        what = _("The planned change of the address is cancelled.")
    await finish(db, caller, Action.ADDRESS, what)
