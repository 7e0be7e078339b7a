"""Find the payments that came back, and what a return has moved."""

from collections.abc import Collection
from datetime import date

from msgspec import Struct

from masthead.store.billing.payments import SETTLEMENT, Settlement
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

_MOST = 50


class ReturnedPayment(Struct, frozen=True, kw_only=True):
    """A payment that may have come back. numbers: of the invoices that it settled.

    is_named: whether the return names it, or an invoice that it settled. is_from_account: whether
    it came from the bank account to which the money went back.
    """

    id: str
    payer_id: str | None
    payer_name: str
    payment_date: date
    amount: int
    currency: str
    number: str
    is_named: bool
    is_from_account: bool


async def find_returned(
    db: Connection,
    account_id: int,
    *,
    reference: str,
    debits: Collection[str],
    numbers: Collection[str],
    amounts: Collection[int],
    iban: str,
    least: int,
    most: int,
    currency: str,
    before: date,
) -> list[ReturnedPayment]:
    """The payments up to a day that have a reference, settled an invoice, or have an amount.

    debits: ids of direct debits that the return names. iban: the masked account to which the money
    went back: of its payments, those from `least` to `most`. Those that came back before, or were
    undone, are left out. Indexes: invoice_number, settlement_by_invoice, bank_line_by_iban; for
    amounts, payment_by_date of the last three months. Queries: one.
    """
    return await fetch_all(
        db,
        """
        WITH named AS (
            SELECT t.payment_id AS id
            FROM invoice i
            JOIN settlement t ON t.account_id = i.account_id AND t.invoice_id = i.id
            WHERE i.account_id = :account_id
              AND i.number IN (:numbers...)
              AND t.payment_id IS NOT NULL
            UNION
            SELECT d.payment_id AS id
            FROM debit d
            WHERE d.account_id = :account_id
              AND d.id IN (:debits...)
              AND d.payment_id IS NOT NULL
            UNION
            SELECT l.payment_id AS id
            FROM bank_line l
            WHERE l.account_id = :account_id
              AND l.payment_id IS NOT NULL
              AND l.reference = :reference
              AND l.reference <> ''
        ),
        from_account AS (
            SELECT l.payment_id AS id
            FROM bank_line l
            WHERE l.account_id = :account_id
              AND l.iban = :iban
              AND l.iban <> ''
              AND l.payment_id IS NOT NULL
              AND l.amount BETWEEN :least AND :most
              AND l.booking_date >= :first
        ),
        recent AS (
            SELECT p.id
            FROM payment p
            WHERE p.account_id = :account_id
              AND p.payment_date BETWEEN :first AND :before
              AND p.amount IN (:amounts... AS bigint)
        )
        SELECT
            p.id,
            p.payer_id,
            coalesce(
                (
                    SELECT i.payer_name
                    FROM invoice i
                    WHERE i.account_id = :account_id AND i.payer_id = p.payer_id
                    ORDER BY i.id DESC
                    LIMIT 1
                ),
                ''
            ) AS payer_name,
            p.payment_date,
            p.amount,
            p.currency,
            coalesce(
                (
                    SELECT min(i.number)
                    FROM settlement t
                    JOIN invoice i ON i.account_id = t.account_id AND i.id = t.invoice_id
                    WHERE t.account_id = :account_id AND t.payment_id = p.id
                ),
                ''
            ) AS number,
            p.id IN (SELECT id FROM named) AS is_named,
            p.id IN (SELECT id FROM from_account) AS is_from_account
        FROM payment p
        WHERE p.account_id = :account_id
          AND p.id IN (
              SELECT id
              FROM named
              UNION
              SELECT id
              FROM from_account
              UNION
              SELECT id
              FROM recent
          )
          AND p.amount > 0
          AND p.currency = :currency
          AND p.payment_date <= :before
          AND p.undone_at IS NULL
          AND NOT EXISTS (
              SELECT 1
              FROM settlement b
              WHERE b.account_id = :account_id
                AND b.payment_id = p.id
                AND (b.payback_id IS NOT NULL) IS TRUE
          )
        ORDER BY is_named DESC, is_from_account DESC, p.id DESC
        LIMIT :limit
        """,
        {
            "account_id": account_id,
            "reference": reference,
            "debits": list(debits),
            "numbers": list(numbers),
            "amounts": list(amounts),
            "iban": iban,
            "least": least,
            "most": most,
            "currency": currency,
            "before": before,
            "first": date.fromordinal(before.toordinal() - 100),
            "limit": _MOST,
        },
        into=ReturnedPayment,
    )


async def list_moved(db: Connection, account_id: int, first: str, last: str) -> list[Settlement]:
    """What a return has changed of the settlements of credit notes. Queries: one.

    first, last: the ids of the first and the last settlement of the return, which all are made in
    one transaction that has locked the account. Index: the primary key.
    """
    return await fetch_all(
        db,
        SETTLEMENT
        + " AND id BETWEEN :first AND :last AND (credit_note_id IS NOT NULL) IS TRUE ORDER BY id",
        {"account_id": account_id, "first": first, "last": last},
        into=Settlement,
    )
