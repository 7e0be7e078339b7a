"""Why a subscriber got an issue or did not: read the facts, and explain them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import structs

from masthead.model.dispatch.runs import DispatchLine
from masthead.model.errors import NotFound
from masthead.model.holds import Hold
from masthead.model.subscriptions.lifecycle import is_released
from masthead.model.timeline.answers import Day, IssueAnswer, SubscriptionAnswer
from masthead.model.timeline.codes import IssueFacts, WhyCode
from masthead.model.timeline.explanation import explain, iso
from masthead.model.timeline.facts import Facts, WhyClaim, WhyGrace, WhyReport, WhySubscription
from masthead.model.types.email_addresses import email_key
from masthead.model.types.text import short_text
from masthead.services.timeline import Timeline
from masthead.store.claims import why_facts as store
from masthead.store.dispatch import grace_copies, lines, runs
from masthead.store.engine.interface import Connection
from masthead.store.holds import records as holds
from masthead.store.issues import records as issues

MAX_WAITING = 3  # issues of a timeline that are explained


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
    Queries: eleven, twelve if the issue has no release date; they need one snapshot.
    Raises: NotFound if there is no issue with the id, Invalid.
    """
    asked = short_text("subscriber", subscriber.strip())
    row = await store.find_issue(db, account_id, id=issue_id, number=number)
    if row.id is None and issue_id is not None:
        raise NotFound("issue", issue_id)
    found = await store.find_subscriber(
        db, account_id, id=asked.upper(), email_key=email_key(asked)
    )
    issue = await _issue(db, account_id, row, number)
    facts = Facts(
        account_id=account_id,
        asked=asked,
        home=row.home,
        issue=issue,
        subscriber=found,
        subscriptions=[],
        runs=await runs.list_of_issue(db, account_id, issue.number),
    )
    if found is None:
        return explain(facts, day=day)
    listed = await store.list_subscriptions(
        db, account_id, found.id, issue.number, issue.released, subscription_id=subscription_id
    )
    owned = await _subscriptions(db, account_id, listed, issue.number)
    return explain(structs.replace(facts, subscriptions=owned), day=day)


async def explain_waiting(
    db: Connection, account_id: int, subscriber: str, timeline: Timeline, *, day: Day = iso
) -> Mapping[tuple[int, str], SubscriptionAnswer]:
    """Why copies in a timeline were not sent, by issue number and subscription.

    subscriber: the id. Of three issues: that of the answer and the newest that are out, and then
    the next ones. Queries: those of `answer_why` for each.
    """
    asked = [timeline.answer] if timeline.answer else []
    listed = [*asked, *timeline.issues]
    numbers = {
        code: [it.issue.number for it in listed if any(each.code is code for each in it.deliveries)]
        for code in (WhyCode.WAITING, WhyCode.NOT_OUT)
    }
    unsent = [*numbers[WhyCode.WAITING], *sorted(numbers[WhyCode.NOT_OUT])]
    found = {}
    for number in list(dict.fromkeys(unsent))[:MAX_WAITING]:
        answer = await answer_why(db, account_id, subscriber, number=number, day=day)
        found.update({(number, each.subscription_id): each for each in answer.subscriptions})
    return found


async def _issue(
    db: Connection, account_id: int, row: store.AskedIssue, number: int | None
) -> IssueFacts:
    if row.number is None:
        assert number is not None
        return IssueFacts(number=number)
    released: date | None = row.release_date_actual
    current = None
    if released is None:
        current = await issues.find_current(db, account_id, row.daily_date)
    return IssueFacts(
        number=row.number,
        id=row.id or "",
        name=row.name or "",
        released=released,
        is_out=is_released(
            released,
            number=row.number,
            day=row.daily_date,
            current=current.number if current else None,
        ),
        created_at=row.created_at,
    )


async def _subscriptions(
    db: Connection, account_id: int, listed: Sequence[WhySubscription], number: int
) -> list[WhySubscription]:
    """The subscriptions with the lines, claims, reports and holds, or a grace copy.

    Queries: six.
    """
    grace = await _grace(db, account_id, [each.id for each in listed if not each.copy], number)
    copy_ids = [each.copy.id for each in listed if each.copy]
    by_copy = defaultdict[int, list[DispatchLine]](list)
    claims = defaultdict[int, list[WhyClaim]](list)
    reports = defaultdict[str, list[WhyReport]](list)
    held = defaultdict[str, list[Hold]](list)
    if copy_ids:
        for line in await lines.list_lines_of_copies(db, account_id, copy_ids):
            by_copy[line.copy_id].append(line)
        for claim in await store.list_claims_of_copies(db, account_id, copy_ids):
            claims[claim.copy_id].append(claim)
        with_copy = [each.id for each in listed if each.copy]
        for report in await store.list_reports(db, account_id, with_copy, number):
            reports[report.subscription_id].append(report)
        for hold in await holds.list_of_subscriptions(db, account_id, with_copy):
            held[hold.subscription_id].append(hold)
    return [
        structs.replace(
            each,
            lines=by_copy[each.copy.id],
            claims=claims[each.copy.id],
            reports=reports[each.id],
            holds=held[each.id],
        )
        if each.copy
        else structs.replace(each, grace=grace.get(each.id))
        for each in listed
    ]


async def _grace(
    db: Connection, account_id: int, ids: Sequence[str], number: int
) -> dict[str, WhyGrace]:
    """The grace copies of an issue, by subscription. Queries: one, two if there are any."""
    listed = await grace_copies.list_grace(db, account_id, ids) if ids else []
    found = {each.id: each for each in listed if each.issue_number == number}
    if not found:
        return {}
    return {
        line.subscription_id: WhyGrace(line, found[line.copy_id].date_sent)
        for line in await lines.list_lines_of_copies(db, account_id, found)
        if line.dispatch_id == found[line.copy_id].dispatch_id
    }
