"""What subscribers do on their page: each by the service of the desk, with its checks.

Every action is in the history as done by the subscriber, and is confirmed by an email. Call each
one with the `OneTransaction` of a form, so that all of it is done, or nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from masthead.model.actors import BY_SUBSCRIBER
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason, may_be_missed
from masthead.model.errors import Invalid, NotFound
from masthead.model.ids import new_id
from masthead.model.inputs import changes
from masthead.model.self_service.requests import RequestStatus
from masthead.model.self_service.settings import Action
from masthead.model.self_service.sign_in import BY_PERSON, CHANGES
from masthead.model.subscribers.corrections import SubscriberCorrection
from masthead.model.translations import gettext as _
from masthead.model.validation import decode_input
from masthead.services.claims.claimable import ClaimPreview, preview_claim
from masthead.services.claims.records import create_claim
from masthead.services.identity.login_throttling import require_few
from masthead.services.letters.subscribers import set_unsubscribed
from masthead.services.privacy.everything import collect_everything, record_export
from masthead.services.privacy.guard import require_not_erased
from masthead.services.self_service.emails import write_done_email
from masthead.services.self_service.sign_in import MyPage
from masthead.services.subscribers.correct import correct_subscriber
from masthead.services.subscriptions.cancel import stop_together
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.claims.claimable import ClaimableCopy, get_claimable
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.self_service import requests
from masthead.store.self_service.settings import get_settings
from masthead.store.subscribers.corrections import StoredSubscriber
from masthead.store.subscriptions import records as subscriptions


class Caller(Struct, frozen=True, kw_only=True):
    """The subscriber who does something, and the page on which they do it."""

    page: MyPage
    subscriber: StoredSubscriber

    @property
    def account_id(self) -> int:
        """The account of the subscriber."""
        return self.page.account.id


async def claim_copy(
    db: Database, caller: Caller, copy_id: int, reason: ClaimReason, notes: str | None
) -> bool:
    """Say that a copy did not arrive; returns whether a replacement is sent at once.

    If it exceeds the limit on replacements, or the address is on hold, a user of the desk decides.
    Raises: NotFound, also for a copy of another subscriber; Invalid.
    """
    await require_allowed(db, caller, Action.CLAIM)
    copy = await require_own_copy(db, caller, copy_id)
    issue = copy.issue_number
    preview = await _preview_claim(db, caller, copy_id)
    today = caller.page.account.daily_date
    if not may_be_missed(copy.status, copy.medium, copy.sent_on, today=today):
        raise Invalid(_("This copy was sent more than a year ago. Please write to us instead."))
    if not preview.warnings:
        body = ClaimCreate(copy=copy_id, reason=reason, notes=notes)
        await create_claim(db, caller.account_id, body, by=BY_SUBSCRIBER)
        what = _("You told us that issue {number} did not arrive. We send it again.")
        await finish(db, caller, Action.CLAIM, what.format(number=issue), copy_id=copy_id)
        return True
    await _ask(db, caller, Action.CLAIM, copy_id=copy_id, reason=reason.value, notes=notes)
    what = _("You told us that issue {number} did not arrive. We look into it, and write to you.")
    await _email(db, caller, what.format(number=issue))
    return False


async def _preview_claim(db: Connection, caller: Caller, copy_id: int) -> ClaimPreview:
    """The claim. Raises: Invalid, in words that say nothing about the desk."""
    try:
        return await preview_claim(db, caller.account_id, str(copy_id))
    except Invalid as reason:
        if reason.code == "claim_exists":
            text = _("You told us already that this copy did not arrive. We send it again.")
        else:
            text = _("This copy was not sent by post yet, so it cannot be missing.")
        raise Invalid(text, code=reason.code) from None


async def require_own_copy(db: Connection, caller: Caller, copy_id: int) -> ClaimableCopy:
    """A copy. Raises: NotFound unless the subscriber gets it. Queries: two."""
    copy = await get_claimable(db, caller.account_id, copy_id)
    await require_own(db, caller, [copy.subscription_id])
    return copy


async def require_own(db: Connection, caller: Caller, ids: Sequence[str]) -> None:
    """Raises: NotFound unless subscriptions are those of the subscriber. Queries: one."""
    found = await subscriptions.find_rows(db, caller.account_id, ids)
    for id in ids:
        if id not in found or found[id].subscriber_id != caller.subscriber.id:
            raise NotFound("subscription", id)


async def correct_name(db: Database, caller: Caller, names: Mapping[str, str | None]) -> None:
    """Correct the name, also on the subscriptions that have the old one. Raises: Invalid."""
    await require_allowed(db, caller, Action.NAME)
    body = decode_input(SubscriberCorrection, dict(names))
    done = await correct_subscriber(
        db,
        caller.account_id,
        caller.subscriber.id,
        body,
        with_subscriptions=True,
        placeholder_domain=caller.page.domain,
        by=BY_SUBSCRIBER,
    )
    if done.fields:
        name = " ".join(str(text) for text in changes(body).values() if text)
        what = _("Your name is {name}.").format(name=name)
        await finish(db, caller, Action.NAME, what)


async def set_letters(db: Database, caller: Caller, *, is_unsubscribed: bool) -> None:
    """Stop letters about renewals, or allow them. A repetition changes nothing."""
    await require_allowed(db, caller, Action.LETTERS)
    if (caller.subscriber.unsubscribed_at is not None) == is_unsubscribed:
        return
    await set_unsubscribed(
        db,
        caller.account_id,
        caller.subscriber.id,
        is_unsubscribed=is_unsubscribed,
        by=BY_SUBSCRIBER,
    )
    what = (
        _("You get no more letters about renewals.")
        if is_unsubscribed
        else _("You get letters about renewals again.")
    )
    await finish(db, caller, Action.LETTERS, what)


async def stop_renewals(db: Database, caller: Caller, ids: Sequence[str]) -> None:
    """Stop the automatic renewals of subscriptions. Raises: NotFound, Invalid `not_recurring`."""
    await require_allowed(db, caller, Action.RENEWALS)
    await require_own(db, caller, ids)
    await stop_together(db, caller.account_id, ids, by=BY_SUBSCRIBER)
    what = _("Your subscription does not renew automatically any more. You get what is paid for.")
    await finish(db, caller, Action.RENEWALS, what)


async def download_data(db: Database, caller: Caller) -> dict[str, Any]:
    """Everything that is kept about the subscriber, ready for JSON.

    Raises: TooManyAttempts if they downloaded it several times in a row.
    """
    await require_allowed(db, caller, Action.DATA)
    await require_few(db, f"my data of {caller.subscriber.id}", BY_PERSON)
    async with db.read(is_long=True) as connection:
        everything = await collect_everything(
            connection,
            caller.page.account,
            caller.subscriber.id,
            placeholder_domain=caller.page.domain,
        )
    await record_export(db, caller.account_id, caller.subscriber.id, by=BY_SUBSCRIBER)
    await finish(db, caller, Action.DATA, _("You downloaded all your data."))
    return everything


async def ask_for_erasure(db: Database, caller: Caller) -> None:
    """Ask for the erasure of all personal data; a user of the desk confirms it."""
    await require_allowed(db, caller, Action.ERASURE)
    if await _ask(db, caller, Action.ERASURE):
        what = _("You asked us to erase your personal data. We check it, and do it soon.")
        await _email(db, caller, what)


async def require_allowed(db: Connection, caller: Caller, action: Action) -> None:
    """Raises: Invalid unless an owner allows the action now. Queries: one."""
    settings = await get_settings(db, caller.account_id)
    if not settings.allows(action):
        raise Invalid(_("This cannot be done here any more. Please write to us instead."))


async def _ask(
    db: Database,
    caller: Caller,
    action: Action,
    *,
    copy_id: int | None = None,
    reason: str | None = None,
    notes: str | None = None,
) -> bool:
    """Store a request that a user decides, and record it; False if the same one waits."""

    async def work(tx: Transaction) -> bool:
        id = await lock_caller(tx, caller)
        if await requests.find_waiting(tx, caller.account_id, [id], action, copy_id):
            return False
        columns = {
            "action": action.value,
            "status": RequestStatus.WAITING.value,
            "copy_id": copy_id,
            "reason": reason,
            "notes": notes,
        }
        await _insert(tx, caller, columns)
        entry = NewEntry(EntryType.SUBSCRIBER_REQUEST, id, None, {"request": action.value})
        await trail.record(tx, caller.account_id, BY_SUBSCRIBER, [entry])
        return True

    return await db.write(work, account_id=caller.account_id)


async def finish(
    db: Database,
    caller: Caller,
    action: Action,
    what: str,
    *,
    copy_id: int | None = None,
    invoice_id: str | None = None,
) -> None:
    """List what was done for the desk, and confirm it by email. invoice_id: attached to it.

    Raises: TooManyAttempts if the subscriber changed a lot in a short time. A sandbox sends no
    emails, so nothing is counted there.
    """
    if not caller.page.account.is_sandbox:
        await require_few(db, f"my changes of {caller.subscriber.id}", CHANGES)

    async def work(tx: Transaction) -> None:
        await lock_caller(tx, caller)
        columns = {"action": action.value, "status": RequestStatus.DONE.value, "copy_id": copy_id}
        await _insert(tx, caller, columns)

    await db.write(work, account_id=caller.account_id)
    is_renewal = action is Action.RENEW_BY_INVOICE
    await _email(db, caller, what, is_renewal=is_renewal, invoice_id=invoice_id)


async def lock_caller(tx: Transaction, caller: Caller) -> str:
    """Lock the account; returns the id of the subscriber. Raises: Erased, since they signed in."""
    await accounts.lock_account(tx, caller.account_id)
    await require_not_erased(tx, caller.account_id, [caller.subscriber.id])
    return caller.subscriber.id


async def _insert(tx: Transaction, caller: Caller, columns: Mapping[str, Any]) -> None:
    own = {"id": new_id(caller.account_id), "subscriber_id": caller.subscriber.id}
    await requests.insert_request(tx, caller.account_id, {**own, **columns})


async def _email(
    db: Database,
    caller: Caller,
    what: str,
    *,
    is_renewal: bool = False,
    invoice_id: str | None = None,
) -> None:
    async def work(tx: Transaction) -> None:
        settings = await get_settings(tx, caller.account_id)
        await write_done_email(
            tx,
            caller.page.account,
            caller.subscriber,
            what,
            contact=settings.contact,
            domain=caller.page.domain,
            locale=caller.page.locale,
            is_renewal=is_renewal,
            invoice_id=invoice_id,
        )

    await db.write(work, account_id=caller.account_id)
