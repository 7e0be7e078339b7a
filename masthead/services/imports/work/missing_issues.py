"""Issues that an import creates because its rows name them, and their deletion by its undo."""

from collections.abc import Collection, Iterable

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.inputs import IssueCreate
from masthead.model.orders.order import Order
from masthead.model.types.enums import SubscriptionType
from masthead.services.issues.records import add_issue
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.imports import used_issues as store
from masthead.store.imports.undo import list_changes
from masthead.store.issues import records as issues


def named_issues(orders: Iterable[Order]) -> set[int]:
    """The numbers in `start_issue` and `sent_issues` of orders."""
    named = set[int]()
    for order in orders:
        if order.type is SubscriptionType.SUBSCRIPTION:
            named.update(order.sent)
            if order.start_issue is not None:
                named.add(order.start_issue)
    return named


async def create_missing(
    tx: Transaction, account: Account, named: Collection[int], import_number: int | None, by: Actor
) -> list[int]:
    """Create the issues with these numbers that do not exist; returns their numbers.

    import_number: of the import that names them, for the audit trail.
    """
    known = await issues.find_release_dates(tx, account.id, named)
    missing = sorted(set(named) - set(known))
    for number in missing:
        await add_issue(tx, account, IssueCreate(number=number), by=by, import_number=import_number)
    return missing


async def insert_again(tx: Transaction, account_id: int, numbers: Collection[int]) -> None:
    """Insert issues that a rehearsal has created and rolled back, without their copies."""
    known = await issues.find_release_dates(tx, account_id, numbers)
    for number in sorted(set(numbers) - set(known)):
        await issues.insert_issue(tx, account_id, IssueCreate(number=number))


async def delete_unused(
    tx: Transaction, account_id: int, numbers: Collection[int], import_number: int, *, by: Actor
) -> list[int]:
    """Delete the issues of an import that nothing needs; returns the numbers of those that stay.

    An issue that was changed since stays, too.
    """
    known = await store.find_ids(tx, account_id, numbers) if numbers else {}
    if not known:
        return []
    stay = await store.find_used(tx, account_id, known)
    own = dict[str, bool]()  # whether only the import has changed it, by id
    for change in await list_changes(tx, account_id, "issue", known.values()):
        is_own = (change.action, change.import_number) == (EntryType.ISSUE_CREATE, import_number)
        own[change.subject_id] = own.get(change.subject_id, True) and is_own
    stay |= {number for number, id in known.items() if not own.get(id)}
    deleted = {number: id for number, id in known.items() if number not in stay}
    await store.delete_issues(tx, account_id, list(deleted.values()))
    entries = []
    for number, id in deleted.items():
        before = {"number": number, "import_number": import_number}
        entries.append(NewEntry(EntryType.ISSUE_DELETE, id, before, None))
    await trail.record(tx, account_id, by, entries)
    return sorted(stay)
