"""What is left to send, issue by issue, for the home page and the pages of dispatch runs."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct, structs

from masthead.model.resources import Issue
from masthead.model.returns.delivery_reports import ReportKind
from masthead.store.dispatch import due, grace_candidates
from masthead.store.dispatch.due import DueCounts, FrozenRun, IssueWithRuns
from masthead.store.dispatch.groups import FrozenGroup, list_frozen_groups
from masthead.store.dispatch.open_claims import count_open
from masthead.store.engine.interface import Connection
from masthead.store.holds import records as holds
from masthead.store.issues import records as issues
from masthead.store.issues.records import ReleasedIssue
from masthead.store.returns import delivery_reports
from masthead.web.kit.context import PageContext

MAX_RUNS = 20  # the newest ones; late orders of their issues are due


class IssueDue(Struct, frozen=True):
    """What is left to send of an issue: its frozen runs, and the copies that no run holds.

    grace_copies: how many the next run takes along.
    """

    issue: IssueWithRuns
    runs: Sequence[FrozenRun]
    counts: DueCounts
    grace_copies: int = 0

    @property
    def lines(self) -> int:
        """The number of lines in a run of all; 0 if only grace copies, which wait, are left."""
        return self.counts.lines + self.grace_copies if self.counts.lines else 0

    @property
    def next_run(self) -> int:
        """The number that the next run of the issue gets."""
        return self.issue.last_run + 1

    @property
    def left(self) -> str:
        """What the copies are that no run holds: `all`, `late orders` or `more copies`."""
        if not self.issue.has_live_runs:
            return "all"
        return "more copies" if self.issue.has_filters else "late orders"

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to do, now or later."""
        due = self.counts
        return not (self.runs or due.lines or due.waiting or due.claims_on_hold)


class UnsentIssue(ReleasedIssue, frozen=True):
    """A released issue, and how many of its copies a run would take."""

    copies: int


class LateIssue(Struct, frozen=True, kw_only=True):
    """What is left to send of an issue that is out.

    lines: what a run of everything takes, with its replacements and grace copies. waiting: copies
    and replacements that wait. is_apart: whether one mailing of all leaves it out unless a user
    chooses it: the current issue, and others with a button of their own, if there are any without.
    """

    issue_id: str
    number: int
    name: str
    lines: int
    replacements: int
    waiting: int
    is_apart: bool


class LeftToSend(Struct, frozen=True):
    """What is left to send of the current issue and of those with runs, and of other issues.

    tasks: the current issue is first, even if nothing of it is left. unsent: all other released
    issues with copies that are neither sent nor waiting, newest first. groups: runs of several
    issues that are not marked as sent. together: how many issues one mailing of several can take,
    besides the current one.
    """

    tasks: Sequence[IssueDue]
    unsent: Sequence[UnsentIssue]
    groups: Sequence[FrozenGroup]
    together: int


class StoppedCopies(Struct, frozen=True):
    """What stops copies, and the replacements that no run holds.

    claimed: replacements that a run takes. claims_on_hold: those that wait. undeliverable, moved:
    addresses with
    open reports of carriers. held: subscriptions; several copies for one address count once.
    """

    claimed: int
    claims_on_hold: int
    undeliverable: int
    moved: int
    held: int


async def find_waiting(db: Connection, account_id: int) -> StoppedCopies:
    """What stops copies, and the replacements to send. Queries: three, read aside."""
    claims = await count_open(db, account_id)
    reported = await delivery_reports.count_open_addresses(db, account_id)
    return StoppedCopies(
        claimed=sum(each.count for each in claims),
        claims_on_hold=sum(each.on_hold for each in claims),
        undeliverable=reported[ReportKind.UNDELIVERABLE],
        moved=reported[ReportKind.MOVED],
        held=await holds.count_held(db, account_id),
    )


async def find_left_to_send(
    context: PageContext, db: Connection, current: Issue | None
) -> LeftToSend:
    """What is left to send of all issues. Queries: five, and four to count; read aside."""
    account_id, today = context.account_id, context.membership.daily_date
    known = {
        issue.issue_number: issue
        for issue in await due.list_issues_with_runs(db, account_id, limit=MAX_RUNS)
    }
    if current is not None:
        of_current = known.pop(current.number, None) or _without_runs(current)
        known = {current.number: of_current, **known}
    released = await issues.list_all_released(
        db, account_id, today=today, current=current.number if current else 0
    )
    others = [each for each in released if each.issue_number not in known]
    numbers = [*known, *(each.issue_number for each in others)]
    counts = await context.count_once(
        db, ("due", *numbers), partial(due.count_due, db, account_id, numbers)
    )
    grace = await grace_candidates.count_due(db, account_id, known)
    frozen = await due.list_frozen_runs(db, account_id, limit=MAX_RUNS)
    found = [
        IssueDue(
            issue,
            [run for run in frozen if run.issue_number == number],
            _leave_to_line(counts[number], grace.get(number, 0)),
            grace.get(number, 0),
        )
        for number, issue in known.items()
    ]
    is_current = current.number if current else None
    unsent = [
        UnsentIssue(**structs.asdict(each), copies=copies)
        for each in others
        if (copies := counts[each.issue_number].free)
    ]
    are_out = {each.issue_number for each in released} - {is_current}
    return LeftToSend(
        [each for each in found if each.issue.issue_number == is_current or not each.is_empty],
        unsent,
        await list_frozen_groups(db, account_id, limit=MAX_RUNS),
        together=len(unsent)
        + sum(1 for number in known if counts[number].lines and number in are_out),
    )


def _leave_to_line(counts: DueCounts, grace_copies: int) -> DueCounts:
    """What is left of an issue, without replacements that no copies go out with.

    Home and the page of mailings count those of all issues in one line. Otherwise, an issue would
    appear again as soon as one of its replacements is in a mailing.
    """
    if counts.free or grace_copies:
        return counts
    return structs.replace(counts, claims=0, claims_on_hold=0)


async def find_late(context: PageContext, db: Connection, current: Issue | None) -> list[LateIssue]:
    """The issues that are out of which something is left, newest first. Queries: seven, aside."""
    account_id, today = context.account_id, context.membership.daily_date
    is_current = current.number if current else 0
    released = await issues.list_all_released(db, account_id, today=today, current=is_current)
    numbers = [each.issue_number for each in released]
    counts = await due.count_due(db, account_id, numbers)
    left = [number for number in numbers if counts[number].lines]
    grace = await grace_candidates.count_due(db, account_id, left) if left else {}
    with_runs = await due.list_issues_with_runs(db, account_id, limit=MAX_RUNS)
    own = {is_current, *(each.issue_number for each in with_runs)}
    have_others = not own.issuperset(left)
    return [
        LateIssue(
            issue_id=each.issue_id,
            number=each.issue_number,
            name=each.issue_name,
            lines=found.lines + grace.get(each.issue_number, 0),
            replacements=found.claims,
            waiting=found.waiting + found.claims_on_hold,
            is_apart=each.issue_number == is_current or (have_others and each.issue_number in own),
        )
        for each in released
        if (found := counts[each.issue_number]).lines or found.waiting or found.claims_on_hold
    ]


async def find_due(db: Connection, account_id: int, issue: Issue) -> IssueDue:
    """What is left to send of an issue. Queries: seven, read aside."""
    [known] = await due.list_issues_with_runs(
        db, account_id, number=issue.number, limit=MAX_RUNS
    ) or [_without_runs(issue)]
    counts = await due.count_due(db, account_id, [issue.number])
    grace = await grace_candidates.count_due(db, account_id, [issue.number])
    frozen = await due.list_frozen_runs(db, account_id, number=issue.number, limit=MAX_RUNS)
    return IssueDue(known, frozen, counts[issue.number], grace.get(issue.number, 0))


def _without_runs(issue: Issue) -> IssueWithRuns:
    return IssueWithRuns(
        issue_id=issue.id,
        issue_number=issue.number,
        issue_name=issue.name,
        last_run=0,
        has_live_runs=False,
        has_filters=False,
    )
