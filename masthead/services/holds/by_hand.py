"""Hold subscriptions and release them by hand, one with its bundle, or chosen rows of a list."""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.bulk import Chosen, ChosenList, RowChoice
from masthead.model.errors import Invalid
from masthead.model.holds import Hold, HoldEnd
from masthead.model.translations import gettext as _
from masthead.model.types.fields import required_text
from masthead.services.bulk.choose import choose
from masthead.services.privacy.guard import require_owners_not_erased
from masthead.services.transactions import in_long_transaction, in_transaction
from masthead.store import accounts, bulk
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.holds import records as store
from masthead.store.subscriptions.bundles import list_one_of_each, list_others


@in_transaction
async def hold(
    tx: Transaction, account_id: int, subscription_id: str, *, reason: str, by: Actor
) -> int:
    """Hold a subscription and the others of its bundle; returns how many it newly held.

    Copies in a mailing stay in it. Raises: Erased; Invalid without a reason.
    """
    reason = check_reason(reason)
    ids = await _lock_all(tx, account_id, subscription_id)
    return len(await _hold(tx, account_id, ids, reason, by))


@in_transaction
async def release(
    tx: Transaction, account_id: int, subscription_id: str, *, reason: str, by: Actor
) -> int:
    """End all holds of a subscription and the others of its bundle; returns how many.

    Also those because of an invoice: these begin again with its next reminder only.
    Raises: Erased; Invalid without a reason.
    """
    reason = check_reason(reason)
    ids = await _lock_all(tx, account_id, subscription_id)
    return len(await _release(tx, account_id, ids, reason, by))


async def _lock_all(tx: Transaction, account_id: int, id: str) -> list[str]:
    """Lock the account; returns the subscription and the others of its bundle."""
    await accounts.lock_account(tx, account_id)
    ids = [id, *await list_others(tx, account_id, [id])]
    await require_owners_not_erased(tx, account_id, ids)
    return ids


@in_long_transaction
async def change_chosen(
    tx: Transaction,
    account_id: int,
    choice: RowChoice,
    *,
    is_release: bool,
    reason: str,
    expected: str,
    by: Actor,
) -> int:
    """Hold or release all chosen rows; returns how many subscriptions changed, as rows of a list.

    Of subscribers, all that are not over. expected: the fingerprint of the rows that the page
    showed. Raises: Invalid.
    """
    reason = check_reason(reason)
    await accounts.lock_account(tx, account_id)
    chosen = await choose(tx, account_id, choice, expected=expected)
    ids = await subscriptions_of(tx, account_id, chosen)
    change = _release if is_release else _hold
    changed = await change(tx, account_id, ids, reason, by)
    return len(await list_one_of_each(tx, account_id, changed))


async def subscriptions_of(db: Connection, account_id: int, chosen: Chosen) -> Sequence[str]:
    """The subscriptions of chosen rows: those of subscribers that are not over. Queries: one."""
    if chosen.listed is ChosenList.SUBSCRIBERS:
        return await bulk.list_running(db, account_id, chosen.ids)
    return await bulk.list_running_of(db, account_id, chosen.ids)


async def list_changed(
    db: Connection, account_id: int, ids: Sequence[str], *, is_release: bool
) -> list[str]:
    """Those of some subscriptions that would be held, or released: one of each group.

    Queries: two.
    """
    found = await store.list_of_subscriptions(db, account_id, ids, only_open=True)
    changed = _owners(found) if is_release else _new(ids, found)
    return await list_one_of_each(db, account_id, changed)


def _owners(found: Sequence[Hold]) -> list[str]:
    return list(dict.fromkeys(each.subscription_id for each in found))


def _new(ids: Sequence[str], found: Sequence[Hold]) -> list[str]:
    """Those that no user holds yet."""
    held = {each.subscription_id for each in found if each.invoice_id is None}
    return [each for each in dict.fromkeys(ids) if each not in held]


def check_reason(reason: str) -> str:
    """The reason of a user. Raises: Invalid if it is empty or too long."""
    if not reason.strip():
        raise Invalid(_("Say why. The history keeps it."), field="reason")
    return required_text("reason", reason.strip())


async def _hold(
    tx: Transaction, account_id: int, ids: Sequence[str], reason: str, by: Actor
) -> list[str]:
    """Begin the holds of those that no user holds yet; returns these."""
    found = await store.list_of_subscriptions(tx, account_id, ids, only_open=True)
    new = _new(ids, found)
    if new:
        await store.insert_holds(tx, account_id, new, reason=reason, by=by)
        entries = [
            NewEntry(EntryType.SUBSCRIPTION_HOLD, each, None, {"reason": reason}) for each in new
        ]
        await trail.record(tx, account_id, by, entries)
    return new


async def _release(
    tx: Transaction, account_id: int, ids: Sequence[str], reason: str, by: Actor
) -> list[str]:
    """End all holds; returns the subscriptions that had some."""
    found = await store.list_of_subscriptions(tx, account_id, ids, only_open=True)
    if not found:
        return []
    await store.end_holds(tx, account_id, [each.id for each in found], HoldEnd.RELEASED)
    after = {"reason": reason}
    released = _owners(found)
    entries = [NewEntry(EntryType.SUBSCRIPTION_RELEASE, each, None, after) for each in released]
    await trail.record(tx, account_id, by, entries)
    return released
