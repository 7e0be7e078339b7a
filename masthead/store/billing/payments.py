"""Payments, and the settlements by which they, credit notes and write-offs pay invoices.

A settlement goes from a payment or a credit note, or from neither if it is a write-off, to an
invoice, or to a payment that went back to the payer.
"""

from collections.abc import Collection
from datetime import date, datetime

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.ids import new_id
from masthead.model.types.enums import PaymentMethod
from masthead.store.billing import daily_sums
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.update_statement import update_row


class StoredPayment(Struct, frozen=True, kw_only=True):
    """A payment. amount: negative if it went back. unused_amount: what has settled nothing."""

    id: str
    payer_id: str | None
    payment_date: date
    amount: int
    currency: str
    method: PaymentMethod
    reference: str
    unused_amount: int
    source_id: str | None
    product_id: str | None
    created_at: datetime
    undone_at: datetime | None = None


class Settlement(Struct, frozen=True, kw_only=True):
    """What was settled. reason: of a write-off."""

    id: str
    invoice_id: str | None
    payback_id: str | None
    payment_id: str | None
    credit_note_id: str | None
    amount: int
    settled_date: date
    reason: str


_PAYMENT = """
    SELECT
        id,
        payer_id,
        payment_date,
        amount,
        currency,
        method,
        reference,
        unused_amount,
        source_id,
        product_id,
        created_at,
        undone_at
    FROM payment
    WHERE account_id = :account_id
"""


async def insert_payment(
    tx: Transaction,
    account_id: int,
    *,
    payer_id: str | None,
    payment_date: date,
    amount: int,
    currency: str,
    method: PaymentMethod,
    reference: str,
    sold: tuple[str | None, str | None],
    by: Actor,
) -> StoredPayment:
    """Add a payment that has settled nothing yet. Queries: one.

    sold: source and product of the first order that it is for, for the takings; None if unknown.
    """
    source_id, product_id = sold
    made = StoredPayment(
        id=new_id(account_id),
        payer_id=payer_id,
        payment_date=payment_date,
        amount=amount,
        currency=currency,
        method=method,
        reference=reference,
        unused_amount=amount,
        source_id=source_id,
        product_id=product_id,
        created_at=now(),
    )
    columns = {**structs.asdict(made), "actor_kind": by.kind, "actor_id": by.id}
    await insert_row(tx, "payment", account_id=account_id, **columns)
    return made


async def get_payment(db: Connection, account_id: int, id: str) -> StoredPayment:
    """A payment. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _PAYMENT + " AND id = :id", into=StoredPayment, noun="payment"
    )


async def list_payments(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[StoredPayment]:
    """Some payments, oldest first. Queries: one."""
    return await fetch_all(
        db,
        _PAYMENT + " AND id IN (:ids...) ORDER BY id",
        {"account_id": account_id, "ids": list(ids)},
        into=StoredPayment,
    )


async def list_unused(
    db: Connection, account_id: int, payer_id: str, *, currency: str
) -> list[StoredPayment]:
    """The payments of a payer of which something is left, oldest first. Index: payment_unused."""
    return await fetch_all(
        db,
        _PAYMENT
        + """
          AND payer_id = :payer_id
          AND currency = :currency
          AND unused_amount <> 0
        ORDER BY id
        """,
        {"account_id": account_id, "payer_id": payer_id, "currency": currency},
        into=StoredPayment,
    )


async def update_sold(
    tx: Transaction, account_id: int, id: str, source_id: str | None, product_id: str | None
) -> None:
    """Say what a payment is for, unless that is known. Queries: one, or six.

    The sums by day are locked first, so that nobody adds up the payment meanwhile.
    """
    parameters = {"account_id": account_id, "id": id}
    before = await tx.fetch_one(
        """
        SELECT source_id
        FROM payment
        WHERE account_id = :account_id AND id = :id AND product_id IS NULL
        """,
        parameters,
    )
    if before is None:
        return
    await daily_sums.lock_summed(tx, account_id)
    await tx.execute(
        """
        UPDATE payment
        SET source_id = :source_id, product_id = :product_id
        WHERE account_id = :account_id AND id = :id
        """,
        {**parameters, "source_id": source_id, "product_id": product_id},
    )
    await daily_sums.move_paid(tx, account_id, id, before["source_id"])


async def add_to_unused(tx: Transaction, account_id: int, id: str, amount: int) -> None:
    """Add to what is left of a payment; negative if it settled something. Queries: one."""
    await tx.execute(
        """
        UPDATE payment
        SET unused_amount = unused_amount + :amount
        WHERE account_id = :account_id AND id = :id
        """,
        {"account_id": account_id, "id": id, "amount": amount},
    )


async def update_undone(tx: Transaction, account_id: int, id: str) -> None:
    """Say that a payment was recorded by mistake. Queries: one."""
    await update_row(tx, account_id, "payment", id, undone_at=now(), unused_amount=0)


async def insert_settlement(
    tx: Transaction,
    account_id: int,
    *,
    amount: int,
    settled_date: date,
    invoice_id: str | None = None,
    payback_id: str | None = None,
    payment_id: str | None = None,
    credit_note_id: str | None = None,
    reason: str = "",
    by: Actor,
) -> str:
    """Add a settlement; returns its id. What is open or unused changes elsewhere. Queries: one."""
    id = new_id(account_id)
    await insert_row(
        tx,
        "settlement",
        account_id=account_id,
        id=id,
        invoice_id=invoice_id,
        payback_id=payback_id,
        payment_id=payment_id,
        credit_note_id=credit_note_id,
        amount=amount,
        settled_date=settled_date,
        reason=reason,
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    return id


SETTLEMENT = """
    SELECT
        id,
        invoice_id,
        payback_id,
        payment_id,
        credit_note_id,
        amount,
        settled_date,
        reason
    FROM settlement
    WHERE account_id = :account_id
"""


async def list_settlements(db: Connection, account_id: int, invoice_id: str) -> list[Settlement]:
    """What has settled an invoice, or what a credit note has settled, oldest first.

    Queries: one. Indexes: settlement_by_invoice, settlement_by_credit_note.
    """
    return await fetch_all(
        db,
        SETTLEMENT
        + """
          AND (invoice_id = :id OR credit_note_id = :id)
        ORDER BY id
        """,
        {"account_id": account_id, "id": invoice_id},
        into=Settlement,
    )


async def list_settled_by(
    db: Connection, account_id: int, payment_ids: Collection[str]
) -> list[Settlement]:
    """What payments have settled, and what payments back have used up, oldest first.

    Queries: one. Indexes: settlement_by_payment, settlement_by_payback.
    """
    return await fetch_all(
        db,
        SETTLEMENT  # noqa: S608 - a constant
        + """
          AND id IN (
              SELECT id
              FROM settlement
              WHERE account_id = :account_id AND payment_id IN (:ids...)
              UNION ALL
              SELECT id
              FROM settlement
              WHERE account_id = :account_id
                AND payback_id IN (:ids...)
                AND payback_id IS NOT NULL
          )
        ORDER BY id
        """,
        {"account_id": account_id, "ids": list(payment_ids)},
        into=Settlement,
    )


async def delete_settlements(tx: Transaction, account_id: int, ids: Collection[str]) -> None:
    """Delete settlements. Queries: one."""
    await tx.execute(
        "DELETE FROM settlement WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
    )
