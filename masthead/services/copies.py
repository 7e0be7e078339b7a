"""Copies: marked as sent."""

from collections.abc import Collection
from datetime import date

from msgspec import UNSET, UnsetType, structs

from masthead.model.actors import Actor
from masthead.model.ids import owns_copy_id
from masthead.model.resources import Copy
from masthead.model.values import CopyStatus
from masthead.services.states import settle
from masthead.store import accounts, audit
from masthead.store import copies as store
from masthead.store.audit import Entry
from masthead.store.connection import Database, Transaction


async def mark_copies_sent(
    db: Database,
    account_id: int,
    ids: Collection[int],
    sent_on: date | None | UnsetType,
    *,
    by: Actor,
) -> list[Copy]:
    """Mark copies as sent; those that were marked, in the order of their ids.

    ids: copy ids; unknown ones, cancelled ones and those of other accounts are skipped.
    sent_on: day of dispatch, None for no date; absent: no date, but a copy that was sent before
    keeps its own, so that a retry is harmless.
    Queries: a handful, however many ids. Spec: Copies, POST /v1/copies/mark-sent/.
    """
    own = {id for id in ids if owns_copy_id(account_id, id)}

    async def work(tx: Transaction) -> list[Copy]:
        account = await accounts.lock_account(tx, account_id)
        known = await store.list_by_ids(tx, account_id, own)
        before = [copy for copy in known if copy.status is not CopyStatus.CANCELLED]
        after = [_sent(copy, sent_on) for copy in before]
        pairs = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        if pairs:
            day = None if sent_on is UNSET else sent_on
            await store.mark_sent(tx, account_id, [new.id for _, new in pairs], sent_on=day)
            first_sent = {n.subscription_id for o, n in pairs if o.status is CopyStatus.NOT_SENT}
            await audit.record(tx, account_id, by, [_entry(old, new) for old, new in pairs])
            await settle(tx, account, first_sent, by=by)
        return after

    return await db.write(work)


def _sent(copy: Copy, sent_on: date | None | UnsetType) -> Copy:
    """The copy once it is marked."""
    day = copy.date_sent if sent_on is UNSET else sent_on
    return structs.replace(copy, status=CopyStatus.SENT, date_sent=day)


def _entry(old: Copy, new: Copy) -> Entry:
    before = {"status": old.status, "date_sent": old.date_sent}
    after = {"status": new.status, "date_sent": new.date_sent}
    return Entry("copy.mark_sent", "copy", new.id, before, after)
