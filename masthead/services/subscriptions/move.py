"""Give a subscription to another subscriber, with or without its invoice."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.known_subscribers import LikelyPayers, Likeness
from masthead.model.resources import Subscription
from masthead.model.subscriptions.billed_changes import InvoiceChoice, SubscriptionMove
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.postal_fields import PostalFields
from masthead.services.billing.credit import bill_again, take_back
from masthead.services.billing.new_payers import with_payer
from masthead.services.billing.payers import check_payer, make_payer
from masthead.services.privacy.guard import require_not_erased
from masthead.services.subscribers.merge import moves_of, remove_texts, update_derived
from masthead.services.subscriptions.bundles import find_others
from masthead.services.subscriptions.locking import lock_subscription
from masthead.services.transactions import in_transaction
from masthead.store.accounts import Account
from masthead.store.addresses import changes
from masthead.store.audit import trail
from masthead.store.billing import orders
from masthead.store.billing.payers import find_address
from masthead.store.engine.interface import Transaction
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscribers.corrections import get_kept_id
from masthead.store.subscribers.merges import move_subscriptions
from masthead.store.subscriptions import periods, records as subscriptions
from masthead.store.subscriptions.bundles import list_members

SAME_SUBSCRIBER, ADDRESS_PLANNED = "same_subscriber", "address_planned"


class Move(Struct, frozen=True, kw_only=True):
    """To whom a subscription goes: `to_id`, or a new person.

    takes_address: whether its copies go to their name and address from now on. choice: what becomes
    of the invoice of its last order; None if it is on none. seen: whose it was when the form was
    opened. reason: for a credit note.
    """

    to_id: str | None
    new_person: PayerEntry | None = None
    takes_address: bool
    choice: InvoiceChoice | None = None
    seen: str
    reason: str = ""


class Moved(Struct, frozen=True):
    """Who has the subscription now, and the ids of credit notes and new invoices."""

    subscriber_id: str
    document_ids: list[str]


@in_transaction
async def move_subscription(
    tx: Transaction,
    account_id: int,
    id: str,
    move: Move,
    *,
    also: Sequence[str] = (),
    placeholder_domain: str,
    by: Actor,
) -> Moved:
    """Give a subscription, with its copies, claims and letters, to another subscriber.

    also: the other subscriptions of its group. Copies in a prepared mailing go out as they were.
    The invoice of the last order stays with its payer, or is replaced by one to the new subscriber;
    an order that waits for an invoice is then billed to them. Earlier invoices stay.
    Raises: NotFound, Erased, LikelyPayers, Invalid.
    """
    account, row = await lock_subscription(tx, account_id, id)
    to_id = await _find_person(tx, account, move, placeholder_domain, by)
    return await _move(tx, account, row, to_id, move, also=also, by=by)


@in_transaction
async def give_subscription(
    tx: Transaction, account_id: int, id: str, body: SubscriptionMove, *, by: Actor
) -> Subscription:
    """Give a subscription to another subscriber, as a program asks.

    Raises: NotFound, Erased, Invalid.
    """
    account, row = await lock_subscription(tx, account_id, id)
    await check_payer(tx, account_id, body.subscriber, field="subscriber")
    move = Move(
        to_id=await get_kept_id(tx, account_id, body.subscriber),
        takes_address=body.takes_address is not False,
        choice=InvoiceChoice(body.invoice_action or InvoiceChoice.KEEP),
        seen=row.subscriber_id,
        reason=body.reason or "",
    )
    others = await find_others(tx, account_id, id) if body.all_copies else []
    try:
        await _move(tx, account, row, move.to_id or "", move, also=others, by=by)
    except Invalid as refusal:
        if refusal.code == SAME_SUBSCRIBER:
            refusal.field = "subscriber"
        raise
    return await get_subscription(tx, account_id, id)


async def _move(
    tx: Transaction,
    account: Account,
    row: StoredSubscription,
    to_id: str,
    move: Move,
    *,
    also: Sequence[str],
    by: Actor,
) -> Moved:
    """Do what `move_subscription` does, in a transaction that has locked the account."""
    if row.subscriber_id != move.seen:
        raise Invalid(
            _(
                "This subscription has moved to another subscriber since you opened the page. "
                "Nothing was changed."
            ),
            code=CHANGED_MEANWHILE,
        )
    account_id, from_id, ids = account.id, row.subscriber_id, [row.id, *also]
    if to_id == from_id:
        raise Invalid(
            _("The subscription belongs to this subscriber already. Choose another one."),
            code=SAME_SUBSCRIBER,
            field="payer_find",
        )
    address = await _find_address(tx, account_id, to_id, ids) if move.takes_address else None
    sharing = await remove_texts(tx, account_id, (from_id, to_id))
    await _split_bundle(tx, account_id, row, ids)
    await move_subscriptions(tx, account_id, ids, from_id=from_id, to_id=to_id)
    if address is not None:
        columns = structs.asdict(PostalFields.of(address))
        for each in ids:
            await subscriptions.update_subscription(tx, account_id, each, columns)
    await update_derived(tx, account, sharing, ids, [])
    await trail.record(tx, account_id, by, moves_of(ids, from_id=from_id, to_id=to_id))
    made = await _bill(tx, account, ids, to_id, move, by=by)
    return Moved(to_id, made)


async def _split_bundle(
    tx: Transaction, account_id: int, row: StoredSubscription, ids: Sequence[str]
) -> None:
    """Let those that move, and those that stay, each be a bundle of their own."""
    if row.bundle_id is None:
        return
    members = [each.id for each in await list_members(tx, account_id, [row.bundle_id])]
    for part in (ids, [each for each in members if each not in ids]):
        columns = {"bundle_id": min(part) if len(part) > 1 else None}
        for each in part:
            await subscriptions.update_subscription(tx, account_id, each, columns)


async def _find_person(
    tx: Transaction, account: Account, move: Move, placeholder_domain: str, by: Actor
) -> str:
    """The id of who gets the subscription; a new person is added. Raises: as the move does."""
    try:
        terms = await with_payer(
            tx,
            account,
            BillingTerms(payer_id=move.to_id),
            move.new_person,
            vat_id="",
            placeholder_domain=placeholder_domain,
            by=by,
        )
    except LikelyPayers as reason:
        if any(Likeness.EMAIL in each.likeness for each in reason.subscribers):
            raise
        text = _(
            "This may be a subscriber that you already have. Use that subscriber, or tick that it "
            "is a new one."
        )
        raise LikelyPayers(text, reason.subscribers) from None
    if terms.payer_id is None:
        raise Invalid(_("Choose who gets the subscription."), field="payer_find")
    kept = await get_kept_id(tx, account.id, terms.payer_id)
    await require_not_erased(tx, account.id, [kept])
    return kept


async def _find_address(
    tx: Transaction, account_id: int, to_id: str, ids: Sequence[str]
) -> PostalFields:
    """The address of the new subscriber. Raises: Invalid if none is known, or one is planned."""
    if await changes.list_planned(tx, account_id, ids):
        raise Invalid(
            _(
                "A change of address is planned for this subscription. Cancel it first, or let the "
                "copies go to the current address."
            ),
            code=ADDRESS_PLANNED,
            field="takes_address",
        )
    address = await find_address(tx, account_id, to_id)
    if address is None:
        raise Invalid(
            _(
                "No postal address is known of this subscriber. Add it on their page first, or let "
                "the copies go to the current address."
            ),
            code="no_address",
            field="takes_address",
        )
    return address


async def _bill(
    tx: Transaction, account: Account, ids: Sequence[str], to_id: str, move: Move, *, by: Actor
) -> list[str]:
    """Let the invoice of the last order follow, if it is to; returns the ids of what was issued."""
    listed = await periods.list_periods(tx, account.id, ids)
    billed = await orders.find_invoices(tx, account.id, [listed[each][-1].id for each in ids])
    if move.choice is not InvoiceChoice.REPLACE or not billed:
        return []
    payer = await make_payer(tx, account.id, to_id)
    if waiting := [period for period, invoice_id in billed.items() if invoice_id is None]:
        await orders.rebill(
            tx,
            account.id,
            waiting,
            payer_id=payer.subscriber_id,
            order_reference="",
            due_days=None,
            is_debited=False,
        )
    of_invoice = defaultdict[str, list[int]](list)
    for period, invoice_id in billed.items():
        if invoice_id is not None:
            of_invoice[invoice_id].append(period)
    made = []
    for invoice_id, only in of_invoice.items():
        terms = BillingTerms(payer_id=payer.subscriber_id)
        try:
            taken = await take_back(
                tx, account, invoice_id, terms, only=only, reason=move.reason, by=by
            )
        except Invalid as refusal:
            if refusal.code != "credited":
                raise
            continue  # nothing of it is owed any more
        correction = await bill_again(tx, account, taken, terms, by=by)
        made += [correction.credit_note_id, *correction.invoice_ids]
    return made
