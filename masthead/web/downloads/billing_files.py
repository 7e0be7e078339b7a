"""The files of the lists of invoices and payments."""

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.exchange_rates import ConvertedVat
from masthead.model.billing.lists import InvoiceItem, PaymentItem, SettledDocument, Shown
from masthead.model.billing.statements import BankLineQuery, StoredLine
from masthead.model.file_names import file_name_noop
from masthead.model.pagination import Page, PageRequest
from masthead.model.queries import InvoiceQuery, PaymentQuery
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.money import money_text
from masthead.services.billing.find import list_invoices, list_payments
from masthead.store.billing.bank_statements import list_lines
from masthead.store.billing.credit_notes import find_fully_credited
from masthead.store.billing.invoices import find_converted
from masthead.store.billing.lists import find_settled
from masthead.store.debits.collections import NumberedCollection, find_of_lines
from masthead.store.engine.interface import Connection
from masthead.web.billing.words import return_words, status_words
from masthead.web.downloads.list_file import ListFile, Parts, read_pages, read_query
from masthead.web.kit.context import PageContext

_INVOICES = (
    "number kind payer issue_date due_date status currency net vat total open_amount vat_converted "
    "vat_currency exchange_rate subscriber_id"
).split()
_PAYMENTS = (
    "payment_date payer method invoices reference currency amount unused_amount is_undone "
    "subscriber_id"
).split()

_BANK_LINES = (
    "payment_date payer ultimate_name iban currency amount reference text status invoices reason"
).split()
_KINDS = {
    DocumentKind.INVOICE: gettext_noop("invoice"),
    DocumentKind.CREDIT_NOTE: gettext_noop("credit note"),
    DocumentKind.FEE: gettext_noop("reminder fee"),
}


def _read_invoices(context: PageContext) -> Parts:
    query, _is_ascending = read_query(context, InvoiceQuery)
    today = context.membership.daily_date
    credited, converted = set[str](), dict[str, ConvertedVat]()

    async def list_page(db: Connection, request: PageRequest) -> Page[InvoiceItem]:
        page = await list_invoices(
            db,
            context.account_id,
            request,
            shown=query.show or Shown.ALL,
            search=query.search or "",
            payer_id=query.payer or "",
            today=today,
        )
        ids = [each.id for each in page.items]
        credited.update(await find_fully_credited(db, context.account_id, ids))
        converted.update(await find_converted(db, context.account_id, ids))
        return page

    def row(item: InvoiceItem) -> dict[str, Any]:
        sign = -1 if item.kind is DocumentKind.CREDIT_NOTE else 1
        amounts = {"net": item.net, "vat": item.vat, "total": item.total}
        own = converted.get(item.id)
        return {
            **structs.asdict(item),
            "kind": _(_KINDS[item.kind]),
            "payer": item.payer_name,
            "status": status_words(
                item.open_amount, item.due_date, today=today, is_credited=item.id in credited
            ),
            **{name: money_text(sign * it, item.currency) for name, it in amounts.items()},
            "open_amount": money_text(item.open_amount, item.currency),
            "vat_converted": money_text(sign * own.vat, own.currency) if own else "",
            "vat_currency": own.currency if own else "",
            "exchange_rate": own.rate.text if own else "",
            "subscriber_id": item.payer_id,
        }

    return read_pages(context, list_page, row)


def _read_payments(context: PageContext) -> Parts:
    query, _is_ascending = read_query(context, PaymentQuery)
    settled: Mapping[str, list[SettledDocument]] = {}

    async def list_page(db: Connection, request: PageRequest) -> Page[PaymentItem]:
        nonlocal settled
        page = await list_payments(
            db,
            context.account_id,
            request,
            only_unused=query.show is not None,
            search=query.search or "",
            payer_id=query.payer or "",
        )
        settled = await find_settled(db, context.account_id, [it.id for it in page.items])
        return page

    def row(item: PaymentItem) -> dict[str, Any]:
        return {
            **structs.asdict(item),
            "payer": item.payer_name,
            "method": _(item.method.value),
            "invoices": ", ".join(each.number for each in settled.get(item.id, ())),
            "amount": money_text(item.amount, item.currency),
            "unused_amount": money_text(item.unused_amount, item.currency),
            "subscriber_id": item.payer_id,
        }

    return read_pages(context, list_page, row)


def _read_bank_lines(context: PageContext) -> Parts:
    query, _is_ascending = read_query(context, BankLineQuery)
    settled: Mapping[str, list[SettledDocument]] = {}
    booked: Mapping[str, NumberedCollection] = {}

    async def list_page(db: Connection, request: PageRequest) -> Page[StoredLine]:
        nonlocal settled, booked
        page = await list_lines(db, context.account_id, query, request)
        ids = [each.payment_id for each in page.items if each.payment_id]
        settled = await find_settled(db, context.account_id, ids)
        batches = [each.id for each in page.items if each.is_batch]
        booked = await find_of_lines(db, context.account_id, batches)
        return page

    def settles(line: StoredLine) -> str:
        if line.id in booked:
            return _("Collection %(number)s") % {"number": booked[line.id].number}
        return ", ".join(each.number for each in settled.get(line.payment_id or "", ()))

    def row(line: StoredLine) -> dict[str, Any]:
        return {
            **structs.asdict(line),
            "payment_date": line.booking_date,
            "payer": line.name,
            "amount": money_text(line.amount, line.currency),
            "status": line.status.words,
            "invoices": settles(line),
            "reason": line.reason or (return_words(line.return_reason) if line.is_return else ""),
        }

    return read_pages(context, list_page, row)


BILLING_FILES = {
    "invoices": ListFile(
        gettext_noop("Invoices"),
        file_name_noop("invoices-{day}.{ending}"),
        _INVOICES,
        _read_invoices,
    ),
    "payments": ListFile(
        gettext_noop("Payments"),
        file_name_noop("payments-{day}.{ending}"),
        _PAYMENTS,
        _read_payments,
    ),
    "bank-lines": ListFile(
        gettext_noop("Payments on the statements"),
        file_name_noop("bank-lines-{day}.{ending}"),
        _BANK_LINES,
        _read_bank_lines,
    ),
}
