"""Lists of invoices and payments, by pages."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date

from masthead.model.billing.lists import InvoiceItem, PaymentItem, SettledDocument, Shown
from masthead.model.ids import LAST_ID
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.billing.unsent import IS_UNSENT, MARKS
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

_COLUMNS = """
    id,
    kind,
    number,
    payer_id,
    payer_name,
    issue_date,
    due_date,
    currency,
    net,
    vat,
    total,
    open_amount
"""


async def list_invoices(db: Connection, account_id: int, request: PageRequest) -> Page[InvoiceItem]:
    """All invoices and credit notes, newest first. Queries: one. Index: invoice_pk."""
    found = await fetch_all(
        db,
        f"""
        SELECT {_COLUMNS}
        FROM invoice
        WHERE account_id = :account_id AND id < :after
        ORDER BY id DESC
        LIMIT :limit
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "after": request.after_id, "limit": request.fetch},
        into=InvoiceItem,
    )
    return cut_page(found, request)


async def list_open(
    db: Connection, account_id: int, request: PageRequest, *, today: date, shown: Shown
) -> Page[InvoiceItem]:
    """The documents that are open, overdue, unsent or credit: what was due first comes first.

    Credit notes that are not used are open, too. Queries: one. Index: invoice_by_due_date.
    """
    day, _, id = (request.after or "0001-01-01/").partition("/")
    found = await fetch_all(
        db,
        f"""
        SELECT {_COLUMNS}
        FROM invoice
        WHERE account_id = :account_id
          AND open_amount <> 0
          AND (due_date, id) > (:day, :after)
          AND (NOT :only_overdue OR (due_date < :today AND open_amount > 0))
          AND (NOT :only_credit OR open_amount < 0)
          AND ({IS_UNSENT if shown is Shown.UNSENT else "1 = 1"})
        ORDER BY due_date, id
        LIMIT :limit
        """,  # noqa: S608 - our own names
        {
            **MARKS,
            "account_id": account_id,
            "day": date.fromisoformat(day),
            "after": id,
            "only_overdue": shown is Shown.OVERDUE,
            "only_credit": shown is Shown.CREDIT,
            "today": today,
            "limit": request.fetch,
        },
        into=InvoiceItem,
    )
    return cut_page(found, request, key="key")


async def find_invoices(
    db: Connection,
    account_id: int,
    request: PageRequest,
    *,
    numbers: Collection[str] = (),
    payer_ids: Collection[str] = (),
    today: date,
    shown: Shown = Shown.ALL,
) -> Page[InvoiceItem]:
    """The invoices with these numbers or of these payers, newest first. Queries: one.

    Indexes: invoice_number, invoice_by_payer.
    """
    found = await fetch_all(
        db,
        f"""
        SELECT {_COLUMNS}
        FROM invoice
        WHERE account_id = :account_id
          AND id IN (
              SELECT id FROM invoice WHERE account_id = :account_id AND number IN (:numbers...)
              UNION ALL
              SELECT id FROM invoice WHERE account_id = :account_id AND payer_id IN (:payers...)
          )
          AND id < :after
          AND (NOT :only_open OR open_amount <> 0)
          AND (NOT :only_overdue OR (due_date < :today AND open_amount > 0))
          AND (NOT :only_credit OR open_amount < 0)
          AND ({IS_UNSENT if shown is Shown.UNSENT else "1 = 1"})
        ORDER BY id DESC
        LIMIT :limit
        """,  # noqa: S608 - our own names
        {
            **MARKS,
            "account_id": account_id,
            "numbers": list(numbers),
            "payers": list(payer_ids),
            "after": request.after_id,
            "only_open": shown is Shown.OPEN,
            "only_overdue": shown is Shown.OVERDUE,
            "only_credit": shown is Shown.CREDIT,
            "today": today,
            "limit": request.fetch,
        },
        into=InvoiceItem,
    )
    return cut_page(found, request)


async def list_open_ids(db: Connection, account_id: int, payer_id: str) -> list[str]:
    """The open invoices of a payer, without credit notes. Queries: one. Index: invoice_by_payer."""
    rows = await db.fetch_all(
        """
        SELECT id
        FROM invoice
        WHERE account_id = :account_id AND payer_id = :payer_id AND open_amount > 0
        ORDER BY id
        """,
        {"account_id": account_id, "payer_id": payer_id},
    )
    return [row["id"] for row in rows]


_PAYMENT = """
    SELECT
        p.id,
        p.payer_id,
        coalesce(
            nullif(trim(coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, '')), ''),
            u.company,
            u.email
        ) AS payer_name,
        p.payment_date,
        p.amount,
        p.currency,
        p.method,
        p.reference,
        p.unused_amount,
        p.undone_at IS NOT NULL AS is_undone
    FROM payment p
    LEFT JOIN subscriber u ON u.account_id = p.account_id AND u.id = p.payer_id
    WHERE p.account_id = :account_id
"""


async def list_payments(db: Connection, account_id: int, request: PageRequest) -> Page[PaymentItem]:
    """All payments, those recorded last first. Queries: one. Index: payment_pk."""
    found = await fetch_all(
        db,
        _PAYMENT
        + """
          AND p.id < :after
        ORDER BY p.id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "after": request.after_id, "limit": request.fetch},
        into=PaymentItem,
    )
    return cut_page(found, request)


async def find_payments(
    db: Connection,
    account_id: int,
    request: PageRequest,
    *,
    payer_ids: Collection[str] | None = None,
    only_unused: bool,
) -> Page[PaymentItem]:
    """The payments of these payers, or all of which something is left. Queries: one.

    Indexes: payment_by_payer, payment_unused.
    """
    found = await fetch_all(
        db,
        _PAYMENT
        + ("  AND p.payer_id IN (:payers...)" if payer_ids is not None else "")
        + ("  AND p.unused_amount <> 0" if only_unused else "")
        + """
          AND p.id < :after
        ORDER BY p.id DESC
        LIMIT :limit
        """,
        {
            "account_id": account_id,
            "payers": list(payer_ids or ()),
            "after": request.after_id or LAST_ID,
            "limit": request.fetch,
        },
        into=PaymentItem,
    )
    return cut_page(found, request)


async def find_settled(
    db: Connection, account_id: int, payment_ids: Collection[str]
) -> Mapping[str, list[SettledDocument]]:
    """What payments were for, by payment, oldest first; of one that came back, what it had settled.

    Queries: one. CROSS JOIN keeps SQLite from reading all invoices. Indexes:
    settlement_by_payment, settlement_by_payback.
    """
    rows = await db.fetch_all(
        """
        SELECT s.payment_id, i.id, i.number
        FROM payment p
        CROSS JOIN settlement s
        CROSS JOIN invoice i
        WHERE p.account_id = :account_id AND p.id IN (:ids...)
          AND s.account_id = p.account_id AND s.payment_id = p.id
          AND i.account_id = s.account_id AND i.id = s.invoice_id
        UNION
        SELECT b.payback_id, i.id, i.number
        FROM payment p
        CROSS JOIN settlement b
        CROSS JOIN settlement s
        CROSS JOIN invoice i
        WHERE p.account_id = :account_id AND p.id IN (:ids...) AND p.amount < 0
          AND b.account_id = p.account_id AND b.payback_id = p.id
          AND s.account_id = b.account_id AND s.payment_id = b.payment_id AND s.amount < 0
          AND i.account_id = s.account_id AND i.id = s.invoice_id
        UNION
        SELECT b.payback_id, i.id, i.number
        FROM payment p
        CROSS JOIN settlement b
        CROSS JOIN invoice i
        WHERE p.account_id = :account_id AND p.id IN (:ids...) AND p.amount < 0
          AND b.account_id = p.account_id AND b.payback_id = p.id
          AND i.account_id = b.account_id AND i.id = b.credit_note_id
        ORDER BY 2
        """,
        {"account_id": account_id, "ids": list(payment_ids)},
    )
    found: defaultdict[str, list[SettledDocument]] = defaultdict(list)
    for row in rows:
        found[row["payment_id"]].append(SettledDocument(row["id"], row["number"]))
    return found
