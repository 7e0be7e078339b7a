"""Change the email address of a subscriber: the old and the new address both confirm it."""

from enum import StrEnum

from masthead.model.actors import BY_SUBSCRIBER
from masthead.model.errors import Invalid
from masthead.model.ids import new_id, token_digest
from masthead.model.self_service.requests import RequestStatus
from masthead.model.self_service.settings import Action
from masthead.model.self_service.sign_in import BY_PERSON, LinkPurpose, digest_of_email
from masthead.model.subscribers.corrections import SubscriberCorrection
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import domain_key, email_key
from masthead.model.validation import decode_input
from masthead.services.identity.login_throttling import require_few
from masthead.services.self_service.actions import Caller, lock_caller, require_allowed
from masthead.services.self_service.emailed_links import insert_emailed_link
from masthead.services.self_service.emails import write_confirmation_email, write_done_email
from masthead.services.self_service.sign_in import MyPage, find_proven
from masthead.services.subscribers.correct import correct
from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction
from masthead.store.self_service import links, requests, sessions
from masthead.store.self_service.settings import get_settings
from masthead.store.subscribers import corrections as subscribers

BOTH = (LinkPurpose.CONFIRM_OLD, LinkPurpose.CONFIRM_NEW)


class EmailConfirmation(StrEnum):
    """What a confirmation did.

    expired: nothing, the link does not work. waits: the other address must confirm. done: both
    have, and the address is changed.
    """

    EXPIRED = "expired"
    WAITS = "waits"
    DONE = "done"


async def ask_for_new_email(db: Database, caller: Caller, email: str) -> None:
    """Send an email to the old and to the new address. An earlier wish ends.

    Whether the new address belongs to another subscriber is only found when it is confirmed, so
    that nobody learns whose addresses the publisher has.
    Raises: Invalid, TooManyAttempts.
    """
    account_id, subscriber = caller.account_id, caller.subscriber
    await require_allowed(db, caller, Action.EMAIL)
    email = str(decode_input(SubscriberCorrection, {"email": email}).email)
    if domain_key(email) == domain_key(f"@{caller.page.domain}"):
        raise Invalid(_("Type an email address that reaches you."), field="email", value=email)
    if email_key(email) == email_key(subscriber.email):
        raise Invalid(_("This is your address already."), field="email", value=email)
    for name in (f"my email of {subscriber.id}", f"my email {digest_of_email(email_key(email))}"):
        await require_few(db, name, BY_PERSON)

    async def work(tx: Transaction) -> None:
        await lock_caller(tx, caller)
        await links.delete_links(tx, account_id, subscriber.id, purposes=BOTH)
        for purpose in BOTH:
            link = await insert_emailed_link(
                tx, caller.page.account, subscriber, purpose, new_email=email
            )
            await write_confirmation_email(
                tx,
                caller.page.account,
                subscriber,
                purpose,
                email,
                link=link,
                url=caller.page.url,
                domain=caller.page.domain,
                locale=caller.page.locale,
            )

    await db.write(work, account_id=account_id)


async def confirm(db: Database, page: MyPage, token: str) -> EmailConfirmation:
    """Confirm a new address with the link from one of the two emails.

    When both are used, the address changes, and all sessions of the subscriber end.
    Raises: Invalid, if the address belongs to another subscriber; then nothing is used up.
    """
    account_id = page.account.id

    async def work(tx: Transaction) -> EmailConfirmation:
        await accounts.lock_account(tx, account_id)
        link = await links.find_link(tx, account_id, token_digest(token))
        if link is None or link.purpose not in BOTH or link.new_email is None:
            return EmailConfirmation.EXPIRED
        subscriber = await find_proven(tx, account_id, link)
        settings = await get_settings(tx, account_id)
        if subscriber is None or not settings.allows(Action.EMAIL):
            return EmailConfirmation.EXPIRED
        await links.take_links(tx, account_id, link)
        if not await links.is_confirmed(tx, account_id, link, link.purpose.other):
            return EmailConfirmation.WAITS
        await _require_free(tx, account_id, subscriber.id, link.new_email)
        await correct(
            tx,
            account_id,
            subscriber.id,
            SubscriberCorrection(email=link.new_email),
            seen={},
            with_subscriptions=False,
            placeholder_domain=page.domain,
            by=BY_SUBSCRIBER,
        )
        await links.delete_links(tx, account_id, link.subscriber_id, purposes=tuple(LinkPurpose))
        ids = {link.subscriber_id, subscriber.id}
        await sessions.delete_sessions(tx, account_id, sorted(ids))
        columns = {
            "id": new_id(account_id),
            "subscriber_id": subscriber.id,
            "action": Action.EMAIL.value,
            "status": RequestStatus.DONE.value,
        }
        await requests.insert_request(tx, account_id, columns)
        changed = await subscribers.get_subscriber(tx, account_id, subscriber.id)
        what = _("Your email address was changed from {old} to {new}.").format(
            old=subscriber.email, new=changed.email
        )
        for email in (subscriber.email, changed.email):
            await write_done_email(
                tx,
                page.account,
                changed,
                what,
                contact=settings.contact,
                domain=page.domain,
                locale=page.locale,
                email=email,
            )
        return EmailConfirmation.DONE

    return await db.write(work, account_id=account_id)


async def _require_free(tx: Transaction, account_id: int, id: str, email: str) -> None:
    """Raises: Invalid, without the name of who has the address."""
    other = await subscribers.find_by_key(tx, account_id, email_key(email))
    if other is not None and id not in (other.id, other.merged_into):
        raise Invalid(
            _(
                "Another subscriber has this email address. Please write to us, so that we can "
                "put both together."
            ),
            field="email",
        )
