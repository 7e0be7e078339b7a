"""Nothing is written to the records of people who were erased: it could be personal data again."""

from collections.abc import Collection

from masthead.model.errors import Erased
from masthead.store.engine.interface import Connection
from masthead.store.privacy import erasures


async def require_not_erased(db: Connection, account_id: int, subscribers: Collection[str]) -> None:
    """Refuse a write to subscribers. Call it when the account is locked: an erasure locks it too.

    Queries: one. Raises: Erased, with the id of the first of them.
    """
    if subscribers and (erased := await erasures.list_erased(db, account_id, subscribers)):
        raise Erased(min(erased))


async def require_owners_not_erased(
    db: Connection, account_id: int, subscriptions: Collection[str]
) -> None:
    """Refuse a write to subscriptions of erased subscribers, as `require_not_erased` does."""
    if erased := await erasures.list_with_erased_owner(db, account_id, subscriptions):
        raise Erased(min(erased.values()))


async def leave_out_erased(db: Connection, account_id: int, payer_id: str, reason: str) -> str:
    """Why an invoice is not owed any more; empty if its payer was erased: the books go on."""
    return "" if await erasures.list_erased(db, account_id, [payer_id]) else reason
