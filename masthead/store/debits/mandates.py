"""The mandates of payers, and the signed files. IBANs are stored whole: banks need them."""

from collections.abc import Collection
from datetime import date

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.debits.mandates import Mandate, NewMandate
from masthead.model.ids import new_id
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one, get_one, insert_row
from masthead.store.update_statement import update_row

# A mandate for one debit is used up by one that did not come back
_MANDATE = """
    SELECT
        m.id,
        m.payer_id,
        m.reference,
        m.iban,
        m.bic,
        m.holder,
        m.is_recurring,
        coalesce(m.is_b2b, FALSE) AS is_b2b,
        m.signed_date,
        m.last_used_date,
        m.revoked_date,
        m.revoke_reason,
        m.created_at,
        EXISTS (
            SELECT 1
            FROM mandate_file f
            WHERE f.account_id = :account_id AND f.mandate_id = m.id
        ) AS has_file,
        NOT m.is_recurring AND EXISTS (
            SELECT 1
            FROM debit d
            WHERE d.account_id = :account_id
              AND d.mandate_id = m.id
              AND d.status IN ('collected', 'paid')
        ) AS is_used_up,
        CASE WHEN NOT m.is_recurring THEN (
            SELECT d.invoice_id
            FROM debit d
            JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
            WHERE d.account_id = :account_id
              AND d.mandate_id = m.id
              AND d.status = 'waiting'
              AND (i.open_amount > 0) IS TRUE
            ORDER BY d.id
            LIMIT 1
        ) END AS waiting_invoice_id
    FROM mandate m
    WHERE m.account_id = :account_id
"""


class SignedFile(Struct, frozen=True):
    """A signed mandate: a PDF or a picture."""

    media_type: str
    content: bytes


async def get_mandate(db: Connection, account_id: int, id: str) -> Mandate:
    """A mandate. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _MANDATE + " AND m.id = :id", into=Mandate, noun="mandate"
    )


async def find_mandates(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, Mandate]:
    """Some mandates, by id. Queries: one."""
    found = await fetch_all(
        db,
        _MANDATE + " AND m.id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
        into=Mandate,
    )
    return {each.id: each for each in found}


async def list_of_payer(db: Connection, account_id: int, payer_id: str) -> list[Mandate]:
    """The mandates of a payer, newest first. Queries: one. Index: mandate_by_payer."""
    return await fetch_all(
        db,
        _MANDATE + " AND m.payer_id = :payer_id ORDER BY m.id DESC",
        {"account_id": account_id, "payer_id": payer_id},
        into=Mandate,
    )


async def find_reference(db: Connection, account_id: int, reference: str) -> str | None:
    """The id of the mandate with a reference, in any case. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT id
        FROM mandate
        WHERE account_id = :account_id AND upper(reference) = upper(:reference)
        """,
        {"account_id": account_id, "reference": reference},
    )
    return str(row["id"]) if row else None


async def find_by_references(
    db: Connection, account_id: int, references: Collection[str]
) -> dict[str, Mandate]:
    """Mandates by their references, in capitals. Queries: one at most."""
    if not references:
        return {}
    found = await fetch_all(
        db,
        _MANDATE + " AND upper(m.reference) IN (:references...)",
        {"account_id": account_id, "references": list(references)},
        into=Mandate,
    )
    return {each.reference.upper(): each for each in found}


async def delete_untouched(tx: Transaction, account_id: int, ids: Collection[str]) -> None:
    """Delete mandates by which nothing was to be collected, and of which no file is here.

    Queries: one.
    """
    await tx.execute(
        """
        DELETE FROM mandate
        WHERE account_id = :account_id
          AND id IN (:ids...)
          AND NOT EXISTS (
              SELECT 1
              FROM debit d
              WHERE d.account_id = :account_id AND d.mandate_id = mandate.id
          )
          AND NOT EXISTS (
              SELECT 1
              FROM mandate_file f
              WHERE f.account_id = :account_id AND f.mandate_id = mandate.id
          )
        """,
        {"account_id": account_id, "ids": list(ids)},
    )


async def insert_mandate(
    tx: Transaction, account_id: int, payer_id: str, mandate: NewMandate, *, by: Actor
) -> str:
    """Add a mandate; returns its id. Queries: one."""
    id = new_id(account_id)
    await insert_row(
        tx,
        "mandate",
        account_id=account_id,
        id=id,
        payer_id=payer_id,
        reference=mandate.reference,
        iban=mandate.iban,
        bic=mandate.bic,
        holder=mandate.holder,
        is_recurring=mandate.is_recurring,
        is_b2b=mandate.is_b2b,
        signed_date=mandate.signed_date,
        last_used_date=mandate.last_used_date,
        revoked_date=None,
        revoke_reason="",
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    return id


async def update_revoked(
    tx: Transaction, account_id: int, id: str, *, day: date | None, reason: str
) -> None:
    """Say since when, and why, a mandate cannot be used; None to let it be used. Queries: one."""
    await update_row(tx, account_id, "mandate", id, revoked_date=day, revoke_reason=reason)


async def update_used(tx: Transaction, account_id: int, ids: Collection[str], day: date) -> None:
    """Say that mandates were used for a collection on a day. Queries: one."""
    await tx.execute(
        """
        UPDATE mandate
        SET last_used_date = :day
        WHERE account_id = :account_id
          AND id IN (:ids...)
          AND (last_used_date IS NULL OR last_used_date < :day)
        """,
        {"account_id": account_id, "ids": list(ids), "day": day},
    )


async def find_file(db: Connection, account_id: int, id: str) -> SignedFile | None:
    """The signed file of a mandate; None if there is none. Queries: one."""
    return await fetch_one(
        db,
        """
        SELECT media_type, content
        FROM mandate_file
        WHERE account_id = :account_id AND mandate_id = :id
        """,
        {"account_id": account_id, "id": id},
        into=SignedFile,
    )


async def insert_file(tx: Transaction, account_id: int, id: str, file: SignedFile) -> None:
    """Store the signed file of a mandate, in place of the one before. Queries: two."""
    await tx.execute(
        "DELETE FROM mandate_file WHERE account_id = :account_id AND mandate_id = :id",
        {"account_id": account_id, "id": id},
    )
    await tx.execute(
        """
        INSERT INTO mandate_file (account_id, mandate_id, media_type, content, created_at)
        VALUES (:account_id, :id, :media_type, :content, :moment)
        """,
        {
            "account_id": account_id,
            "id": id,
            "media_type": file.media_type,
            "content": file.content,
            "moment": now(),
        },
    )


async def delete_unused(tx: Transaction, account_id: int, payer_ids: Collection[str]) -> None:
    """Delete the mandates of payers by which nothing was collected, with their files.

    Queries: three.
    """
    values = {"account_id": account_id, "payers": list(payer_ids)}
    unused = """
        SELECT m.id
        FROM mandate m
        WHERE m.account_id = :account_id
          AND m.payer_id IN (:payers...)
          AND m.last_used_date IS NULL
    """
    for statement in (
        f"""
        DELETE FROM debit
        WHERE account_id = :account_id AND collection_id IS NULL AND mandate_id IN ({unused})
        """,  # noqa: S608 - the statement above
        f"DELETE FROM mandate_file WHERE account_id = :account_id AND mandate_id IN ({unused})",  # noqa: S608
        f"DELETE FROM mandate WHERE account_id = :account_id AND id IN ({unused})",  # noqa: S608
    ):
        await tx.execute(statement, values)


async def end_used(
    tx: Transaction, account_id: int, payer_ids: Collection[str], *, day: date, kept_since: date
) -> None:
    """Revoke the mandates of erased payers; nothing waits for a collection any more.

    Signed files of mandates that were not used since a day are deleted. Queries: three.
    """
    await tx.execute(
        """
        UPDATE debit
        SET status = 'cancelled'
        WHERE account_id = :account_id
          AND status = 'waiting'
          AND mandate_id IN (
              SELECT m.id
              FROM mandate m
              WHERE m.account_id = :account_id AND m.payer_id IN (:payers...)
          )
        """,
        {"account_id": account_id, "payers": list(payer_ids)},
    )
    await tx.execute(
        """
        UPDATE mandate
        SET revoked_date = coalesce(revoked_date, :day), revoke_reason = ''
        WHERE account_id = :account_id AND payer_id IN (:payers...)
        """,
        {"account_id": account_id, "payers": list(payer_ids), "day": day},
    )
    await tx.execute(
        """
        DELETE FROM mandate_file
        WHERE account_id = :account_id
          AND mandate_id IN (
              SELECT m.id
              FROM mandate m
              WHERE m.account_id = :account_id
                AND m.payer_id IN (:payers...)
                AND m.last_used_date < :kept_since
          )
        """,
        {"account_id": account_id, "payers": list(payer_ids), "kept_since": kept_since},
    )
