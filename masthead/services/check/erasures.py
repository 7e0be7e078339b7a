"""Check that people who were erased did not come back."""

from collections.abc import AsyncIterator

from masthead.services.privacy.moving import get_account_erasures, list_matches
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.privacy import reapply


async def check_erasures(db: Connection, account: Account) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a subscriber.

    Who ordered again by themselves after the erasure is a new subscriber, but an import must not
    bring anybody back. Queries: one if the account has no erasures, else one for 1,000 subscribers.
    """
    moved = await get_account_erasures(db, account)
    if moved is None:
        return
    async for row, erasure in list_matches(db, moved):
        is_older = row["created_at"] <= erasure.created_at
        if is_older or await reapply.is_made_by_import(db, account.id, row["id"]):
            yield "an erased subscriber does not come back", row["id"]
