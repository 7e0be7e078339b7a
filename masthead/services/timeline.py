"""Build a subscriber's timeline: which issues they got, and what changed when."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime

from msgspec import Struct, structs

from masthead.model.audit_entries import EntryType
from masthead.model.holds import Hold
from masthead.model.ids import LAST_NUMBER
from masthead.model.orders.period_coverage import PeriodCoverage
from masthead.model.pagination import PageRequest
from masthead.model.resources import Issue
from masthead.model.subscriptions.groups import address_key
from masthead.model.subscriptions.lifecycle import is_released
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.timeline.answers import Day
from masthead.model.timeline.changes import describe_subscription_event
from masthead.model.timeline.codes import IssueFacts
from masthead.model.timeline.explanation import iso
from masthead.model.timeline.facts import WhyClaim
from masthead.model.timeline.sending import describe_sending
from masthead.model.timeline.summaries import (
    CopyFacts,
    IssueSummary,
    StatusChange,
    SubscriptionFacts,
    summarize_issue,
)
from masthead.model.types.enums import CopyStatus, SubscriptionStatus
from masthead.services.subscribers.names import name_actors
from masthead.store import copies
from masthead.store.audit import subscription_history as history
from masthead.store.claims.why_facts import find_returned, list_claims_of_copies
from masthead.store.dispatch import grace_copies
from masthead.store.engine.interface import Connection
from masthead.store.holds import records as holds
from masthead.store.issues import records as issues
from masthead.store.subscriptions import periods, records as subscriptions

MAX_SUBSCRIPTIONS = 500  # only the newest subscriptions of a subscriber
# An import may create a subscription that is cancelled or whose renewals are stopped
_IMPORT_EVENTS = (EntryType.SUBSCRIPTION_CREATE, EntryType.SUBSCRIPTION_RENEW)
_STATUS_EVENTS = (
    *_IMPORT_EVENTS,
    EntryType.SUBSCRIPTION_CANCEL,
    EntryType.SUBSCRIPTION_STOP_RENEWALS,
)


class Timeline(Struct, frozen=True, kw_only=True):
    """A page of a subscriber's issues, highest number first.

    answer: the issue that the user asked for. older: the next page has the issues before this
    number; None on the last page. is_partial: whether older subscriptions were left out.
    """

    issues: list[IssueSummary]
    answer: IssueSummary | None
    older: int | None
    is_partial: bool


class TimelineEvent(Struct, frozen=True):
    """A change to a subscription, or a reminder. what: descriptions.

    id: of its entry in the audit trail. by: the name of the user, key or program.
    """

    id: int
    at: datetime
    by: str
    what: Sequence[str]
    subscription_id: str = ""
    reminder_id: str = ""


class History(Struct, frozen=True):
    """Changes, newest first. older: the ID that the next page starts before, None on the last."""

    events: list[TimelineEvent]
    older: int | None


async def get_timeline(
    db: Connection,
    account_id: int,
    subscriber_id: str,
    *,
    day: date,
    number: int | None = None,
    before: int = LAST_NUMBER,
    limit: int = 24,
) -> Timeline:
    """The subscriber's issues before a number, and one that the user asked for.

    day: the date of the account's last daily pass. number: that of the issue that the user asked
    for. Queries: fifteen at most, for any number of issues and subscriptions. Use a read `aside`.
    """
    page = await issues.list_issues(db, account_id, PageRequest(limit, str(before), b""))
    listed: list[Issue | int] = [*page.items]
    if number is not None:
        listed.insert(0, await issues.find_by_number(db, account_id, number) or number)
    current = None
    if not all(isinstance(issue, Issue) and issue.release_date_actual for issue in listed):
        current = await issues.find_current(db, account_id, day)
    shown = [
        _issue_facts(issue, day, current) if isinstance(issue, Issue) else IssueFacts(number=issue)
        for issue in listed
    ]
    rows = await subscriptions.list_newest_of_subscriber(
        db, account_id, subscriber_id, MAX_SUBSCRIPTIONS + 1
    )
    included = rows[:MAX_SUBSCRIPTIONS]
    facts = await _load_subscription_facts(db, account_id, included)
    numbers = {issue.number for issue in shown}
    found: defaultdict[int, dict[str, CopyFacts]] = defaultdict(dict)
    ids = [row.id for row in included]
    listed_copies = await copies.list_copies_of_issues(db, account_id, ids, numbers)
    sent = [copy.id for copy in listed_copies if copy.status is CopyStatus.SENT]
    claimed = await find_claims(db, account_id, sent)
    returned = await find_returned(db, account_id, sent)
    for copy in listed_copies:
        found[copy.issue_number][copy.subscription_id] = structs.replace(
            copy, claim=claimed.get(copy.id), returned_on=returned.get(copy.id)
        )
    grace: defaultdict[int, dict[str, CopyFacts]] = defaultdict(dict)
    for each in await grace_copies.list_grace(db, account_id, ids):
        status = CopyStatus.SENT if each.is_sent else CopyStatus.NOT_SENT
        grace[each.issue_number][each.subscription_id] = CopyFacts(
            each.id, status, each.date_sent, each.dispatch_id
        )
    summaries = [
        summarize_issue(issue, facts, found[issue.number], grace[issue.number]) for issue in shown
    ]
    answer = summaries.pop(0) if number is not None else None
    return Timeline(
        issues=summaries,
        answer=answer,
        older=page.items[-1].number if page.has_more else None,
        is_partial=len(rows) > MAX_SUBSCRIPTIONS,
    )


async def find_claims(
    db: Connection, account_id: int, copy_ids: Collection[int]
) -> dict[int, WhyClaim]:
    """The newest claim of each copy that has one that was not withdrawn. Queries: one at most."""
    if not copy_ids:
        return {}
    return {each.copy_id: each for each in await list_claims_of_copies(db, account_id, copy_ids)}


def _issue_facts(issue: Issue, day: date, current: Issue | None) -> IssueFacts:
    """An issue that exists. current: the current issue."""
    released, last = issue.release_date_actual, current.number if current else None
    return IssueFacts(
        number=issue.number,
        id=issue.id,
        name=issue.name,
        released=released,
        planned=issue.release_date_fuzzy or "",
        is_out=is_released(released, number=issue.number, day=day, current=last),
    )


async def _load_subscription_facts(
    db: Connection, account_id: int, rows: Collection[StoredSubscription]
) -> list[SubscriptionFacts]:
    """The facts that decide which issues each subscription includes."""
    inactive = [row.id for row in rows if row.status != SubscriptionStatus.ACTIVE]
    cancelled, stopped = (
        await _find_status_changes(db, account_id, inactive) if inactive else ({}, {})
    )
    orders = await periods.list_periods(db, account_id, [row.id for row in rows])
    held: dict[str, Hold] = {}
    for hold in await holds.list_of_subscriptions(db, account_id, list(orders), only_open=True):
        known = held.get(hold.subscription_id)
        held[hold.subscription_id] = known if known and known.invoice_id else hold
    return [
        SubscriptionFacts(
            id=row.id,
            type=row.type,
            status=row.status,
            medium=row.medium,
            first_issue=orders[row.id][0].first_issue,
            last_issue=orders[row.id][-1].last_issue,
            is_recurring=row.is_recurring,
            order_date=orders[row.id][0].order_date,
            periods=[
                PeriodCoverage(
                    **{name: getattr(period, name) for name in PeriodCoverage.__struct_fields__}
                )
                for period in orders[row.id]
            ],
            cancelled=cancelled.get(row.id),
            stopped=stopped.get(row.id),
            address=address_key(row),
            hold=held.get(row.id),
            skipped={
                int(number)
                for period in orders[row.id]
                for number in (period.skipped or "").split()
            },
        )
        for row in rows
    ]


async def _find_status_changes(
    db: Connection, account_id: int, ids: Collection[str]
) -> tuple[dict[str, StatusChange], dict[str, StatusChange]]:
    """The latest cancellation and the latest stop of renewals, by subscription."""
    entries = await history.list_by_action(db, account_id, ids, _STATUS_EVENTS)
    names = await _name_actors(db, account_id, entries)
    cancelled, stopped = {}, {}
    for entry in entries:
        status = entry.after["status"]
        is_imported = entry.action in _IMPORT_EVENTS
        change = StatusChange(entry.happened_at, names[entry.id], is_imported)
        if status == SubscriptionStatus.CANCELLED:
            cancelled[entry.subject_id] = change
        elif status == SubscriptionStatus.RENEWALS_STOPPED:
            stopped[entry.subject_id] = change
    return cancelled, stopped


async def list_events(
    db: Connection,
    account_id: int,
    subscription_ids: Collection[str],
    *,
    before: int = LAST_NUMBER,
    limit: int = 24,
    day: Day = iso,
) -> History:
    """The changes to subscriptions, newest first. Queries: nine at most.

    limit: of a page, to which a run adds all of its lines. day: writes the dates in sentences.
    """
    entries = await history.list_newest(
        db, account_id, subscription_ids, before=before, limit=limit + 1
    )
    listed = set(sorted({entry.id for entry in entries}, reverse=True)[:limit])
    shown = [entry for entry in entries if entry.id in listed]
    names = await _name_actors(db, account_id, shown)
    events = [
        TimelineEvent(
            id=entry.id,
            at=entry.happened_at,
            by=names[entry.id],
            what=_describe(entry, day),
            subscription_id=entry.subscription_id,
        )
        for entry in shown
    ]
    return History(events, shown[-1].id if len(entries) > len(shown) else None)


def _describe(entry: history.SubscriptionEntry, day: Day) -> list[str]:
    """What happened, in words."""
    if entry.run is None or entry.issue_number is None:
        return describe_subscription_event(entry.action, entry.after, issue=entry.issue_number)
    return [
        describe_sending(
            entry.action,
            entry.after,
            issue=entry.issue_number,
            run=entry.run,
            is_replacement=entry.is_replacement,
            is_grace=entry.is_grace,
            day=day,
        )
    ]


async def list_events_of(
    db: Connection,
    account_id: int,
    subscriber_id: str,
    *,
    before: int = LAST_NUMBER,
    day: Day = iso,
) -> History:
    """The changes to the newest 500 subscriptions of a subscriber, newest first."""
    rows = await subscriptions.list_newest_of_subscriber(
        db, account_id, subscriber_id, MAX_SUBSCRIPTIONS
    )
    ids = [row.id for row in rows]
    return await list_events(db, account_id, ids, before=before, day=day)


async def _name_actors(
    db: Connection, account_id: int, entries: Iterable[history.SubscriptionEntry]
) -> dict[int, str]:
    """The names of the users, keys or programs by audit entry ID. Queries: two at most."""
    by_entry = {entry.id: (entry.actor_kind, entry.actor_id) for entry in entries}
    names = await name_actors(db, account_id, by_entry.values())
    return {id: names[actor] for id, actor in by_entry.items()}
