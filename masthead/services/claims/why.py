"""Why a subscriber got an issue or did not: read the facts, and explain them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from msgspec import structs

from masthead.model.dispatch.runs import DispatchLine
from masthead.model.errors import NotFound
from masthead.model.holds import Hold
from masthead.model.resources import Issue
from masthead.model.subscriptions.lifecycle import is_released
from masthead.model.timeline.answers import Day, IssueAnswer, SubscriptionAnswer
from masthead.model.timeline.codes import IssueFacts, WhyCode
from masthead.model.timeline.explanation import explain, iso
from masthead.model.timeline.facts import Facts, WhyClaim, WhyGrace, WhyReport, WhySubscription
from masthead.model.types.email_addresses import email_key
from masthead.model.types.text import short_text
from masthead.services.timeline import Timeline
from masthead.store.claims import asked_issues, why_facts as store
from masthead.store.claims.asked_issues import AskedIssue
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
    row = await asked_issues.find_issue(db, account_id, id=issue_id, number=number)
    if row.id is None and issue_id is not None:
        raise NotFound("issue", issue_id)
    found = await store.find_subscriber(
        db, account_id, id=asked.upper(), email_key=email_key(asked)
    )
    if row.number is not None:
        issue = _issue(row, await _find_current(db, account_id, [row]))
    else:
        assert number is not None
        issue = IssueFacts(number=number)
    facts = Facts(
        account_id=account_id,
        asked=asked,
        home=row.home,
        issue=issue,
        subscriber=found,
        subscriptions=[],
        runs=await runs.list_of_issues(db, account_id, [issue.number]),
    )
    if found is None:
        return explain(facts, day=day)
    listed = await store.list_subscriptions(
        db, account_id, found.id, issue.number, issue.released, subscription_id=subscription_id
    )
    owned = await _subscriptions(db, account_id, {issue.number: listed})
    return explain(structs.replace(facts, subscriptions=owned[issue.number]), day=day)


async def explain_waiting(
    db: Connection, account_id: int, subscriber: str, timeline: Timeline, *, day: Day = iso
) -> Mapping[tuple[int, str], SubscriptionAnswer]:
    """Why copies in a timeline were not sent, by issue number and subscription.

    subscriber: the id. Of three issues: that of the answer and the newest that are out, and then
    the next ones. Queries: ten at most for all, and two for each issue.
    """
    asked = [timeline.answer] if timeline.answer else []
    listed = [*asked, *timeline.issues]
    numbers = {
        code: [it.issue.number for it in listed if any(each.code is code for each in it.deliveries)]
        for code in (WhyCode.WAITING, WhyCode.NOT_OUT)
    }
    unsent = [*numbers[WhyCode.WAITING], *sorted(numbers[WhyCode.NOT_OUT])]
    rows = await asked_issues.list_issues(db, account_id, list(dict.fromkeys(unsent))[:MAX_WAITING])
    if not rows:
        return {}
    found = await store.find_subscriber(db, account_id, id=subscriber, email_key="")
    if found is None:
        return {}
    current = await _find_current(db, account_id, rows)
    explained = {issue.number: issue for issue in (_issue(row, current) for row in rows)}
    dispatches = await runs.list_of_issues(db, account_id, explained)
    subscriptions = {
        number: await store.list_subscriptions(db, account_id, found.id, number, issue.released)
        for number, issue in explained.items()
    }
    owned = await _subscriptions(db, account_id, subscriptions)
    answers = {}
    for number, issue in explained.items():
        facts = Facts(
            account_id=account_id,
            asked=subscriber,
            home=rows[0].home,
            issue=issue,
            subscriber=found,
            subscriptions=owned[number],
            runs=[run for run in dispatches if run.issue_number == number],
        )
        for each in explain(facts, day=day).subscriptions:
            answers[number, each.subscription_id] = each
    return answers


async def _find_current(
    db: Connection, account_id: int, rows: Sequence[AskedIssue]
) -> Issue | None:
    """The current issue, if an issue without a release date needs it. Queries: two at most."""
    if all(row.release_date_actual for row in rows):
        return None
    return await issues.find_current(db, account_id, rows[0].daily_date)


def _issue(row: AskedIssue, current: Issue | None) -> IssueFacts:
    """An issue that exists. current: the current issue."""
    assert row.number is not None
    released = row.release_date_actual
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
    db: Connection, account_id: int, listed: Mapping[int, Sequence[WhySubscription]]
) -> dict[int, list[WhySubscription]]:
    """The subscriptions of each issue with the lines, claims, reports and holds, or a grace copy.

    listed: by issue number. Queries: five at most for all, and one for each issue.
    """
    with_copy = {
        number: {each.id: each.copy.id for each in found if each.copy}
        for number, found in listed.items()
    }
    without = {each.id for found in listed.values() for each in found if not each.copy}
    grace = await _grace(db, account_id, without, listed)
    by_copy = defaultdict[int, list[DispatchLine]](list)
    claims = defaultdict[int, list[WhyClaim]](list)
    reports = defaultdict[tuple[int, str], list[WhyReport]](list)
    held = defaultdict[str, list[Hold]](list)
    if copy_ids := [id for found in with_copy.values() for id in found.values()]:
        for line in await lines.list_lines_of_copies(db, account_id, copy_ids):
            by_copy[line.copy_id].append(line)
        for claim in await store.list_claims_of_copies(db, account_id, copy_ids):
            claims[claim.copy_id].append(claim)
        for hold in await holds.list_of_subscriptions(
            db, account_id, {id for found in with_copy.values() for id in found}
        ):
            held[hold.subscription_id].append(hold)
    for number, found in with_copy.items():
        for report in await store.list_reports(db, account_id, found, number) if found else []:
            reports[number, report.subscription_id].append(report)
    return {
        number: [
            structs.replace(
                each,
                lines=by_copy[each.copy.id],
                claims=claims[each.copy.id],
                reports=reports[number, each.id],
                holds=held[each.id],
            )
            if each.copy
            else structs.replace(each, grace=grace.get((number, each.id)))
            for each in found
        ]
        for number, found in listed.items()
    }


async def _grace(
    db: Connection, account_id: int, ids: Collection[str], numbers: Collection[int]
) -> dict[tuple[int, str], WhyGrace]:
    """The grace copies of issues, by their number and subscription. Queries: two at most."""
    listed = await grace_copies.list_grace(db, account_id, ids) if ids else []
    found = {each.id: each for each in listed if each.issue_number in numbers}
    if not found:
        return {}
    return {
        (copy.issue_number, line.subscription_id): WhyGrace(line, copy.date_sent)
        for line in await lines.list_lines_of_copies(db, account_id, found)
        if line.dispatch_id == (copy := found[line.copy_id]).dispatch_id
    }
