"""Give subscriptions a new address, and end the planned changes whose time has come."""

from collections.abc import Mapping

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.addresses.changes import NAMES, AddressChange, ChangeStatus, NewAddress
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.services.addresses.days import follow_release_dates
from masthead.services.addresses.splits import divide_moves
from masthead.services.returns.answered_reports import close_reports
from masthead.services.search_index import rewrite_search
from masthead.store.accounts import Account
from masthead.store.addresses import changes as store
from masthead.store.addresses.parts import replace_parts
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.issues import records as issues
from masthead.store.read_model import subscription_json
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import records as subscriptions

COLUMNS = (*NAMES, *ADDRESS_FIELDS, "phone")


async def apply_addresses(
    tx: Transaction, account: Account, addresses: Mapping[str, NewAddress], *, by: Actor
) -> int:
    """Give subscriptions a new address now, with everything that depends on it.

    Their copies take the new country, and answered delivery reports are closed.
    addresses: by the id of the subscription. Returns how many subscriptions changed.
    Queries: about 15, for any number of subscriptions.
    """
    changed: list[StoredSubscription] = []
    entries, abroad = [], []
    for id, row in (await subscriptions.find_rows(tx, account.id, list(addresses))).items():
        new = addresses[id].columns_for(row)
        if not new:
            continue
        changed.append(structs.replace(row, **new))
        if "country" in new:
            abroad.append(id)
        before = {name: getattr(row, name) for name in new}
        entries.append(NewEntry(EntryType.SUBSCRIPTION_UPDATE, id, before, new))
    if not changed:
        return 0
    ids = [row.id for row in changed]
    subscribers = sorted({row.subscriber_id for row in changed})
    columns = [{name: getattr(row, name) for name in ("id", *COLUMNS)} for row in changed]
    await store.update_addresses(tx, account.id, columns)
    await subscription_json.mark_outdated(tx, account.id, ids)
    if abroad:
        await store.update_countries(tx, account.id, abroad)
        await subscriber_store.update_stats(tx, account.id, subscribers, currency=account.currency)
    await close_reports(tx, account.id, changed, by=by)
    await rewrite_search(tx, account.id, subscribers)
    await trail.record(tx, account.id, by, entries)
    return len(changed)


async def list_due_changes(db: Connection, account: Account) -> list[AddressChange]:
    """The changes for good whose first issue is released. Queries: two or three."""
    number = await _find_current(db, account)
    return await store.list_due(db, account.id, day=account.daily_date, current=number)


async def list_past_changes(db: Connection, account: Account) -> list[AddressChange]:
    """The changes for some issues that are over. Queries: two or three."""
    number = await _find_current(db, account)
    return await store.list_past(db, account.id, day=account.daily_date, current=number)


async def _find_current(db: Connection, account: Account) -> int:
    current = await issues.find_current(db, account.id, account.daily_date)
    return current.number if current else 0


async def apply_due_changes(tx: Transaction, account: Account, *, by: Actor) -> int:
    """Make the changes for good whose first issue is released, and end those that are over.

    A change for good that an address for some issues divides is made as a whole: that one goes
    before the new address of the subscription. A second call on the same day changes nothing.
    Before that, changes for days get the issues that come out in them now.
    account: with the day of the pass. Returns how many subscriptions have a new address.
    Queries: four or five, and about 30 more if anything changes.
    """
    await follow_release_dates(tx, account, by=by)
    day, number, applied = account.daily_date, await _find_current(tx, account), 0
    due = await store.list_due(tx, account.id, day=day, current=number)
    past = await store.list_past(tx, account.id, day=day, current=number)
    if due:
        addresses = {each.subscription_id: each.address for each in due}
        applied = await apply_addresses(tx, account, addresses, by=by)
    if divided := [each for each in due if each.move_first_issue is not None]:
        whole = [
            structs.replace(each, first_issue=each.begins, move_first_issue=None)
            for each in divided
        ]
        await replace_parts(tx, account.id, last=whole, before=[])
    if ended := [each.id for each in [*due, *past]]:
        await store.end_changes(tx, account.id, ended, ChangeStatus.DONE)
    if past:
        await divide_moves(tx, account.id, [each.subscription_id for each in past])
    return applied
