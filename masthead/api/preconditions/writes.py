"""Writes with `If-Match`: they change a record only if it still is the version the client knows."""

from collections.abc import Awaitable, Callable

from masthead.api.http.response import JsonResponse
from masthead.api.preconditions.entity_tags import Condition
from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.wrapped import OneTransaction

Respond = Callable[[Database], Awaitable[JsonResponse]]


async def respond_if_match(
    db: Database,
    account_id: int,
    condition: Condition,
    *,
    read: Respond,
    write: Respond,
    is_long: bool,
) -> JsonResponse:
    """The answer of `write`, if that of `read` has a tag which the condition names.

    Both run in one transaction, which locks the account first: no other write can come between the
    two. is_long: as for `Database.write`. Queries: two more, and those of `read`.
    Raises: PreconditionFailed; then nothing is written. Any error of `read` and `write`.
    """

    async def work(tx: Transaction) -> JsonResponse:
        await accounts.lock_account(tx, account_id)
        locked = OneTransaction(db, tx, is_long=is_long)
        condition.require((await read(locked)).tag)
        return await write(locked)

    return await db.write(work, account_id=account_id, is_long=is_long)
