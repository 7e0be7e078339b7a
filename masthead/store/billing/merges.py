"""What a merge moves of payers: their invoices, payments, mandates and orders to bill."""

from collections.abc import Sequence

from masthead.model.subscribers.merges import Billed
from masthead.store.billing.payers import find_payers, make_payer, update_payer
from masthead.store.engine.interface import Connection, Transaction

_KEYS = {"invoice": "id", "payment": "id", "billed_order": "period_id", "mandate": "id"}


async def list_billed(db: Connection, account_id: int, payer_id: str) -> Billed:
    """What a subscriber owes and has paid. Queries: one, or four for a payer."""
    if payer_id not in await find_payers(db, account_id, [payer_id]):
        return Billed()
    found = {}
    for table, key in _KEYS.items():
        rows = await db.fetch_all(
            f"SELECT {key} AS id FROM {table} WHERE account_id = :account_id"  # noqa: S608 - constants
            " AND payer_id = :payer ORDER BY 1",
            {"account_id": account_id, "payer": payer_id},
        )
        found[table] = [row["id"] for row in rows]
    return Billed(
        invoices=found["invoice"],
        payments=found["payment"],
        periods=found["billed_order"],
        mandates=found["mandate"],
    )


async def move_billed(
    tx: Transaction, account_id: int, moved: Billed, *, from_id: str, to_id: str
) -> None:
    """Move what a payer owes and has paid to another one, who becomes a payer.

    Both keep their customer numbers. One who was no payer gets the VAT id of the other. Invoices
    stay as they were issued. Queries: about eight; one if nobody is a payer.
    """
    known = await find_payers(tx, account_id, [from_id, to_id])
    if from_id not in known:
        return
    made = await make_payer(tx, account_id, to_id)
    if to_id not in known:
        await update_payer(
            tx,
            account_id,
            made.subscriber_id,
            vat_id=known[from_id].vat_id,
            bills_together=known[from_id].bills_together,
            department=known[from_id].department,
        )
    ends = {"from_id": from_id, "to_id": to_id}
    await _move(tx, account_id, "invoice", moved.invoices, ends)
    await _move(tx, account_id, "payment", moved.payments, ends)
    await _move(tx, account_id, "billed_order", moved.periods, ends)
    await _move(tx, account_id, "mandate", moved.mandates, ends)


async def _move(
    tx: Transaction,
    account_id: int,
    table: str,
    ids: Sequence[str] | Sequence[int],
    ends: dict[str, str],
) -> None:
    if not ids:
        return
    listed = "(:ids... AS bigint)" if table == "billed_order" else "(:ids...)"
    await tx.execute(
        f"""
        UPDATE {table}
        SET payer_id = :to_id
        WHERE account_id = :account_id AND payer_id = :from_id AND {_KEYS[table]} IN {listed}
        """,  # noqa: S608 - constants
        {"account_id": account_id, "ids": list(ids), **ends},
    )
