"""Issue invoices for orders. A number is taken in the transaction that stores the invoice."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.documents import DebitNotice, Document, DocumentKind
from masthead.model.billing.orders import convert_vat, lines_of, together
from masthead.model.billing.settings import BillingSettings, document_number
from masthead.model.billing.terms import BillingTerms, require_settings
from masthead.model.debits.rules import announced_day
from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.ids import new_id
from masthead.model.types.money import money_text
from masthead.services.billing.payers import (
    change_payer,
    find_default_payer,
    make_payer,
    write_payer,
)
from masthead.services.billing.pricing import find_taxation
from masthead.services.debits.mandates import write_mandate
from masthead.services.debits.mark import mark, require_mandate
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import (
    invoices,
    numbers,
    orders,
    payers as payer_store,
    settings as settings_store,
)
from masthead.store.billing.exchange_rates import list_exchange_rates
from masthead.store.billing.payers import StoredPayer
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.subscriptions import periods, records as subscriptions

_EVENTS = {
    DocumentKind.INVOICE: EntryType.INVOICE_ISSUE,
    DocumentKind.CREDIT_NOTE: EntryType.INVOICE_CREDIT,
    DocumentKind.FEE: EntryType.INVOICE_CHARGE_FEE,
}


async def bill_orders(
    tx: Transaction,
    account: Account,
    terms: BillingTerms,
    subscription_ids: Sequence[str],
    *,
    may_wait: bool = False,
    by: Actor,
) -> list[str]:
    """Bill the newest orders of subscriptions, which were just placed; returns the invoices' ids.

    If the terms name nobody, it is who was billed before, or else the giver or the subscriber.
    There is no invoice yet if the payer gets one for all of their orders, or if an exchange rate
    is missing and the order may wait for it.
    Raises: NotFound, Erased, Invalid.
    """
    by.require(Right.BILL)
    payer, period_ids = await _let_wait(tx, account, terms, subscription_ids, by=by)
    if payer.bills_together:
        return []
    try:
        return await issue(tx, account, payer.subscriber_id, period_ids=period_ids, by=by)
    except Invalid as reason:
        if may_wait and reason.code == "missing_exchange_rate":  # nothing is written for it yet
            return []
        raise


async def bill_entered(
    tx: Transaction,
    account: Account,
    terms: BillingTerms,
    subscription_ids: Sequence[str],
    *,
    by: Actor,
) -> list[str]:
    """Bill orders as `bill_orders` does. Those of a user who may not bill wait for their invoice.

    Raises: MissingRight if such an order is to be collected; as `bill_orders`.
    """
    if Right.BILL in by.rights:
        return await bill_orders(tx, account, terms, subscription_ids, by=by)
    if terms.is_debited or terms.bills_together:
        by.require(Right.BILL)
    await _let_wait(tx, account, terms, subscription_ids, by=by)
    return []


async def bill_or_wait(
    tx: Transaction, account: Account, terms: BillingTerms, subscription_id: str, *, by: Actor
) -> Invalid | None:
    """Bill the newest order of a subscription, or let it wait; returns why there is no invoice.

    None if there is one, or if the payer gets one for all of their orders. Raises: NotFound,
    Erased, Invalid if nobody can pay.
    """
    by.require(Right.BILL)
    payer, period_ids = await _let_wait(tx, account, terms, [subscription_id], by=by)
    if payer.bills_together:
        return None
    try:
        await issue(tx, account, payer.subscriber_id, period_ids=period_ids, by=by)
    except Invalid as reason:  # raised before anything is written
        return reason
    return None


async def _let_wait(
    tx: Transaction,
    account: Account,
    terms: BillingTerms,
    subscription_ids: Sequence[str],
    *,
    by: Actor,
) -> tuple[StoredPayer, list[int]]:
    """Let the newest orders of subscriptions wait for an invoice: who pays, and their periods.

    Raises: as those that call it.
    """
    settings = require_settings(await settings_store.find_settings(tx, account.id))
    first = subscription_ids[0]
    payer_id = terms.payer_id or await orders.find_last_payer(tx, account.id, first)
    if payer_id is None:
        row = (await subscriptions.find_rows(tx, account.id, [first]))[first]
        payer_id = await find_default_payer(tx, account.id, row)
    payer = await make_payer(tx, account.id, payer_id)
    if terms.vat_id or terms.bills_together or terms.department:
        payer = await change_payer(
            tx,
            account.id,
            payer,
            vat_id=terms.vat_id or payer.vat_id,
            bills_together=terms.bills_together or payer.bills_together,
            department=terms.department or None,
            by=by,
        )
    if terms.mandate:
        await write_mandate(tx, account, payer, terms.mandate, by=by)
    listed = await periods.list_periods(tx, account.id, subscription_ids)
    newest = [listed[id][-1].id for id in subscription_ids]
    rows = [
        {
            "period_id": id,
            "payer_id": payer.subscriber_id,
            "order_reference": terms.order_reference,
            "due_days": settings.due_days if terms.due_days is None else terms.due_days,
            "is_debited": terms.is_debited,
        }
        for id in newest
    ]
    await orders.insert_orders(tx, account.id, rows)
    return payer, newest


async def issue(
    tx: Transaction, account: Account, payer_id: str, *, period_ids: Collection[int] = (), by: Actor
) -> list[str]:
    """Issue the invoices for a payer's orders that are on none; returns their ids.

    period_ids: of the orders; empty for all. Orders in one currency with one order reference are on
    one invoice, due after the shortest time of them. Raises: Invalid.
    """
    pending = await orders.list_pending(tx, account.id, [payer_id], period_ids=period_ids)
    if not pending:
        return []
    taxation = await find_taxation(tx, account)
    settings, rates = taxation.settings, await list_exchange_rates(tx, account.id)
    stored = (await payer_store.find_payers(tx, account.id, [payer_id]))[payer_id]
    payer = await write_payer(tx, account.id, stored, settings.country)
    locale = account.locale_for(stored.language, payer.country)
    made = []
    for group in together(pending):
        day = await next_date(tx, account, settings)
        on_day = structs.replace(taxation, day=day)
        lines = lines_of(group, payer, on_day, locale)
        due = day + timedelta(days=min(each.due_days for each in group))
        debit, mandate = None, None
        if group[0].is_debited:
            debits, mandate = await require_mandate(
                tx, account, payer_id, name=payer.name, currency=group[0].currency
            )
            debit = DebitNotice(
                reference=mandate.reference,
                creditor_id=debits.creditor_id,
                iban=mandate.masked,
                day=announced_day(day, due, debits.notice_days),
                is_b2b=mandate.is_b2b,
            )
        converted = convert_vat(group, lines, on_day, rates)
        starts = [each.supplied_from for each in group]
        ends = [each.supplied_to for each in group]
        document = Document(
            kind=DocumentKind.INVOICE,
            number="",
            issue_date=day,
            due_date=due,
            currency=group[0].currency,
            language=locale,
            seller=settings.seller,
            payer=payer,
            lines=lines,
            order_reference=group[0].order_reference,
            supplied_from=min((day for day in starts if day), default=None),
            supplied_to=max((day for day in ends if day), default=None) if all(ends) else None,
            shows_net=not settings.prices_include_vat,
            debit=debit,
            converted=converted,
        )
        id = await write_document(tx, account, settings, document, by=by)
        billed = [each.period_id for each in group]
        await orders.update_invoice(tx, account.id, billed, id)
        if mandate and debit:
            await mark(tx, account, id, mandate, debit.day, by=by)
        made.append(id)
    return made


async def next_date(db: Connection, account: Account, settings: BillingSettings) -> date:
    """The date of the next number: today, but never before that of the number before it."""
    today = account.daily_date
    last = await invoices.find_last_date(db, account.id, settings.series_on(today))
    return max(today, last or today)


async def write_document(
    tx: Transaction,
    account: Account,
    settings: BillingSettings,
    document: Document,
    *,
    corrects_id: str | None = None,
    open_amount: int | None = None,
    series: str = "",
    by: Actor,
) -> str:
    """Give a document the next number, and store it; returns its id.

    document: still without a number. open_amount: by default all of it. series: by default that
    of invoices.
    """
    series = series or settings.series_on(document.issue_date)
    place = await numbers.take_number(tx, account.id, series)
    numbered = structs.replace(document, number=document_number(series, place))
    id = new_id(account.id)
    await invoices.insert_invoice(
        tx,
        account.id,
        id,
        numbered,
        series=series,
        series_number=place,
        corrects_id=corrects_id,
        open_amount=numbered.total if open_amount is None else open_amount,
        by=by,
    )
    kind = _EVENTS[document.kind]
    after = {
        "number": numbered.number,
        "payer": numbered.payer.name,
        "total": money_text(numbered.total, numbered.currency),
        "currency": numbered.currency,
    }
    if document.corrects:
        after |= {"corrects": document.corrects, "reason": document.reason}
    await trail.record(tx, account.id, by, [NewEntry(kind, id, None, after)])
    return id
