"""Subscribers who want no letters, and email addresses that bounced."""

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, PageNotFound
from masthead.model.ids import account_of
from masthead.model.letters.unsubscribe import read_unsubscribe_token
from masthead.model.subscribers.corrections import MERGED_MEANWHILE
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.model.types.text import short_text
from masthead.services.identity.server_secrets import get_secret
from masthead.services.privacy.guard import require_not_erased
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.letters import subscribers as subscribers
from masthead.store.letters.subscribers import LetterSubscriber
from masthead.store.privacy.erasures import list_erased


async def find_by_token(db: Database, token: str) -> tuple[Account, LetterSubscriber]:
    """The subscriber of an unsubscribe link, with their account. Raises: NotFound.

    For a merged subscriber, the one that they were merged into; the link of a subscriber who was
    erased has ended. Queries: one to five.
    """
    id = read_unsubscribe_token(await get_secret(db), token)
    account_id = account_of(id) if id else None
    if id is None or not account_id:
        raise PageNotFound
    async with db.read() as connection:
        subscriber = await _get_kept(connection, account_id, id)
        if await list_erased(connection, account_id, [subscriber.id]):
            raise PageNotFound
        return await accounts.get_account(connection, account_id), subscriber


async def _get_kept(db: Connection, account_id: int, id: str) -> LetterSubscriber:
    subscriber = await subscribers.get_subscriber(db, account_id, id)
    if subscriber.merged_into is None:
        return subscriber
    return await subscribers.get_subscriber(db, account_id, subscriber.merged_into)


@with_locked_account
async def set_unsubscribed(
    tx: Transaction, account: Account, id: str, *, is_unsubscribed: bool, by: Actor
) -> None:
    """Store whether a subscriber wants no letters. A repetition changes nothing.

    Raises: NotFound, Erased.
    """
    subscriber = await _get_kept(tx, account.id, id)
    await require_not_erased(tx, account.id, [subscriber.id])
    if await subscribers.update_unsubscribed(
        tx, account.id, subscriber.id, is_unsubscribed=is_unsubscribed
    ):
        kind = (
            EntryType.SUBSCRIBER_UNSUBSCRIBE
            if is_unsubscribed
            else EntryType.SUBSCRIBER_RESUBSCRIBE
        )
        await trail.record(tx, account.id, by, [NewEntry(kind, subscriber.id, None, None)])


@with_locked_account
async def mark_bounced(
    tx: Transaction, account: Account, id: str, *, email: str | None = None, reason: str, by: Actor
) -> None:
    """Record that emails to a subscriber come back. reason: may be empty.

    email: the address that the user saw; if it has been corrected since then, the new address has
    not bounced, and nothing is saved.
    Raises: NotFound, Erased, Invalid (`changed_meanwhile`, `merged_meanwhile`).
    """
    reason = short_text("reason", one_line(reason))
    await require_not_erased(tx, account.id, [id])
    subscriber = await subscribers.get_subscriber(tx, account.id, id)
    if subscriber.merged_into is not None:
        raise Invalid(
            _("This subscriber was merged into another one, so nothing was changed."),
            code=MERGED_MEANWHILE,
            value=subscriber.merged_into,
        )
    if email is not None and email != subscriber.email:
        raise Invalid(
            _(
                "The email address was changed to {email} since you opened the page, so it is "
                "not marked. If emails to the new address come back too, mark it now."
            ).format(email=subscriber.email),
            code=CHANGED_MEANWHILE,
        )
    if subscriber.is_placeholder:
        raise Invalid(_("This subscriber has no email address that could bounce."))
    await subscribers.update_bounced(tx, account.id, id, reason)
    after = {"email": subscriber.email, "bounce_reason": reason}
    entry = NewEntry(EntryType.SUBSCRIBER_MARK_BOUNCED, id, None, after)
    await trail.record(tx, account.id, by, [entry])


@with_locked_account
async def clear_bounce(tx: Transaction, account: Account, id: str, *, by: Actor) -> None:
    """Record that emails reach a subscriber again. A repetition changes nothing.

    Raises: NotFound, Erased.
    """
    await require_not_erased(tx, account.id, [id])
    subscriber = await subscribers.get_subscriber(tx, account.id, id)
    if subscriber.bounced_at is None:
        return
    await subscribers.update_bounced(tx, account.id, id, None)
    before = {"email": subscriber.email, "bounce_reason": subscriber.bounce_reason}
    entry = NewEntry(EntryType.SUBSCRIBER_CLEAR_BOUNCE, id, before, None)
    await trail.record(tx, account.id, by, [entry])
