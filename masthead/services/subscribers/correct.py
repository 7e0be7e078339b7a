"""Correct the name, the email and the postal address of a subscriber."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, all_of
from masthead.model.inputs import changes
from masthead.model.orders.field_rules import PAGE_NAMES
from masthead.model.subscribers.corrections import (
    CORRECTABLE,
    EMAIL_TAKEN,
    FORMS_OF_ADDRESS,
    MERGED_MEANWHILE,
    NAMES,
    SubscriberCorrection,
    SubscriberFields,
    list_own_address_refusals,
    placeholder_address,
)
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import domain_key, email_key
from masthead.model.types.full_names import full_name
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.services.privacy.guard import require_not_erased
from masthead.services.search_index import rewrite_search
from masthead.services.subscribers.renames import rename_subscriptions, same_names, values_of
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.read_model import subscription_json
from masthead.store.subscribers import corrections as store
from masthead.store.subscribers.corrections import NamedSubscription, StoredSubscriber

NO_ADDRESS = "The subscriber has no email address any more."


class Corrected(Struct, frozen=True):
    """The result of a correction.

    fields: the columns that changed. subscriptions: how many got the new name too, and other_names:
    how many had another name and kept it. emails: how many waiting emails go to the new address.
    """

    fields: list[str]
    subscriptions: int
    other_names: int
    emails: int


async def correct_subscriber(
    db: Database,
    account_id: int,
    id: str,
    body: SubscriberFields,
    *,
    seen: Mapping[str, object] | None = None,
    with_subscriptions: bool,
    placeholder_domain: str,
    by: Actor,
) -> Corrected:
    """Correct a subscriber, and everything that shows their name or email. Queries: about 20.

    seen: the fields as the user saw them in the form. If one of them has changed since then,
    nothing is saved. with_subscriptions: whether the subscriptions with the old name get the new
    one too. The address of a subscriber who was merged into this one changes places with theirs.
    Raises: NotFound, Erased, Invalid (`changed_meanwhile`, `merged_meanwhile`, `email_taken`).
    """
    work = partial(
        correct,
        account_id=account_id,
        id=id,
        body=body,
        seen=seen or {},
        with_subscriptions=with_subscriptions,
        placeholder_domain=placeholder_domain,
        by=by,
    )
    return await db.write(work, account_id=account_id)


async def correct(
    tx: Transaction,
    account_id: int,
    id: str,
    body: SubscriberFields,
    *,
    seen: Mapping[str, object],
    with_subscriptions: bool,
    names: Collection[str] = PAGE_NAMES,
    placeholder_domain: str,
    by: Actor,
) -> Corrected:
    """Do what `correct_subscriber` does, in a transaction.

    names: of which subscriptions with the old name must keep one.
    """
    await accounts.lock_account(tx, account_id)
    before = await store.get_subscriber(tx, account_id, id)
    require_live(before)
    await require_not_erased(tx, account_id, [id])
    if any(before.shown[name] != was for name, was in seen.items()):
        raise Invalid(
            _(
                "This subscriber has changed since you opened the page. Check the current "
                "values, and save again if your changes are still correct."
            ),
            code=CHANGED_MEANWHILE,
        )
    after = _corrected(before, changes(body), placeholder_domain)
    fields = [name for name in _COLUMNS if getattr(after, name) != getattr(before, name)]
    if not fields:
        return Corrected([], 0, 0, 0)
    if after.is_placeholder and not any(getattr(after, name) for name in NAMES):
        raise Invalid(
            _("A subscriber needs a name, a company or an email address."), field="first_name"
        )
    if refusals := list_own_address_refusals(structs.asdict(after)):
        raise all_of(refusals)
    if "email_key" in fields:
        await _free_email(tx, account_id, before, after)
    columns = values_of(after, fields)
    if "email" in fields:
        columns |= {"bounced_at": None, "bounce_reason": None}
    await store.update_subscriber(tx, account_id, id, columns)
    return await _update_dependents(
        tx, account_id, before, after, with_subscriptions=with_subscriptions, required=names, by=by
    )


async def amend(
    tx: Transaction,
    account_id: int,
    id: str,
    columns: Mapping[str, Any],
    *,
    placeholder_domain: str,
    by: Actor,
) -> None:
    """Set what an order says of a known subscriber. columns: without names and email. As above."""
    if columns:
        await correct(
            tx,
            account_id,
            id,
            SubscriberCorrection(**columns),
            seen={},
            with_subscriptions=False,
            placeholder_domain=placeholder_domain,
            by=by,
        )


def require_live(subscriber: StoredSubscriber) -> None:
    """Raises: Invalid `merged_meanwhile` if the subscriber is merged into another one."""
    if subscriber.merged_into is not None:
        raise Invalid(
            _(
                "This subscriber was merged into another one, so nothing was changed. Open that "
                "subscriber and try again."
            ),
            code=MERGED_MEANWHILE,
            value=subscriber.merged_into,
            id=subscriber.merged_into,
        )


def name_of(row: Row) -> str:
    """The name to show for a subscriber."""
    return full_name(row["first_name"], row["last_name"], row["company"], row["email"])


_EMAIL = ("email", "email_key", "is_placeholder")
_OWN = (*FORMS_OF_ADDRESS, *NAMES, "language", *ADDRESS_FIELDS)
_COLUMNS = (*_OWN, *_EMAIL)


def _corrected(
    before: StoredSubscriber, asked: Mapping[str, Any], placeholder_domain: str
) -> StoredSubscriber:
    """A subscriber after a correction. Raises: Invalid."""
    after = structs.replace(before, **{name: asked[name] for name in _OWN if name in asked})
    if "email" not in asked or asked["email"] == before.shown_email:
        return after
    email = asked["email"]
    if email is None:
        stored = placeholder_address(before.id, placeholder_domain)
    elif domain_key(email) == domain_key(f"@{placeholder_domain}"):
        raise Invalid(
            _(
                "Addresses at {domain} are placeholders. Leave the field empty if there is no "
                "address."
            ).format(domain=placeholder_domain),
            field="email",
            value=email,
        )
    else:
        stored = email
    return structs.replace(
        after, email=stored, email_key=email_key(stored), is_placeholder=email is None
    )


async def _free_email(
    tx: Transaction, account_id: int, before: StoredSubscriber, after: StoredSubscriber
) -> None:
    """Make an address free for a subscriber: exchange it with one who was merged into them.

    Raises: Invalid `email_taken`, with the id of the subscriber that has it.
    """
    key, own = after.email_key, before.id
    other = await store.find_by_key(tx, account_id, key, other_than=own)
    if other is None:
        return
    if other.merged_into != before.id:
        owner_id = other.merged_into or other.id
        owner = await store.get_subscriber(tx, account_id, owner_id)
        raise Invalid(
            _(
                "The email {email} belongs to {name}. If they are the same person, merge the two "
                "subscribers; otherwise type another email."
            ).format(email=after.email, name=owner.full_name),
            code=EMAIL_TAKEN,
            field="email",
            value=owner_id,
            id=owner_id,
        )
    await exchange_emails(tx, account_id, before, other)


async def exchange_emails(
    tx: Transaction, account_id: int, one: StoredSubscriber, other: StoredSubscriber
) -> None:
    """Exchange the email addresses of two subscribers. Queries: three."""
    # an address is unique at any moment, so that of the other subscriber makes room first
    await store.update_subscriber(tx, account_id, other.id, {"email_key": other.id})
    await store.update_subscriber(tx, account_id, one.id, values_of(other, _EMAIL))
    await store.update_subscriber(tx, account_id, other.id, values_of(one, _EMAIL))


async def _update_dependents(
    tx: Transaction,
    account_id: int,
    before: StoredSubscriber,
    after: StoredSubscriber,
    *,
    with_subscriptions: bool,
    required: Collection[str],
    by: Actor,
) -> Corrected:
    """Update what shows the name or email of a subscriber, and record the correction."""
    id = before.id
    fields = [name for name in CORRECTABLE if getattr(after, name) != getattr(before, name)]
    states = values_of(before, fields), values_of(after, fields)
    entries = [NewEntry(EntryType.SUBSCRIBER_UPDATE, id, *states)]
    renamed, others = list[NamedSubscription](), 0
    names = values_of(after, [name for name in fields if name in NAMES])
    if names and with_subscriptions:
        renamed, others = await same_names(tx, account_id, before, names)
        entries += await rename_subscriptions(
            tx, account_id, renamed, names, required=required, by=by
        )
    gifts = await store.list_gifts(tx, account_id, id)
    if gifts:
        await store.update_giver(tx, account_id, id, name=after.full_name, email=after.email)
    emails = 0
    if "email" in fields and after.is_placeholder:
        await store.cancel_emails(tx, account_id, id, reason=NO_ADDRESS)
    elif "email" in fields:
        emails = await store.redirect_emails(tx, account_id, id, email=after.email)
    owned = await store.list_subscription_ids(tx, account_id, id)
    await subscription_json.mark_outdated(tx, account_id, [*owned, *gifts])
    await rewrite_search(tx, account_id, {id, *gifts.values()})
    await trail.record(tx, account_id, by, entries)
    return Corrected(fields, len(renamed), others, emails)
