"""The list of invoices, and the page of one."""

from collections.abc import Collection
from functools import partial
from typing import Any

from starlette.responses import Response

from masthead.model.billing.credits import credited_before, left_of
from masthead.model.billing.documents import DocumentKind, join_copies
from masthead.model.billing.lists import Shown
from masthead.model.billing.resources import InvoiceStatus, status_of
from masthead.model.debits.rules import IN_PROGRESS
from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.queries import InvoiceQuery
from masthead.model.resources import Subscription
from masthead.model.subscriptions.groups import group_subscriptions
from masthead.model.translations import gettext_noop, language_of
from masthead.services.billing.files.wording import converted_sentence
from masthead.services.billing.find import list_invoices as find_listed
from masthead.services.history.entries import View, history_of_invoice
from masthead.services.pdf_process import expect_pdf
from masthead.store import accounts
from masthead.store.billing import balances, invoices as store, open_sums, payments
from masthead.store.billing.credit_notes import find_fully_credited
from masthead.store.billing.emails import find_emailed
from masthead.store.billing.replacements import list_replacements
from masthead.store.billing.unsent import list_posted, list_unsent
from masthead.store.debits import records as debit_store, settings as debit_settings
from masthead.store.engine.interface import Connection
from masthead.store.holds import records as holds
from masthead.store.read_model.subscription_query import find_subscriptions
from masthead.store.reminders import records as reminder_store, terms
from masthead.store.subscriptions import records as subscriptions
from masthead.web.billing.words import return_words, sent_words, status_words, tax_words
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.formatting import get_locale, number_in, rate_in

MAX_SUBSCRIPTIONS = 20  # that an invoice shows
SHOWN = {
    Shown.ALL: gettext_noop("All invoices"),
    Shown.OPEN: gettext_noop("Open"),
    Shown.OVERDUE: gettext_noop("Overdue"),
    Shown.UNSENT: gettext_noop("Not sent yet"),
    Shown.CREDIT: gettext_noop("Credit notes to pay back or use"),
}


async def list_invoices(context: PageContext) -> Response:
    """The invoices and credit notes: newest first, or open ones by their due date."""
    filters = read_filters(context, InvoiceQuery)
    today = context.membership.daily_date
    variables: dict[str, Any] = {
        "filters": filters,
        "shown": SHOWN,
        "today": today,
        "words_of": partial(status_words, today=today),
    }
    template = "billing/invoices.html"
    try:
        query, request = decode_filters(context, InvoiceQuery)
    except Invalid as reason:
        return context.render(
            template,
            page=None,
            problem=str(reason),
            waiting=(),
            **variables,
        )
    async with context.db.replica.read(aside=True) as db:
        waiting = await balances.list_payers_waiting(db, context.account_id, after="", limit=1)
        page = await find_listed(
            db,
            context.account_id,
            request,
            shown=query.show or Shown.ALL,
            search=query.search or "",
            payer_id=query.payer or "",
            today=today,
        )
        ids = [each.id for each in page.items]
        credited = await find_fully_credited(db, context.account_id, ids)
        unsent = await list_unsent(db, context.account_id, ids)
    return context.render(
        template,
        page=page,
        problem="",
        waiting=waiting,
        credited=credited,
        unsent=unsent,
        **variables,
    )


async def show_invoice(context: PageContext) -> Response:
    """What an invoice says, what is open of it, what settled it, and its history.

    Raises: NotFound.
    """
    id, today = context.path["id"], context.membership.daily_date
    async with context.db.read(aside=True) as db:
        invoice = await store.get_invoice(db, context.account_id, id)
        document = invoice.document
        settled = await payments.list_settlements(db, context.account_id, id)
        notes = await store.list_credit_notes(db, context.account_id, id)
        others = {
            name
            for each in settled
            for name in (each.invoice_id, each.credit_note_id)
            if name not in (None, id)
        } | ({invoice.corrects_id} if invoice.corrects_id else set())
        beside = await store.list_invoices(db, context.account_id, sorted(filter(None, others)))
        paid = {each.payment_id or each.payback_id for each in settled}
        received = await payments.list_payments(db, context.account_id, sorted(filter(None, paid)))
        sums = await open_sums.sum_of_payer(db, context.account_id, invoice.payer_id, today=today)
        orders = await balances.find_subscription_of_orders(
            db, context.account_id, [line.period_id for line in document.lines]
        )
        history = await history_of_invoice(
            db,
            context.account_id,
            [id, *(each.id for each in notes)],
            [each.id for each in received],
            View(number=partial(number_in, locale=get_locale(context.locale))),
        )
        replacements = (
            await list_replacements(db, context.account_id, id)
            if invoice.kind is DocumentKind.INVOICE
            else []
        )
        account = await accounts.get_account(db, context.account_id)
        emailed = await find_emailed(db, context.account_id, [id])
        is_posted = bool(await list_posted(db, context.account_id, [id]))
        debits = await debit_store.list_of_invoice(db, context.account_id, id)
        collects = await debit_settings.find_settings(db, context.account_id) is not None
        term = await terms.get_term(db, context.account_id, id)
        stop = await terms.find_stop(db, context.account_id, invoice.payer_id)
        reminders = await reminder_store.list_of_invoice(db, context.account_id, id)
        holds_of = await holds.list_of_invoice(db, context.account_id, id)
        waiting = {each.subscription_id for each in holds_of if each.is_open}
        held = await _find_groups(db, context.account_id, waiting)
        paid_for = await _find_groups(db, context.account_id, set(orders.values()))
    credit = next((each.credit for each in sums if each.currency == document.currency), 0)
    left = left_of(document, credited_before(each.document for each in notes))
    language = language_of(document.language)
    other_language = language if language != language_of(context.locale) else ""
    expect_pdf()
    return context.render(
        "billing/invoice.html",
        invoice=invoice,
        document=document,
        lines=join_copies(document.lines),
        other_language=other_language,
        converted=converted_sentence(document),
        is_late=status_of(invoice.open_amount, document.due_date, today) is InvoiceStatus.OVERDUE,
        status_text=status_words(
            invoice.open_amount,
            document.due_date,
            today=today,
            is_credited=bool(notes) and not sum(left.values()),
        ),
        is_credit_note=invoice.kind is DocumentKind.CREDIT_NOTE,
        is_fee=invoice.kind is DocumentKind.FEE,
        sent_text=sent_words(emailed.get(id), is_posted=is_posted),
        is_posted=is_posted,
        may_post=id not in emailed and not is_posted,
        term=term,
        stop=stop,
        reminders=reminders,
        open_fees=sum(each.open_fee for each in reminders if each.fee_id != invoice.id),
        held=held,
        settled=settled,
        notes=notes,
        replacements=replacements,
        documents={each.id: each.document for each in beside},
        received={each.id: each for each in received},
        subscriptions=paid_for,
        max_subscriptions=MAX_SUBSCRIPTIONS,
        credit=credit,
        left=sum(left.values()),
        debits=debits,
        in_progress=next((each.status for each in debits if each.status in IN_PROGRESS), None),
        collects=collects,
        return_words=return_words,
        may_bill=context.membership.may(Right.BILL),
        history=history,
        home=account.country,
        percent=lambda rate: rate_in(rate, get_locale(context.locale)),
        url_of=partial(record_url, context),
        log_url=lambda _group: "",
        tax_words=tax_words,
    )


async def _find_groups(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[tuple[Subscription, int]]:
    """Subscriptions, several copies for one address as one, each with the number of its copies.

    Queries: three or four, read aside; none without ids.
    """
    if not ids:
        return []
    rows = await subscriptions.find_rows(db, account_id, ids)
    groups = group_subscriptions(rows[id] for id in sorted(rows))
    found = await find_subscriptions(db, account_id, [each.first.id for each in groups])
    return [(found[each.first.id], len(each.members)) for each in groups]


def record_url(context: PageContext, record: tuple[str, str]) -> str:
    """The address of an invoice or a payment in a history; empty for other records."""
    parts = {"invoice": "invoices", "payment": "payments"}
    return context.url("money", parts[record[0]], record[1]) if record[0] in parts else ""
