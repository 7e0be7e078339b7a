"""Copies: marked as sent."""

from collections.abc import Collection
from datetime import date
from typing import cast

import msgspec
from msgspec import UnsetType

from masthead.model.actors import Actor
from masthead.model.ids import owns_copy_id
from masthead.model.resources import Copy, MarkedSent
from masthead.services.derived.status_updates import settle
from masthead.store import accounts, issues
from masthead.store import copies as store
from masthead.store.engine.interface import Database, Transaction
from masthead.store.reports import fulfilment

BATCH = 2_000  # copies in one transaction where an issue goes out


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
        waiting = await store.find_unsent_subscriptions(tx, account_id, listed)
        await store.mark_sent(tx, account_id, listed, sent_on, by=by)
        if waiting:
            await settle(tx, account, waiting, by=by)
        count, items = await store.list_json(tx, account_id, listed)
        return MarkedSent(error=False, updated_count=count, items=cast(list[Copy], items))

    return await db.write(work, account_id=account_id, is_long=True)


async def mark_some_of_issue(
    db: Database, account_id: int, issue_id: str, sent_on: date | None, *, by: Actor
) -> int:
    """Mark a batch of an issue's copies that wait as sent; how many, none once all are.

    Each batch is a transaction of its own, so that nobody waits long for a large issue; what was
    sent or cancelled before stays as it is. Raises: NotFound.
    """

    async def work(tx: Transaction) -> int:
        account = await accounts.lock_account(tx, account_id)
        issue = await issues.get_issue(tx, account_id, issue_id)
        count, listed = await fulfilment.list_unsent(tx, account_id, issue.number, most=BATCH)
        if count:
            waiting = await store.find_unsent_subscriptions(tx, account_id, listed)
            await store.mark_sent(tx, account_id, listed, sent_on, by=by)
            await settle(tx, account, waiting or [], by=by)
        return count

    return await db.write(work, account_id=account_id, is_long=True)
