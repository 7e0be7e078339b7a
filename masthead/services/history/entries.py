"""Build the history of a subscriber, a subscription or an issue, with names instead of ids."""

from collections.abc import Sequence

from masthead.model.audit_events import EventType
from masthead.model.history.entries import Entry, HistoryPage, Record, RecordNames
from masthead.model.history.fields import records_in
from masthead.model.history.grouping import group_entries
from masthead.model.history.sentences import WriteNumber
from masthead.model.ids import LAST_NUMBER
from masthead.model.resources import Issue
from masthead.services.subscribers.names import name_actors
from masthead.store.audit.names import find_record_names
from masthead.store.engine.interface import Connection
from masthead.store.history import entries as store
from masthead.store.history import subjects
from masthead.store.subscriptions import records as subscriptions

LIMIT = 50  # entries of a page
MAX_SUBSCRIPTIONS = 200  # of a subscriber, the newest
# What completes subscriptions
_COMPLETING = (
    EventType.COPY_MARK_SENT,
    EventType.DISPATCH_MARK,
    EventType.DISPATCH_SHIPPED,
)


async def history_of_subscription(
    db: Connection,
    account_id: int,
    id: str,
    *,
    before: int = LAST_NUMBER,
    number: WriteNumber = str,
    hides_money: bool = False,
) -> HistoryPage:
    """The history of a subscription, its copies, claims and problems. Queries: at most 16.

    number: writes the numbers in sentences.
    """
    found = await subjects.list_of_subscriptions(db, account_id, [id])
    entries = await store.list_entries(db, account_id, found, before=before, limit=LIMIT + 1)
    return await _page(db, account_id, entries, ("subscription", id), number, hides_money)


async def history_of_subscriber(
    db: Connection,
    account_id: int,
    id: str,
    *,
    before: int = LAST_NUMBER,
    number: WriteNumber = str,
    hides_money: bool = False,
) -> HistoryPage:
    """The history of a subscriber and the newest 200 subscriptions. Queries: at most 20."""
    rows = await subscriptions.list_newest_of_subscriber(db, account_id, id, MAX_SUBSCRIPTIONS)
    ids = [row.id for row in rows]
    found = await subjects.list_of_subscriptions(db, account_id, ids)
    found |= await subjects.list_of_subscriber(db, account_id, id)
    entries = await store.list_entries(db, account_id, found, before=before, limit=LIMIT + 1)
    return await _page(db, account_id, entries, ("subscriber", id), number, hides_money)


async def history_of_issue(
    db: Connection,
    account_id: int,
    issue: Issue,
    *,
    before: int = LAST_NUMBER,
    number: WriteNumber = str,
    hides_money: bool = False,
) -> HistoryPage:
    """The history of an issue, its runs, copies and claims. Queries: at most 16, read aside."""
    found = await subjects.list_of_issue(db, account_id, issue.id, issue.number)
    limits = {"before": before, "limit": LIMIT + 1}
    entries = await store.list_entries(db, account_id, found, **limits)
    entries += await store.list_marked(db, account_id, issue.id, issue.number, **limits)
    entries = sorted(entries, key=lambda entry: -entry.id)[: LIMIT + 1]
    updated = await store.list_updated_statuses(
        db,
        account_id,
        [entry for entry in entries if entry.action in _COMPLETING],
    )
    return await _page(db, account_id, entries, ("issue", issue.id), number, hides_money, updated)


async def history_of_invoice(
    db: Connection,
    account_id: int,
    invoice_ids: Sequence[str],
    payment_ids: Sequence[str],
    *,
    number: WriteNumber = str,
) -> HistoryPage:
    """The history of an invoice, its credit notes and its payments. Queries: about eight.

    invoice_ids: of the invoice, then of its credit notes. Only the newest entries are read.
    """
    found: subjects.Subjects = {
        record: [subjects.Subject(record)]
        for record in (
            *(("invoice", id) for id in invoice_ids),
            *(("payment", id) for id in payment_ids),
        )
    }
    entries = await store.list_entries(db, account_id, found, before=LAST_NUMBER, limit=LIMIT + 1)
    return await _page(db, account_id, entries, ("invoice", invoice_ids[0]), number, False)


async def _page(
    db: Connection,
    account_id: int,
    entries: Sequence[Entry],
    page: Record,
    number: WriteNumber,
    hides_money: bool,
    beside: Sequence[Entry] = (),
) -> HistoryPage:
    """The page of entries, of which the last one may belong to the next page.

    beside: entries that were written together with some of them.
    """
    ids = sorted({entry.id for entry in entries}, reverse=True)
    shown = set(ids[:LIMIT])
    listed = [entry for entry in (*beside, *entries) if entry.id in shown]
    listed.sort(key=lambda entry: -entry.id)  # what was written beside an entry comes after it
    records = {entry.subject for entry in listed} | {page}
    for entry in listed:
        records |= records_in(entry.before) | records_in(entry.after)
    found = RecordNames(
        actors=await name_actors(db, account_id, {entry.actor for entry in listed}),
        records=await find_record_names(db, account_id, records),
        hides_money=hides_money,
    )
    return HistoryPage(
        groups=group_entries(listed, found, page=page, number=number),
        older=listed[-1].oldest if len(ids) > LIMIT else None,
        names=found,
    )
