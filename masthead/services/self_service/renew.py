"""Renew a subscription by an invoice: an order like that of the desk, which its payer places."""

from collections.abc import Sequence

from msgspec import structs

from masthead.model.actors import BY_SUBSCRIBER
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.orders import Buyer, Taxation
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.supply import SupplyEnd, end_of_renewal
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.ids import new_id
from masthead.model.orders.order import OrderDefaults
from masthead.model.orders.references import is_open
from masthead.model.self_service.renewals import (
    CANNOT_RENEW,
    RenewalOffer,
    can_renew,
    owner_of,
    payer_of,
)
from masthead.model.self_service.settings import Action
from masthead.model.subscriptions.renewals import Renewal, next_first_day
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.translations import gettext as _, ngettext
from masthead.model.types.full_names import full_name
from masthead.model.types.product_names import known_product
from masthead.services.billing.files.wording import day_writer, money_writer
from masthead.services.billing.pricing import Sold, add_vat
from masthead.services.self_service.actions import Caller, finish, require_allowed
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.renew import list_ends, renew_together
from masthead.services.subscriptions.renewal_prices import price_copies
from masthead.store import sources
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, orders, paid_for, payers, settings as billing
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.products import list_products
from masthead.store.subscriptions import periods, records as subscriptions


async def find_offer(db: Connection, caller: Caller, id: str) -> RenewalOffer:
    """What the renewal of a subscription, with all its copies, costs today. Queries: about 20.

    Raises: NotFound unless the caller pays for it: their own one, a gift from them, or one that
    they get the invoices for. Invalid, in words for subscribers, if it cannot be renewed here.
    """
    account = caller.page.account
    row = await _find_row(db, caller, id)
    settings = await billing.find_settings(db, account.id)
    if settings is None or not can_renew(
        row.status, is_comp=row.is_comp, is_recurring=row.is_recurring
    ):
        raise _not_here()
    ids = (await get_bundle(db, account.id, id)).group.ids
    listed = await periods.list_periods(db, account.id, ids)
    newest = [listed[each][-1] for each in ids]
    await _require_payer(db, caller, row, ids)
    await _require_paid(db, account.id, newest)
    active = {each.id: each for each in await list_products(db, account.id) if each.is_active}
    product = active.get(row.product_id)
    source_id = await _find_source(db, account.id, newest[0].source_id or row.source_id)
    currency = newest[0].currency
    found = await price_copies(db, account, row, newest)
    price, has_price = found.amount, found.is_of_product
    adds_vat = settings.adds_vat_on(account.daily_date)
    if not has_price and (adds_vat or any(each.currency != currency for each in newest)):
        raise _not_here()  # what was paid has its VAT already, and is in one currency
    if product is None or source_id is None or not price:
        raise _not_here()
    offered, is_own = product if has_price else None, row.subscriber_id == caller.subscriber.id
    last, end = newest[0].last_issue, newest[0].period_end
    first_day = None if end is None else next_first_day(end, account.daily_date)
    supplied = end_of_renewal(
        newest[0],
        length=offered.length if offered else None,
        months=offered.interval_months if offered else None,
        start=first_day,
    )
    total = await _total_of(db, account, settings, row, price, caller.subscriber.id, supplied)
    payer = (await payers.find_payers(db, account.id, [caller.subscriber.id])).get(
        caller.subscriber.id
    )
    return RenewalOffer(
        ids=ids,
        product=known_product(product.name) or account.name,
        name="" if is_own else full_name(row.first_name, row.last_name, row.company, ""),
        price=price,
        total=total,
        currency=currency,
        has_vat=not settings.vat_on(account.daily_date).is_small_business,
        length=None if last is None else (offered and offered.length) or newest[0].length,
        first_issue=None if last is None else last + 1,
        interval_months=(
            None
            if end is None
            else (offered and offered.interval_months) or newest[0].interval_months
        ),
        first_day=first_day,
        source_id=source_id,
        due_days=settings.due_days,
        waits=payer is not None and payer.bills_together,
        ends=[each.seen for each in await list_ends(db, account.id, ids)],
    )


async def _find_row(db: Connection, caller: Caller, id: str) -> StoredSubscription:
    """A subscription that the caller pays for, or would pay for if nobody else was billed.

    Raises: NotFound.
    """
    row = (await subscriptions.find_rows(db, caller.account_id, [id])).get(id)
    if row is not None:
        billed = (await paid_for.find_payers(db, caller.account_id, [id])).get(id)
        if caller.subscriber.id in (owner_of(row), payer_of(row, billed)):
            return row
    raise NotFound("subscription", id)


def _not_here() -> Invalid:
    text = _("This subscription cannot be renewed here. Please write to us.")
    return Invalid(text, code=CANNOT_RENEW)


async def _require_payer(
    db: Connection, caller: Caller, row: StoredSubscription, ids: Sequence[str]
) -> None:
    """Raises: Invalid if another subscriber is billed for one of the copies."""
    billed = await paid_for.find_payers(db, caller.account_id, ids)
    if {payer_of(row, billed.get(each)) for each in ids} != {caller.subscriber.id}:
        text = _("Somebody else gets the invoices for this subscription. Please write to us.")
        raise Invalid(text, code=CANNOT_RENEW)
    if await payers.find_address(db, caller.account_id, caller.subscriber.id) is None:
        text = _(
            "We do not know your postal address, which an invoice must have. Please write to us."
        )
        raise Invalid(text, code=CANNOT_RENEW)


async def _require_paid(db: Connection, account_id: int, newest: Sequence[StoredPeriod]) -> None:
    """Raises: Invalid if the last orders are not billed yet, or not paid."""
    billed = await orders.find_invoices(db, account_id, [each.id for each in newest])
    if None in billed.values():
        text = _("Your last order is not billed yet. You get the invoice soon.")
        raise Invalid(text, code=CANNOT_RENEW)
    ids = sorted({id for id in billed.values() if id})
    for invoice in (await invoices.find_open(db, account_id, ids)).values():
        if invoice.open_amount > 0:
            text = _("Invoice {number} for your last order is not paid yet. Please pay it first.")
            raise Invalid(text.format(number=invoice.number), code=CANNOT_RENEW)


async def _find_source(db: Connection, account_id: int, last: str) -> str | None:
    """The source of the last order if it can have orders still, or else the newest such source."""
    found = [each.id for each in await sources.list_all_sources(db, account_id) if is_open(each)]
    return last if last in found else next(reversed(found), None)


async def _total_of(
    db: Connection,
    account: Account,
    settings: BillingSettings,
    row: StoredSubscription,
    price: int,
    payer_id: str,
    end: SupplyEnd,
) -> int:
    """What the payer will owe, with VAT. Raises: Invalid if a rate is missing."""
    sold = Sold(
        price=price,
        product_id=row.product_id,
        medium=row.medium,
        country=row.country,
        payer_id=payer_id,
        end=end,
    )
    try:
        total = await add_vat(db, account, sold)
        if total is None:  # the price has its VAT already; a rate must be known to say it
            taxation = Taxation(
                settings=settings,
                rates=await billing.list_rates(db, account.id),
                day=account.daily_date,
            )
            taxation.with_vat_added(
                price,
                product_id=row.product_id,
                medium=row.medium,
                country=row.country,
                buyer=Buyer(row.country),
            )
    except Invalid:
        raise _not_here() from None
    return price if total is None else total


async def renew(
    db: Database, caller: Caller, id: str, *, seen: str, placeholder_domain: str
) -> RenewalOffer:
    """Order a renewal, and email the invoice; returns what was ordered.

    seen: `RenewalOffer.seen` of what the subscriber agreed to. Call it in the transaction of a
    form. Raises: NotFound, Invalid.
    """
    await require_allowed(db, caller, Action.RENEW_BY_INVOICE)
    offer = await find_offer(db, caller, id)
    if offer.seen != seen:
        raise _changed()
    day = caller.page.account.daily_date
    renewal = Renewal(
        order_id=f"MY-{day:%Y%m%d}-{new_id(caller.account_id)[-8:]}",
        order_date=day,
        price=offer.price,
        currency=offer.currency,
        length=offer.length,
        interval_months=offer.interval_months,
        period_start=offer.first_day,
    )
    try:
        made = await renew_together(
            db,
            caller.account_id,
            offer.ids,
            renewal,
            source_id=offer.source_id,
            terms=BillingTerms(payer_id=caller.subscriber.id),
            seen=offer.ends,
            defaults=OrderDefaults(caller.page.account.currency, placeholder_domain),
            by=BY_SUBSCRIBER,
        )
    except Invalid as reason:
        raise (_changed() if reason.code == CHANGED_MEANWHILE else _not_here()) from reason
    await _confirm(db, caller, offer, made)
    return offer


def _changed() -> Invalid:
    text = _("The renewal has changed since you opened the page. Check it, and order again.")
    return Invalid(text, code=CHANGED_MEANWHILE)


async def _confirm(
    db: Database, caller: Caller, offer: RenewalOffer, invoice_ids: Sequence[str]
) -> None:
    """List the renewal for the desk, and confirm it by an email with the invoice."""
    copies = f" ({offer.count}×)" if offer.count > 1 else ""
    if offer.last_issue is not None:
        span = _("Issues {first} to {last}").format(first=offer.first_issue, last=offer.last_issue)
    else:
        months = offer.interval_months or 0
        span = ngettext("{count} month", "{count} months", months).format(count=months)
    text = _("You renewed {product}{copies}: {span}.")
    if offer.name:
        text = _("You renewed {product}{copies} for {name}: {span}.")
    what = text.format(product=offer.product, copies=copies, name=offer.name, span=span)
    if not invoice_ids:
        what = f"{what} " + _("You get one invoice for all of your orders.")
        await finish(db, caller, Action.RENEW_BY_INVOICE, what)
        return
    [invoice] = await invoices.list_invoices(db, caller.account_id, invoice_ids)
    document = invoice.document
    as_read = structs.replace(document, language=caller.page.locale)  # the email has its language
    text = _(
        "Attached is invoice {number}. Please pay {total} by {due}, with {number} as the reference."
    ).format(
        number=document.number,
        total=money_writer(as_read)(document.total),
        due=day_writer(as_read.language)(document.due_date),
    )
    await finish(db, caller, Action.RENEW_BY_INVOICE, f"{what} {text}", invoice_id=invoice.id)

    async def work(tx: Transaction) -> None:
        after = {"number": document.number, "recipient": caller.subscriber.email}
        entry = NewEntry(EntryType.INVOICE_EMAIL, invoice.id, None, after)
        await trail.record(tx, caller.account_id, BY_SUBSCRIBER, [entry])

    await db.write(work, account_id=caller.account_id)
