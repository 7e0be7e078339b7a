"""Preview a dispatch run: what it would take, or what happened to it since it was frozen.

Reading only, and aside: an issue with 50,000 copies takes about 1.5 s.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import timedelta

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.dispatch.address_layout import build_layout, home_country
from masthead.model.dispatch.preview import (
    ChangedAddress,
    ChangedAddresses,
    CountryCount,
    DispatchPreview,
    GroupCount,
    LiveRun,
    MediumCount,
    NotTaken,
    RunPreview,
)
from masthead.model.dispatch.profiles import ProfileSettings
from masthead.model.dispatch.runs import (
    CountryGroup,
    Dispatch,
    DispatchSelection,
    Layout,
    LineStatus,
)
from masthead.model.resources import IssueRef
from masthead.model.types.enums import Medium
from masthead.services.dispatch.address_problems import find_candidate_problems
from masthead.services.issues.records import is_issue_released
from masthead.store import accounts
from masthead.store.dispatch import (
    candidate_lists,
    candidates,
    due,
    grace_candidates,
    lines,
    run_changes,
    runs,
)
from masthead.store.dispatch.candidates import CandidateCount, ChangedSubscription
from masthead.store.engine.interface import Connection, Database
from masthead.store.issues import records as issues

CHANGED_DAYS = timedelta(days=7)  # for so long, a changed address is shown
CHANGED_NAMES = 20  # so many subscribers with a changed address are named

Totals = Mapping[tuple[str, Medium], int]  # lines by country and medium


class CandidateCounts(Struct, frozen=True):
    """The copies of an issue, and the grace copies that are due with it."""

    copies: list[CandidateCount]
    grace: list[CandidateCount]

    @property
    def free(self) -> list[CandidateCount]:
        """Those that a run of everything takes."""
        return [each for each in (*self.copies, *self.grace) if each.reason == "free"]


async def count_copies(db: Connection, account_id: int, issue_number: int) -> CandidateCounts:
    """Count what a run of an issue may take. Queries: two, about 3 µs for each copy: read aside."""
    return CandidateCounts(
        await candidates.count_copies(db, account_id, issue_number),
        await grace_candidates.count_grace(db, account_id, issue_number),
    )


async def preview_dispatch(
    db: Database,
    account_id: int,
    issue_id: str,
    selection: DispatchSelection,
    *,
    settings: ProfileSettings | None = None,
    checks_addresses: bool = True,
    count: Callable[[Connection, int, int], Awaitable[CandidateCounts]] = count_copies,
) -> DispatchPreview:
    """The copies that `freeze_dispatch` would take now. Raises: NotFound.

    settings: of the profile of the files, for the problems that depend on it. checks_addresses:
    whether to find problems, which takes half a second for 50,000 lines; if not, there are none.
    count: `count_copies`, or what keeps its answers; it gets the snapshot of all else.
    Queries: thirteen, and two for 2,000 copies, in one snapshot.
    """
    async with db.read(is_long=True) as connection:
        account = await accounts.get_account(connection, account_id)
        issue = await issues.get_issue(connection, account_id, issue_id)
        which = (account_id, issue.number, selection)
        counts = await count(connection, account_id, issue.number)
        taken = [each.within(selection) for each in counts.copies]
        claims = await candidates.count_claims(connection, *which)
        known = await runs.list_of_issues(connection, account_id, [issue.number])
        changed = await candidate_lists.list_changed(
            connection, *which, since=now() - CHANGED_DAYS, limit=CHANGED_NAMES
        )
        moved = await candidate_lists.count_moved(connection, *which)
        is_out = await is_issue_released(connection, account_id, issue, day=account.daily_date)
        copies, replacements = _totals(taken), _totals(claims)
        grace_totals = _totals(each.within(selection) for each in counts.grace)
        totals = Counter(copies) + Counter(replacements) + Counter(grace_totals)
        home = home_country(account.country, _sum_by_country(totals))
        layout = build_layout({country for country, _ in totals}, home)
        found = (
            await find_candidate_problems(connection, *which, layout, settings)
            if checks_addresses
            else None
        )
    problems = await found.report(account_id) if found else []
    return DispatchPreview(
        issue=IssueRef(id=issue.id, number=issue.number, name=issue.name),
        release_date=issue.release_date_actual,
        is_released=is_out,
        number=max((run.number for run in known), default=0) + 1,
        selection=selection,
        home=layout.home,
        lines=totals.total(),
        copies=sum(copies.values()),
        replacements=sum(replacements.values()),
        grace_copies=sum(grace_totals.values()),
        postal=totals.total() - _digital(totals),
        digital=_digital(totals),
        groups=_by_group(totals, layout),
        countries=_by_country(totals, layout),
        media=_by_medium(totals),
        not_taken=_not_taken(taken, claims, known),
        changed=_changed(changed),
        moved_reports=moved,
        problems=problems,
    )


async def preview_run(db: Database, account_id: int, id: str) -> RunPreview:
    """A run with what happened since it was frozen. Raises: NotFound.

    The copies and addresses of a run do not change; what changed concerns the next run.
    Queries: six, in one snapshot.
    """
    async with db.read(is_long=True) as connection:
        run = await runs.get_dispatch(connection, account_id, id)
        counts = await lines.count_lines(connection, account_id, id)
        left = await run_changes.count_left(connection, account_id, id)
        changed = await run_changes.list_changed(connection, account_id, id, limit=CHANGED_NAMES)
        on_hold = await run_changes.count_on_hold(connection, account_id, id)
        late = await due.count_free(connection, account_id, run.issue_number)
    by_status: Counter[LineStatus] = Counter()
    totals: Counter[tuple[str, Medium]] = Counter()
    for (country, medium, status), count in counts.items():
        by_status[status] += count
        if status is not LineStatus.LEFT:
            totals[country, Medium(medium)] += count
    return RunPreview(
        dispatch=run,
        held=by_status[LineStatus.IN_RUN],
        sent=by_status[LineStatus.SENT],
        left=left,
        postal=totals.total() - _digital(totals),
        digital=_digital(totals),
        groups=_by_group(totals, run.layout),
        countries=_by_country(totals, run.layout),
        media=_by_medium(totals),
        changed=_changed(changed),
        on_hold=on_hold,
        late=late,
    )


def _sum_by_country(totals: Totals) -> Counter[str]:
    by_country: Counter[str] = Counter()
    for (code, _), count in totals.items():
        by_country[code] += count
    return by_country


def _totals(counts: Iterable[CandidateCount]) -> Totals:
    """What a run takes."""
    totals: Counter[tuple[str, Medium]] = Counter()
    for each in counts:
        if each.reason == "free":
            totals[each.country, Medium(each.medium)] += each.count
    return totals


def _digital(totals: Totals) -> int:
    return sum(count for (_, medium), count in totals.items() if medium is Medium.DIGITAL)


def _by_country(totals: Totals, layout: Layout) -> list[CountryCount]:
    """Most lines first."""
    found = [
        CountryCount(
            country=country,
            group=layout.countries[country].group,
            lines=count,
            digital=totals.get((country, Medium.DIGITAL), 0),
        )
        for country, count in _sum_by_country(totals).items()
    ]
    return sorted(found, key=lambda each: (-each.lines, each.country))


def _by_group(totals: Totals, layout: Layout) -> list[GroupCount]:
    """Home first."""
    countries = _by_country(totals, layout)
    return [
        GroupCount(
            group=group,
            lines=sum(each.lines for each in countries if each.group is group),
            digital=sum(each.digital for each in countries if each.group is group),
        )
        for group in CountryGroup
        if any(each.group is group for each in countries)
    ]


def _by_medium(totals: Totals) -> list[MediumCount]:
    """Most lines first."""
    counts: Counter[Medium] = Counter()
    for (_, medium), count in totals.items():
        counts[medium] += count
    return [MediumCount(medium=medium, lines=count) for medium, count in counts.most_common()]


def _not_taken(
    copies: Sequence[CandidateCount], claims: Sequence[CandidateCount], known: Sequence[Dispatch]
) -> NotTaken:
    reasons: Counter[str] = Counter()
    in_runs: Counter[str] = Counter()
    for each in copies:
        reasons[each.reason] += each.count
        in_runs[each.dispatch_id] += each.count
    return NotTaken(
        sent=reasons["Sent"],
        cancelled=reasons["Cancelled"],
        on_hold=reasons["on hold"],
        held=reasons["held"],
        not_selected=reasons["not selected"],
        runs=[
            LiveRun(
                id=run.id,
                number=run.number,
                status=run.status,
                date_sent=run.date_sent,
                copies=in_runs[run.id],
            )
            for run in known
            if in_runs[run.id]
        ],
        replacements=sum(each.count for each in claims if each.reason != "free"),
    )


def _changed(found: Sequence[ChangedSubscription]) -> ChangedAddresses:
    return ChangedAddresses(
        count=found[0].count if found else 0,
        first=[
            ChangedAddress(
                subscription_id=each.id,
                subscriber_id=each.subscriber_id,
                name=each.full_name,
                changed_at=each.changed_at,
            )
            for each in found
        ],
    )
