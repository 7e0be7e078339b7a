"""Open the page for subscribers, and change what they can do and see there."""

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.terms import require_settings
from masthead.model.self_service.settings import ALL_ON, OF_BILLING, Action, SelfService, checked
from masthead.services.transactions import in_transaction, with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing.settings import find_settings as find_billing
from masthead.store.engine.interface import Transaction
from masthead.store.issues.covers import NewCover
from masthead.store.self_service import settings as store


@with_locked_account
async def update_settings(
    tx: Transaction, account: Account, settings: SelfService, *, page_url: str = "", by: Actor
) -> None:
    """Store the settings of the page; the logo stays. Raises: Invalid, with the field.

    What needs invoices can only be allowed if the account writes some.

    page_url: the address of the page, for the codes on labels; empty to leave it as it is.
    """
    new = store.columns_of(checked(settings))
    known = await store.get_settings(tx, account.id)
    if OF_BILLING & settings.actions - known.actions:
        require_settings(await find_billing(tx, account.id))
    old = store.columns_of(known)
    changed = {name: to for name, to in new.items() if old[name] != to}
    if page_url:
        await store.update_settings(tx, account.id, {"page_url": page_url})
    if changed:
        await store.update_settings(tx, account.id, changed)
        before = {name: old[name] for name in changed}
        await _record(tx, account.id, before, changed, by=by)


@in_transaction
async def switch_all(
    tx: Transaction, account_id: int, *, is_on: bool, page_url: str = "", by: Actor
) -> SelfService:
    """Open the page with everything that subscribers can do, or close it; returns the settings.

    Labels and letters have the code of the page, too. Without the address of a shop, subscribers
    cannot renew there. Without billing, they have no invoices. page_url: as for `update_settings`.
    """
    old = await store.get_settings(tx, account_id)
    actions = ALL_ON if old.renewal_url else ALL_ON - {Action.RENEW}
    if await find_billing(tx, account_id) is None:
        actions -= OF_BILLING
    new = SelfService(
        is_open=is_on,
        actions=actions if is_on else frozenset(),
        introduction=old.introduction,
        contact=old.contact,
        colour=old.colour,
        renewal_url=old.renewal_url,
        has_codes=is_on,
    )
    columns, before = store.columns_of(new), store.columns_of(old)
    changed = {name: to for name, to in columns.items() if before[name] != to}
    if page_url:
        await store.update_settings(tx, account_id, {"page_url": page_url})
    if changed:
        await accounts.lock_account(tx, account_id)
        await store.update_settings(tx, account_id, changed)
        await _record(tx, account_id, {name: before[name] for name in changed}, changed, by=by)
    return new


@with_locked_account
async def set_logo(
    tx: Transaction, account: Account, picture: NewCover | None, *, by: Actor
) -> None:
    """Store the logo of the page; None to have none."""
    had = await store.has_logo(tx, account.id)
    columns = {
        "logo": picture.content if picture else None,
        "logo_type": picture.media_type if picture else None,
    }
    await store.update_settings(tx, account.id, columns)
    await _record(tx, account.id, {"has_logo": had}, {"has_logo": picture is not None}, by=by)


async def _record(
    tx: Transaction,
    account_id: int,
    before: dict[str, object],
    after: dict[str, object],
    *,
    by: Actor,
) -> None:
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_SELF_SERVICE, account_id, before, after)
    await trail.record(tx, account_id, by, [entry])
