"""Enters an order from a phone call or a letter, for a subscriber who may be known already."""

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.billing.terms import BillingTerms, terms_of
from masthead.model.debits.mandates import NewMandate
from masthead.model.errors import Invalid
from masthead.model.orders.entered_orders import (
    known_giver,
    orders_of_entry,
    require_other_giver,
    typed_giver,
)
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.orders.order import Giver, OrderDefaults
from masthead.model.orders.overlaps import require_answer
from masthead.model.resources import Subscription
from masthead.model.subscribers.corrections import FORMS_OF_ADDRESS
from masthead.model.translations import gettext as _
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.services.billing.issue import bill_entered
from masthead.services.billing.new_payers import with_payer
from masthead.services.billing.pricing import price_order
from masthead.services.emails.messages import write_order_email
from masthead.services.orders.overlaps import list_overlaps
from masthead.services.orders.place import place_all
from masthead.services.orders.questions import find_giver, find_owner
from masthead.services.orders.subscribers import find_subscriber
from masthead.services.privacy.guard import require_not_erased
from masthead.services.subscribers.correct import amend
from masthead.services.subscribers.dismissed_pairs import remember_pairs
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.events.write import get_written
from masthead.store.subscribers.corrections import get_subscriber
from masthead.store.subscribers.records import find_kept
from masthead.store.subscriptions import records as subscriptions


class EnteredOrder(Struct, frozen=True):
    """The outcome of an order: its subscriptions, the first of them, and its subscriber.

    invoice_ids: of the invoice, if the order is billed and does not wait for others of its payer.
    """

    subscription_ids: list[str]
    subscription: Subscription
    subscriber: KnownSubscriber
    invoice_ids: list[str] = []


@with_locked_account
async def enter_order(
    tx: Transaction,
    account: Account,
    entry: OrderEntry,
    *,
    defaults: OrderDefaults,
    may_correct: bool = True,
    new_payer: PayerEntry | None = None,
    vat_id: str = "",
    bills_together: bool = False,
    department: str = "",
    mandate: NewMandate | None = None,
    by: Actor,
) -> EnteredOrder:
    """Create the subscriptions of an order, and the subscriber and the giver if they are new.

    new_payer: who gets the invoice, if neither the giver, the subscriber nor a known one does.
    vat_id, bills_together, department: of who gets the invoice, as in `BillingTerms`.
    mandate: of the same, if it is collected by a new one.
    may_correct: whether the user may correct subscribers, so that a known one gets the salutation,
    the title and the postal address that were typed.
    Raises: LikelyDuplicates, also of payers, unless the user has said who they are; Invalid
    (`invalid_source`, `unknown_start_issue`, `duplicate_order_id`, those of `bill_entered`, and
    that of `require_answer`). Nothing is written then.
    """
    known = [id for id in (entry.subscriber_id, entry.gifter_id) if id is not None]
    await require_not_erased(tx, account.id, known)
    given = structs.asdict(entry)
    subscriber_id = await find_owner(tx, account.id, given)
    overlaps = await list_overlaps(tx, account.id, given, subscriber_id)
    giver = await _giver_of(tx, account.id, entry) if entry.is_gift else None
    terms = await _terms_of(tx, account, entry, new_payer, vat_id, defaults, by)
    if terms:
        terms = structs.replace(
            terms, bills_together=bills_together, department=department, mandate=mandate
        )
    priced = await price_order(tx, account, entry, terms) if terms else entry
    orders = orders_of_entry(priced, defaults, giver=giver)
    ids = await place_all(
        tx, account, entry.source, orders, defaults=defaults, product_id=entry.product, by=by
    )
    made = await get_written(tx, account.id, ids[0])
    found = await find_subscriber(tx, account.id, made.subscriber.id)
    assert found is not None
    if giver is not None:
        require_other_giver(giver, id=found.id, email=found.email, name=found.name)
    if may_correct:
        await _complete(tx, account.id, entry, found, giver, defaults, by)
    await _remember_answers(tx, account.id, entry, ids[0], found.id, by=by)
    if entry.send_welcome_email:
        await _write_email(tx, account, made, found, giver, defaults)
    issued = await bill_entered(tx, account, terms, ids, by=by) if terms else []
    require_answer(overlaps, entry.overlaps)  # last: nothing else is wrong with the order
    return EnteredOrder(ids, made, found, issued)


async def _terms_of(
    tx: Transaction,
    account: Account,
    entry: OrderEntry,
    new_payer: PayerEntry | None,
    vat_id: str,
    defaults: OrderDefaults,
    by: Actor,
) -> BillingTerms | None:
    """How the order is billed; None if it was paid. Raises: LikelyPayers, Invalid."""
    terms = terms_of(entry)
    if terms is None:
        return None
    return await with_payer(
        tx,
        account,
        terms,
        new_payer,
        vat_id=vat_id,
        placeholder_domain=defaults.placeholder_domain,
        by=by,
    )


async def _remember_answers(
    tx: Transaction, account_id: int, entry: OrderEntry, id: str, subscriber_id: str, *, by: Actor
) -> None:
    """Remember of new people that they are not those about whom the page asked.

    id: of the subscription. subscriber_id: of its subscriber. Queries: none without an answer.
    """
    answers = [(subscriber_id, entry.new_subscriber if entry.subscriber_id is None else None)]
    if entry.is_gift and entry.gifter_id is None and entry.new_giver:
        gifter_id = (await subscriptions.find_rows(tx, account_id, [id]))[id].gifter_id
        answers.append((gifter_id or "", entry.new_giver))
    for new, answer in answers:
        ids = [each for each in (answer or "").split(",") if each]
        others = await find_kept(tx, account_id, ids) if new and ids else {}
        if others:
            await remember_pairs(tx, account_id, new, set(others.values()), by=by)


async def _giver_of(tx: Connection, account_id: int, entry: OrderEntry) -> Giver:
    """The giver of a gift, known or new. Raises: LikelyDuplicates, Invalid."""
    known = await find_giver(tx, account_id, structs.asdict(entry))
    return known_giver(known) if known else typed_giver(entry)


async def _complete(
    tx: Transaction,
    account_id: int,
    entry: OrderEntry,
    subscriber: KnownSubscriber,
    giver: Giver | None,
    defaults: OrderDefaults,
    by: Actor,
) -> None:
    """Store what the order says of people who were known before: how to address them, and where.

    The subscriber's salutation and title are stored if the order has their name. A giver without
    a postal address gets the one that was typed.
    """
    domain = defaults.placeholder_domain
    if (entry.first_name, entry.last_name) == (subscriber.first_name, subscriber.last_name):
        typed = {name: getattr(entry, name) for name in FORMS_OF_ADDRESS if getattr(entry, name)}
        await amend(tx, account_id, subscriber.id, typed, placeholder_domain=domain, by=by)
    if giver is None or giver.subscriber_id is None:
        return
    known = await get_subscriber(tx, account_id, giver.subscriber_id)
    typed = {
        name: getattr(entry, f"gifter_{name}") for name in (*FORMS_OF_ADDRESS, *ADDRESS_FIELDS)
    }
    kept = () if known.country is None else ADDRESS_FIELDS
    given = {name: value for name, value in typed.items() if value and name not in kept}
    await amend(tx, account_id, known.id, given, placeholder_domain=domain, by=by)


async def _write_email(
    tx: Transaction,
    account: Account,
    made: Subscription,
    subscriber: KnownSubscriber,
    giver: Giver | None,
    defaults: OrderDefaults,
) -> None:
    """Add the welcome email, or that of a gift, to the outbox. Raises: Invalid without an email."""
    if subscriber.email is None:
        message = _("{name} has no email, so no welcome email can be sent. Type their email above.")
        raise Invalid(message.format(name=subscriber.name), field="send_welcome_email")
    await write_order_email(tx, account, made, giver, defaults)
