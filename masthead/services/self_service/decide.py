"""What users of the desk decide about requests of subscribers."""

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import Invalid
from masthead.model.self_service.requests import REQUEST_CLOSED, RequestStatus, SubscriberRequest
from masthead.model.self_service.settings import Action
from masthead.model.translations import gettext as _, in_language
from masthead.services.claims.records import create_claim
from masthead.services.self_service.emails import write_done_email
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.wrapped import OneTransaction
from masthead.store.self_service import requests as store
from masthead.store.self_service.settings import get_settings
from masthead.store.subscribers.corrections import get_subscriber


async def send_replacement(
    db: Database, account_id: int, id: str, *, domain: str, by: Actor
) -> SubscriberRequest:
    """Send a copy again that did not arrive, tell the subscriber, and close the request.

    domain: of the Message-ID. Raises: NotFound, Invalid.
    """

    async def work(tx: Transaction) -> SubscriberRequest:
        account = await accounts.lock_account(tx, account_id)
        request = await _close(tx, account_id, id, by=by)
        if request.action is not Action.CLAIM:
            raise Invalid(_("This request is not about a copy that did not arrive."))
        reason = ClaimReason(request.reason or ClaimReason.OTHER)
        body = ClaimCreate(copy=request.copy_id, reason=reason, notes=request.notes)
        await create_claim(OneTransaction(db, tx, is_long=False), account_id, body, by=by)
        subscriber = await get_subscriber(tx, account_id, request.subscriber_id)
        settings = await get_settings(tx, account_id)
        if not subscriber.is_placeholder:
            locale = subscriber.locale_in(account)
            with in_language(locale):
                what = _("You told us that issue {number} did not arrive. We send it again.")
            await write_done_email(
                tx,
                account,
                subscriber,
                what.format(number=request.issue_number),
                contact=settings.contact,
                domain=domain,
                locale=locale,
            )
        return request

    return await db.write(work, account_id=account_id)


@with_locked_account
async def close_request(
    tx: Transaction, account: Account, id: str, *, by: Actor
) -> SubscriberRequest:
    """Close a request: a user has decided about it. Raises: NotFound, Invalid."""
    return await _close(tx, account.id, id, by=by)


async def _close(tx: Transaction, account_id: int, id: str, *, by: Actor) -> SubscriberRequest:
    request = await store.get_request(tx, account_id, id)
    if not await store.update_closed(tx, account_id, id, kind=by.kind, actor=by.id):
        raise Invalid(_("This request is closed already."), code=REQUEST_CLOSED)
    states = {"status": RequestStatus.WAITING}, {"status": RequestStatus.CLOSED}
    entry = NewEntry(EntryType.SUBSCRIBER_REQUEST, request.subscriber_id, *states)
    await trail.record(tx, account_id, by, [entry])
    return request
