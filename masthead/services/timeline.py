"""The timeline of a subscriber: their issues with what became of each, and what happened when."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from masthead.model.audit_events import EventType, describe_subscription_event
from masthead.model.ids import LAST_NUMBER
from masthead.model.orders.period_coverage import PeriodCoverage
from masthead.model.pagination import PageRequest
from masthead.model.reports.timeline import Bought, Deed, IssueFacts, Line, Sending, tell
from masthead.model.resources import Issue
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType
from masthead.store import copies, issues, periods, subscriptions
from masthead.store.audit import subscription_history as history
from masthead.store.engine.interface import Connection, Row

LOOKED_AT = 500  # subscriptions of one subscriber, the newest
# An import may state that an order was cancelled or its renewals stopped
_STATING = (EventType.SUBSCRIPTION_CREATE, EventType.SUBSCRIPTION_RENEW)
_DEEDS = (*_STATING, EventType.SUBSCRIPTION_CANCEL, EventType.SUBSCRIPTION_STOP_RENEWALS)


class Timeline(Struct, frozen=True, kw_only=True):
    """A window of a subscriber's issues, highest number first.

    answer: for the issue that was asked for. older: the number to go on below, None at the end.
    is_partial: whether there are older subscriptions that were not looked at.
    """

    lines: list[Line]
    answer: Line | None
    older: int | None
    is_partial: bool


class Event(Struct, frozen=True):
    """Something that happened to a subscription. by: who did it, in words."""

    id: int
    at: datetime
    by: str
    what: Sequence[str]
    subscription_id: str


class History(Struct, frozen=True):
    """What happened, newest first. older: the entry to go on below, None at the end."""

    events: list[Event]
    older: int | None


async def get_timeline(
    db: Connection,
    account_id: int,
    subscriber_id: str,
    *,
    day: date,
    asked: int | None = None,
    before: int = LAST_NUMBER,
    limit: int = 24,
) -> Timeline:
    """The issues below a number, and one that is asked for; read aside.

    day: of the account's last daily pass.
    Queries: nine at most, however many issues and subscriptions.
    """
    page = await issues.list_issues(db, account_id, PageRequest(limit, str(before), b""))
    shown = [_facts_of(issue) for issue in page.items]
    wanted = await _find_issue(db, account_id, asked) if asked is not None else None
    rows = await subscriptions.list_newest_of_subscriber(
        db, account_id, subscriber_id, LOOKED_AT + 1
    )
    looked_at = rows[:LOOKED_AT]
    bought = await _gather(db, account_id, looked_at)
    numbers = {issue.number for issue in [*shown, *([wanted] if wanted else [])]}
    sent: defaultdict[int, dict[str, Sending]] = defaultdict(dict)
    ids = [row["id"] for row in looked_at]
    for row in await copies.list_copies_of_issues(db, account_id, ids, numbers):
        copy = Sending(row["id"], CopyStatus(row["status"]), row["date_sent"])
        sent[row["issue_number"]][row["subscription_id"]] = copy
    return Timeline(
        lines=[tell(issue, bought, sent[issue.number], day=day) for issue in shown],
        answer=tell(wanted, bought, sent[wanted.number], day=day) if wanted else None,
        older=shown[-1].number if page.has_more else None,
        is_partial=len(rows) > LOOKED_AT,
    )


def _facts_of(issue: Issue) -> IssueFacts:
    return IssueFacts(issue.number, issue.id, issue.name, issue.release_date_actual)


async def _find_issue(db: Connection, account_id: int, number: int) -> IssueFacts:
    """The issue with that number, or the number alone if it is none yet."""
    page = await issues.list_issues(db, account_id, PageRequest(1, str(number + 1), b""))
    found = [_facts_of(issue) for issue in page.items if issue.number == number]
    return found[0] if found else IssueFacts(number)


async def _gather(db: Connection, account_id: int, rows: Collection[Row]) -> list[Bought]:
    """What the rule must know of subscriptions."""
    over = [row["id"] for row in rows if row["status"] != SubscriptionStatus.ACTIVE]
    cancelled, stopped = await _find_deeds(db, account_id, over) if over else ({}, {})
    orders = await periods.list_periods(db, account_id, [row["id"] for row in rows])
    return [
        Bought(
            id=row["id"],
            type=SubscriptionType(row["type"]),
            status=SubscriptionStatus(row["status"]),
            is_recurring=row["is_recurring"],
            ordered=orders[row["id"]][0]["order_date"],
            spans=[
                PeriodCoverage(**{name: period[name] for name in PeriodCoverage.__struct_fields__})
                for period in orders[row["id"]]
            ],
            cancelled=cancelled.get(row["id"]),
            stopped=stopped.get(row["id"]),
        )
        for row in rows
    ]


async def _find_deeds(
    db: Connection, account_id: int, ids: Collection[str]
) -> tuple[dict[str, Deed], dict[str, Deed]]:
    """The last cancel and the last stop of renewals, by subscription."""
    entries = await history.list_by_action(db, account_id, ids, _DEEDS)
    names = await _name_actors(db, account_id, entries)
    cancelled, stopped = {}, {}
    for entry in entries:
        status = entry["after"]["status"]
        deed = Deed(entry["happened_at"], names[entry["id"]], entry["action"] in _STATING)
        if status == SubscriptionStatus.CANCELLED:
            cancelled[entry["subject_id"]] = deed
        elif status == SubscriptionStatus.RENEWALS_STOPPED:
            stopped[entry["subject_id"]] = deed
    return cancelled, stopped


async def list_events(
    db: Connection,
    account_id: int,
    subscription_ids: Collection[str],
    *,
    before: int = LAST_NUMBER,
    limit: int = 24,
) -> History:
    """What happened to subscriptions, newest first; read aside. Queries: five at most."""
    entries = await history.list_newest(
        db, account_id, subscription_ids, before=before, limit=limit + 1
    )
    shown = entries[:limit]
    names = await _name_actors(db, account_id, shown)
    events = [
        Event(
            id=entry["id"],
            at=entry["happened_at"],
            by=names[entry["id"]],
            what=describe_subscription_event(
                entry["action"], entry["after"], issue=entry["issue_number"]
            ),
            subscription_id=entry["subscription_id"],
        )
        for entry in shown
    ]
    return History(events, shown[-1]["id"] if len(entries) > limit else None)


async def list_events_of(
    db: Connection, account_id: int, subscriber_id: str, *, before: int = LAST_NUMBER
) -> History:
    """The same of all subscriptions of a subscriber, the newest of them."""
    rows = await subscriptions.list_newest_of_subscriber(db, account_id, subscriber_id, LOOKED_AT)
    return await list_events(db, account_id, [row["id"] for row in rows], before=before)


async def _name_actors(
    db: Connection, account_id: int, entries: Iterable[Mapping[str, Any]]
) -> dict[int, str]:
    """Who did it, in words, by entry. Queries: two at most."""
    named: defaultdict[str, set[str]] = defaultdict(set)
    by_entry = {entry["id"]: (entry["actor_kind"], entry["actor_id"]) for entry in entries}
    for kind, id in by_entry.values():
        named[kind].add(id)
    users = await history.find_emails(db, account_id, named["user"]) if named["user"] else {}
    keys = await history.find_keys(db, account_id, named["key"]) if named["key"] else {}

    def words(kind: str, id: str) -> str:
        if kind == "user":
            return users.get(id, id)
        return f"the API key {keys.get(id, id)}" if kind == "key" else f"masthead {id}"

    return {id: words(*actor) for id, actor in by_entry.items()}
