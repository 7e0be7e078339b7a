"""The numbers that accounts of the journal have in a bookkeeping program."""

from collections.abc import Mapping

from masthead.store.engine.interface import Connection, Transaction


async def list_numbers(db: Connection, account_id: int) -> dict[str, str]:
    """The numbers that were typed, by the name of the account. Queries: one."""
    rows = await db.fetch_all(
        "SELECT name, number FROM ledger_account WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    return {row["name"]: row["number"] for row in rows}


async def replace_numbers(tx: Transaction, account_id: int, numbers: Mapping[str, str]) -> None:
    """Store these numbers in place of all others. Queries: two."""
    await tx.execute(
        "DELETE FROM ledger_account WHERE account_id = :account_id", {"account_id": account_id}
    )
    await tx.insert_rows(
        "ledger_account",
        [
            {"account_id": account_id, "name": name, "number": number}
            for name, number in numbers.items()
        ],
    )
