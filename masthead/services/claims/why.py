"""Why a subscriber got an issue or did not: read the facts, and explain them."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from msgspec import structs

from masthead.model.dispatch.runs import DispatchLine
from masthead.model.errors import NotFound
from masthead.model.subscriptions.lifecycle import is_released
from masthead.model.timeline.answers import Day, IssueAnswer
from masthead.model.timeline.codes import IssueFacts
from masthead.model.timeline.explanation import explain, iso
from masthead.model.timeline.facts import (
    Facts,
    WhyClaim,
    WhyCopy,
    WhyReport,
    WhySubscriber,
    WhySubscription,
)
from masthead.model.types.email_addresses import email_key
from masthead.model.types.enums import CopyStatus, Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.text import full_name, short_text
from masthead.store.claims import why_facts as store
from masthead.store.dispatch import lines, runs
from masthead.store.engine.interface import Connection, Row
from masthead.store.issues import records as issues

# What a row of `list_subscriptions` and a `WhySubscription` have alike
_SAME = (
    "id source_id first_name last_name company address1 address2 city state postcode country"
    " first_issue last_issue period_start period_end cancelled_at"
).split()


async def answer_why(
    db: Connection,
    account_id: int,
    subscriber: str,
    *,
    number: int | None = None,
    issue_id: str | None = None,
    subscription_id: str | None = None,
    day: Day = iso,
) -> IssueAnswer:
    """Whether a subscriber got an issue, and why not.

    subscriber: id or email address. number, issue_id: of the issue; a number may be of no issue.
    subscription_id: the answer is about this subscription only. day: writes the dates in sentences.
    Queries: seven, eight if the issue has no release date; they need one snapshot.
    Raises: NotFound if there is no issue with the id, Invalid.
    """
    asked = short_text("subscriber", subscriber.strip())
    row = await store.find_issue(db, account_id, id=issue_id, number=number)
    if row["id"] is None and issue_id is not None:
        raise NotFound("issue", issue_id)
    found = await store.find_subscriber(
        db, account_id, id=asked.upper(), email_key=email_key(asked)
    )
    issue = await _issue(db, account_id, row, number)
    facts = Facts(
        account_id=account_id,
        asked=asked,
        home=row["home"],
        issue=issue,
        subscriber=_subscriber(found) if found else None,
        subscriptions=[],
        runs=await runs.list_of_issue(db, account_id, issue.number),
    )
    if found is None:
        return explain(facts, day=day)
    listed = await store.list_subscriptions(
        db,
        account_id,
        found["id"],
        issue.number,
        issue.released,
        subscription_id=subscription_id,
    )
    owned = await _subscriptions(db, account_id, listed, issue.number)
    return explain(structs.replace(facts, subscriptions=owned), day=day)


async def _issue(db: Connection, account_id: int, row: Row, number: int | None) -> IssueFacts:
    if row["id"] is None:
        assert number is not None
        return IssueFacts(number=number)
    released: date | None = row["release_date_actual"]
    current = None
    if released is None:
        current = await issues.find_current(db, account_id, row["daily_date"])
    return IssueFacts(
        number=row["number"],
        id=row["id"],
        name=row["name"],
        released=released,
        is_out=is_released(
            released,
            number=row["number"],
            day=row["daily_date"],
            current=current.number if current else None,
        ),
        created_at=row["created_at"],
    )


def _subscriber(row: Row) -> WhySubscriber:
    name = full_name(row["first_name"], row["last_name"], row["company"], row["email"])
    return WhySubscriber(id=row["id"], full_name=name, email=row["email"])


async def _subscriptions(
    db: Connection, account_id: int, listed: Sequence[Row], number: int
) -> list[WhySubscription]:
    """The subscriptions with the lines, claims and reports of their copies. Queries: three."""
    copy_ids = [row["copy_id"] for row in listed if row["copy_id"] is not None]
    by_copy = defaultdict[int, list[DispatchLine]](list)
    claims = defaultdict[int, list[WhyClaim]](list)
    reports = defaultdict[str, list[WhyReport]](list)
    if copy_ids:
        for line in await lines.list_lines_of_copies(db, account_id, copy_ids):
            by_copy[line.copy_id].append(line)
        for claim in await store.list_claims_of_copies(db, account_id, copy_ids):
            claims[claim.copy_id].append(claim)
        with_copy = [row["id"] for row in listed if row["copy_id"] is not None]
        for report in await store.list_reports(db, account_id, with_copy, number):
            reports[report.subscription_id].append(report)
    return [
        WhySubscription(
            **{name: row[name] for name in _SAME},
            type=SubscriptionType(row["type"]),
            status=SubscriptionStatus(row["status"]),
            medium=Medium(row["medium"]),
            is_covered=bool(row["covering"]),
            copy=_copy(row) if row["copy_id"] is not None else None,
            lines=by_copy[row["copy_id"]],
            claims=claims[row["copy_id"]],
            reports=reports[row["id"]],
        )
        for row in listed
    ]


def _copy(row: Row) -> WhyCopy:
    return WhyCopy(
        id=row["copy_id"],
        status=CopyStatus(row["copy_status"]),
        date_sent=row["date_sent"],
        country=row["copy_country"],
        dispatch_id=row["dispatch_id"],
        ordered_at=row["ordered_at"],
    )
