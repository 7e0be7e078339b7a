"""The lists of invoices and payments, newest first."""

from msgspec import Struct

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.inputs import InvoiceFilters, PaymentFilters
from masthead.model.billing.resources import InvoiceResource, InvoiceStatus, PaymentResource
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.billing.payments import StoredPayment
from masthead.store.billing.resources import show_invoices, show_payments
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import to_struct
from masthead.store.pagination import PaginatedList, fetch_page
from masthead.store.subscribers.conditions import is_of_subscriber

# Whether something is owed, and whether it is overdue
_STATUS = """
    i.open_amount <> 0
    AND CASE
        WHEN i.open_amount > 0
            AND i.due_date < (
                SELECT daily_date FROM account_state WHERE account_id = :account_id
            )
        THEN 'overdue'
        ELSE 'open'
    END = :unsettled
"""
_OF_SUBSCRIPTION = """
    SELECT l.invoice_id AS id
    FROM period p
    JOIN invoice_line l ON l.account_id = p.account_id AND l.period_id = p.id
    WHERE p.account_id = :account_id AND p.subscription_id = :subscription
"""
_OF_INVOICE = """
    SELECT t.payment_id AS id
    FROM settlement t
    WHERE t.account_id = :account_id AND t.invoice_id = :invoice AND t.payment_id IS NOT NULL
"""


def _of_payer(column: str) -> str:
    """The condition that a column has the payer, or the one whom they were merged into."""
    return is_of_subscriber(column).replace(":subscriber", ":payer")


INVOICES = PaginatedList(
    table="invoice",
    alias="i",
    conditions={
        "number": "i.number = :number",
        "payer": _of_payer("i.payer_id"),
        "subscription": f"i.id IN ({_OF_SUBSCRIPTION})",
        "unsettled": _STATUS,
        "is_settled": "(i.open_amount = 0) = :is_settled",
        "kind": "i.kind = :kind",
        "credit_notes": "i.kind = :credit_notes",
    },
    tables={
        "subscription": f"({_OF_SUBSCRIPTION})",
        "unsettled": f"(SELECT i.id FROM invoice i WHERE i.account_id = :account_id AND {_STATUS})",  # noqa: S608 - constants
        "credit_notes": (
            "(SELECT id FROM invoice WHERE account_id = :account_id"
            " AND corrects_id IS NOT NULL AND kind = :credit_notes)"
        ),
    },
    selective=("number", "payer"),
)
PAYMENTS = PaginatedList(
    table="payment",
    alias="p",
    conditions={
        "payer": _of_payer("p.payer_id"),
        "invoice": f"p.id IN ({_OF_INVOICE})",
    },
    tables={"invoice": f"({_OF_INVOICE})"},
    selective=("payer",),
)


class _Filters(Struct, frozen=True, kw_only=True):
    """The filters of invoices, by the index that has them. decision 0082.

    Few invoices are not settled, and few documents are credit notes: all of them are read, by an
    index. Of the others, the newest are read until a page is full.
    """

    number: str | None
    payer: str | None
    subscription: str | None
    unsettled: InvoiceStatus | None
    is_settled: bool | None
    kind: DocumentKind | None
    credit_notes: DocumentKind | None


def _filters_of(query: InvoiceFilters) -> _Filters:
    is_settled = query.status is InvoiceStatus.SETTLED
    is_credit = query.kind is DocumentKind.CREDIT_NOTE
    return _Filters(
        number=query.number,
        payer=query.payer,
        subscription=query.subscription,
        unsettled=None if is_settled else query.status,
        is_settled=True if is_settled else None,
        kind=None if is_credit else query.kind,
        credit_notes=query.kind if is_credit else None,
    )


async def list_invoices(
    db: Connection, account_id: int, query: InvoiceFilters, page: PageRequest
) -> Page[InvoiceResource]:
    """The invoices and credit notes that match the filters, newest first. Queries: two.

    Indexes: invoice_by_payer, invoice_number, invoice_by_due_date, invoice_line_by_period.
    """
    rows = await fetch_page(
        db,
        account_id,
        INVOICES,
        "SELECT i.id, i.kind, i.payer_id, i.open_amount, i.corrects_id, i.document, i.created_at",
        _filters_of(query),
        after=page.after_id,
        fetch=page.fetch,
    )
    found = [to_struct(row, StoredInvoice) for row in rows]
    return cut_page(await show_invoices(db, account_id, found), page)


async def list_payments(
    db: Connection, account_id: int, query: PaymentFilters, page: PageRequest
) -> Page[PaymentResource]:
    """The payments that match the filters, newest first. Queries: three at most.

    Indexes: payment_by_payer, settlement_by_invoice.
    """
    rows = await fetch_page(
        db,
        account_id,
        PAYMENTS,
        """
        SELECT p.id, p.payer_id, p.payment_date, p.amount, p.currency, p.method, p.reference,
            p.unused_amount, p.source_id, p.product_id, p.created_at, p.undone_at
        """,
        query,
        after=page.after_id,
        fetch=page.fetch,
    )
    found = [to_struct(row, StoredPayment) for row in rows]
    return cut_page(await show_payments(db, account_id, found), page)
