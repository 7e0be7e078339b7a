"""Divide planned changes for good around addresses for some issues, and join them again."""

from collections import defaultdict
from collections.abc import Collection

from msgspec import structs

from masthead.model.addresses.changes import AddressChange
from masthead.model.addresses.splits import find_parts
from masthead.model.ids import new_id
from masthead.store.addresses import changes as store
from masthead.store.addresses.parts import replace_parts
from masthead.store.engine.interface import Transaction


async def divide_moves(tx: Transaction, account_id: int, subscription_ids: Collection[str]) -> None:
    """Let planned changes for good leave out the issues of the planned ones for some issues.

    Call it after each change of what is planned for these subscriptions, in its transaction.
    Queries: one, and three more if anything changes.
    """
    planned = defaultdict[str, list[AddressChange]](list)
    for each in await store.list_planned(tx, account_id, subscription_ids):
        planned[each.subscription_id].append(each)
    found = [parts for each in planned.values() if (parts := find_parts(each)) is not None]
    if not found:
        return
    before = [
        structs.replace(part, id=new_id(account_id)) for parts in found for part in parts.before
    ]
    await replace_parts(tx, account_id, last=[parts.last for parts in found], before=before)
