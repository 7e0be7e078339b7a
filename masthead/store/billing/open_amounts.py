"""Change what is open of invoices, with its event for programs."""

from masthead.model.actors import Actor
from masthead.model.events.types import PublicEventType
from masthead.store.engine.interface import Transaction
from masthead.store.events.write import NewEvent, add_events


async def add_to_open(tx: Transaction, account_id: int, id: str, amount: int, *, by: Actor) -> None:
    """Add to what is open of an invoice; negative if it was settled. Queries: one."""
    await tx.execute(
        """
        UPDATE invoice
        SET open_amount = open_amount + :amount
        WHERE account_id = :account_id AND id = :id
        """,
        {"account_id": account_id, "id": id, "amount": amount},
    )
    await add_events(tx, account_id, by, [NewEvent(PublicEventType.INVOICE_UPDATED, id)])
