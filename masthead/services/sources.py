"""Create and change sources, where orders come from."""

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.resources import Source
from masthead.model.types.enums import SourceType
from masthead.model.types.fields import required_text
from masthead.services.transactions import with_locked_account
from masthead.store import sources as store
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.read_model import subscription_json


@with_locked_account
async def create_source(
    tx: Transaction, account: Account, *, name: str, type: SourceType, by: Actor
) -> Source:
    """Create a source."""
    name = required_text("name", name.strip())
    source = await store.insert_source(tx, account.id, name=name, type=type)
    after = {"name": name, "type": type}
    entry = NewEntry(EntryType.SOURCE_CREATE, source.id, None, after)
    await trail.record(tx, account.id, by, [entry])
    return source


@with_locked_account
async def rename_source(
    tx: Transaction, account: Account, id: str, *, name: str, by: Actor
) -> Source:
    """Rename a source; its subscriptions show the new name. Raises: NotFound, Invalid."""
    name = required_text("name", name.strip())
    before = await store.find_source(tx, account.id, id)
    source = await store.update_source(tx, account.id, id, {"name": name})
    if before and source != before:
        await subscription_json.mark_outdated_by_source(tx, account.id, id)
        entry = NewEntry(EntryType.SOURCE_RENAME, id, {"name": before.name}, {"name": name})
        await trail.record(tx, account.id, by, [entry])
    return source


@with_locked_account
async def set_source_active(
    tx: Transaction, account: Account, id: str, *, is_active: bool, by: Actor
) -> Source:
    """Activate or deactivate a source. An inactive one gets no new orders, and keeps those it has.

    Raises: NotFound.
    """
    before = await store.find_source(tx, account.id, id)
    source = await store.update_source(tx, account.id, id, {"is_active": is_active})
    if source != before:
        action = EntryType.SOURCE_ACTIVATE if is_active else EntryType.SOURCE_DEACTIVATE
        states = {"is_active": not is_active}, {"is_active": is_active}
        await trail.record(tx, account.id, by, [NewEntry(action, id, *states)])
    return source
