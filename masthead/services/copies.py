"""Mark copies as sent."""

from collections.abc import Collection
from datetime import date
from typing import cast

import msgspec
from msgspec import UnsetType

from masthead.model.actors import Actor
from masthead.model.ids import copy_ids_of
from masthead.model.resources import Copy, MarkedSent
from masthead.services.subscriptions.status_updates import complete_periods
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts, copies as store
from masthead.store.dispatch import line_states
from masthead.store.engine.interface import Transaction


@in_long_transaction
async def mark_copies_sent(
    tx: Transaction,
    account_id: int,
    ids: Collection[int],
    sent_on: date | None | UnsetType,
    *,
    by: Actor,
) -> MarkedSent:
    """Mark copies as sent, and return them in the order of their ids, as JSON.

    ids: copy ids. Unknown copies, cancelled copies and copies of other accounts are skipped.
    sent_on: the date on which they were sent, or None for no date. If it is absent, a copy that was
    sent before keeps its date, so that a request can be repeated safely.
    Copies in a dispatch run leave it.
    The read model is marked as outdated only for subscriptions with a period or a status that
    changes: it does not contain copies.
    Queries: at most ten, for any number of ids. Spec: Copies, POST /v1/copies/mark-sent/.
    """
    possible = copy_ids_of(account_id)
    own = {id for id in ids if id in possible}
    listed = msgspec.json.encode(sorted(own)).decode()  # encoded once for all statements
    account = await accounts.lock_account(tx, account_id)
    await line_states.leave_marked(tx, account_id, listed, sent_on)
    subscriptions = await store.mark_sent(tx, account_id, listed, sent_on, by=by)
    if subscriptions:
        await complete_periods(tx, account, subscriptions, by=by)
    count, items = await store.list_json(tx, account_id, listed)
    return MarkedSent(error=False, updated_count=count, items=cast(list[Copy], items))
