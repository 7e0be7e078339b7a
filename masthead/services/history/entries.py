"""Build the history of a subscriber, a subscription or an issue, with names instead of ids."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from masthead.model.audit_entries import EntryType
from masthead.model.history.entries import Entry, HistoryPage, Record, RecordNames
from masthead.model.history.fields import records_in
from masthead.model.history.grouping import group_entries
from masthead.model.history.sentences import WriteNumber
from masthead.model.ids import LAST_NUMBER
from masthead.model.resources import Issue
from masthead.services.subscribers.names import name_actors
from masthead.store.audit.names import find_record_names
from masthead.store.engine.interface import Connection
from masthead.store.history import entries as store, subjects
from masthead.store.subscriptions import records as subscriptions
from masthead.store.subscriptions.bundles import find_bundle_ids

LIMIT = 50  # entries of a page
MAX_SUBSCRIPTIONS = 200  # of a subscriber, the newest
# What completes subscriptions
_COMPLETING = (
    EntryType.COPY_MARK_SENT,
    EntryType.DISPATCH_MARK,
    EntryType.DISPATCH_SHIPPED,
)


class View(Struct, frozen=True):
    """What to show of a history: entries before an id, with or without money.

    number: writes the numbers in sentences.
    """

    before: int = LAST_NUMBER
    number: WriteNumber = str
    hides_money: bool = False


WHOLE = View()


async def history_of_subscription(
    db: Connection, account_id: int, id: str, view: View = WHOLE
) -> HistoryPage:
    """The history of a subscription, its copies, claims and problems. Queries: at most 16."""
    found = await subjects.list_of_subscriptions(db, account_id, [id])
    return await _page_of(db, account_id, found, ("subscription", id), view, subjects.ACTIONS)


async def history_of_subscriber(
    db: Connection, account_id: int, id: str, view: View = WHOLE
) -> HistoryPage:
    """The history of a subscriber and the newest 200 subscriptions, with reminders of invoices.

    Queries: at most 22.
    """
    rows = await subscriptions.list_newest_of_subscriber(db, account_id, id, MAX_SUBSCRIPTIONS)
    ids = [row.id for row in rows]
    found = await subjects.list_of_subscriptions(db, account_id, ids)
    found |= await subjects.list_of_subscriber(db, account_id, id)
    if not view.hides_money:
        found |= await subjects.list_reminded(db, account_id, id)
    return await _page_of(db, account_id, found, ("subscriber", id), view, subjects.ACTIONS)


async def history_of_issue(
    db: Connection, account_id: int, issue: Issue, view: View = WHOLE
) -> HistoryPage:
    """The history of an issue, its runs, copies and claims. Queries: at most 16, read aside."""
    found = await subjects.list_of_issue(db, account_id, issue.id, issue.number)
    before, limit = view.before, LIMIT + 1
    entries = await store.list_entries(db, account_id, found, before=before, limit=limit)
    entries += await store.list_marked(
        db, account_id, issue.id, issue.number, before=before, limit=limit
    )
    entries = sorted(entries, key=lambda entry: -entry.id)[: LIMIT + 1]
    updated = await store.list_updated_statuses(
        db,
        account_id,
        [entry for entry in entries if entry.action in _COMPLETING],
    )
    return await _page(db, account_id, entries, ("issue", issue.id), view, updated)


async def history_of_invoice(
    db: Connection,
    account_id: int,
    invoice_ids: Sequence[str],
    payment_ids: Sequence[str],
    view: View,
) -> HistoryPage:
    """The history of an invoice, its credit notes and its payments. Queries: about eight.

    invoice_ids: of the invoice, then of its credit notes. Only the newest entries are read.
    """
    records = [("invoice", id) for id in invoice_ids] + [("payment", id) for id in payment_ids]
    found: subjects.Subjects = {record: [subjects.Subject(record)] for record in records}
    return await _page_of(db, account_id, found, records[0], view, {})


async def _page_of(
    db: Connection,
    account_id: int,
    found: subjects.Subjects,
    page: Record,
    view: View,
    only: Mapping[str, Sequence[str]],
) -> HistoryPage:
    entries = await store.list_entries(
        db, account_id, found, before=view.before, limit=LIMIT + 1, only=only
    )
    return await _page(db, account_id, entries, page, view)


async def _page(
    db: Connection,
    account_id: int,
    entries: Sequence[Entry],
    page: Record,
    view: View,
    beside: Sequence[Entry] = (),
) -> HistoryPage:
    """The page of entries, of which the last one may belong to the next page.

    beside: entries that were written together with some of them.
    """
    numbers = sorted({entry.id for entry in entries}, reverse=True)
    shown = set(numbers[:LIMIT])
    listed = [entry for entry in (*beside, *entries) if entry.id in shown]
    listed.sort(key=lambda entry: -entry.id)  # what was written beside an entry comes after it
    records = {entry.subject for entry in listed} | {page}
    for entry in listed:
        records |= records_in(entry.before) | records_in(entry.after)
    ids = [id for type, id in {entry.record for entry in listed} if type == "subscription"]
    found = RecordNames(
        actors=await name_actors(db, account_id, {entry.actor for entry in listed}),
        records=await find_record_names(db, account_id, records),
        hides_money=view.hides_money,
        bundles=await find_bundle_ids(db, account_id, ids) if len(ids) > 1 else {},
    )
    return HistoryPage(
        groups=group_entries(listed, found, page=page, number=view.number),
        older=listed[-1].oldest if len(numbers) > LIMIT else None,
        names=found,
    )
