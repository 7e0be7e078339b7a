"""Copies: marked as sent."""

from collections.abc import Collection
from datetime import date
from typing import cast

import msgspec
from msgspec import UnsetType

from masthead.model.actors import Actor
from masthead.model.ids import owns_copy_id
from masthead.model.resources import Copy, MarkedSent
from masthead.services.states import settle
from masthead.store import accounts
from masthead.store import marking as store
from masthead.store.connection import Database, Transaction


async def mark_copies_sent(
    db: Database,
    account_id: int,
    ids: Collection[int],
    sent_on: date | None | UnsetType,
    *,
    by: Actor,
) -> MarkedSent:
    """Mark copies as sent; those that were marked, in the order of their ids, ready for the wire.

    ids: copy ids; unknown ones, cancelled ones and those of other accounts are skipped.
    sent_on: day of dispatch, None for no date; absent: no date, but a copy that was sent before
    keeps its own, so that a retry is harmless.
    Queries: a handful, however many ids. Spec: Copies, POST /v1/copies/mark-sent/.
    """
    own = {id for id in ids if owns_copy_id(account_id, id)}
    listed = msgspec.json.encode(sorted(own)).decode()  # once for all statements

    async def work(tx: Transaction) -> MarkedSent:
        account = await accounts.lock_account(tx, account_id)
        waiting = await store.find_waiting(tx, account_id, listed)
        await store.mark_sent(tx, account_id, listed, sent_on, by=by)
        if waiting:
            await settle(tx, account, waiting, by=by)
        count, items = await store.list_marked(tx, account_id, listed)
        return MarkedSent(error=False, updated_count=count, items=cast(list[Copy], items))

    return await db.write(work)
