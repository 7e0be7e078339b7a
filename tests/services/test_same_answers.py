"""Pages, programs and files that answer one question say the same about any account."""

from collections import Counter
from typing import Any

import pytest

from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.letters.outcomes import SkipReason
from masthead.model.pagination import PageRequest
from masthead.model.renewals.lapsed import RenewalList, RenewalListQuery, RenewalStage
from masthead.model.timeline.codes import WhyCode
from masthead.services.claims.why import answer_why
from masthead.services.dispatch.preview import preview_dispatch
from masthead.services.letters.recipients import count_letters, plan_letters
from masthead.services.timeline import get_timeline
from masthead.store import accounts
from masthead.store.dispatch import grace_candidates
from masthead.store.dispatch.due import count_due, count_free, list_frozen_runs
from masthead.store.dispatch.open_claims import count_open
from masthead.store.issues import records as issues
from masthead.store.renewals import ending, lists
from masthead.store.reports import forecasts
from tests.conftest import Cast
from tests.support.random_accounts import LAST_ISSUE, make_random
from tests.support.walk import walk

SEEDS = range(4)
UNSENT = {WhyCode.WAITING, WhyCode.NOT_OUT}


def shown_as(code: WhyCode) -> set[WhyCode]:
    """The codes in a timeline for an answer, which names the run, the claim or the report too."""
    if code.rank <= WhyCode.MOVED.rank:
        return {WhyCode.SENT}
    if code is WhyCode.HELD:
        return {code}
    return UNSENT if code.rank <= WhyCode.WAITING.rank else {code}


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_timeline_and_why_agree_on_each_issue(acme: Cast, seed: int) -> None:
    today = await make_random(acme, seed)
    subscribers = await walk(acme, "/v1/subscribers/", 200)
    async with acme.db.read(aside=True) as db:
        for id in [each["id"] for each in subscribers]:
            timeline = await get_timeline(db, acme.account_id, id, day=today, number=LAST_ISSUE + 1)
            assert timeline.answer is not None
            for shown in [timeline.answer, *timeline.issues]:
                answer = await answer_why(db, acme.account_id, id, number=shown.issue.number)
                by_id = {each.subscription_id: each for each in answer.subscriptions}
                for delivery in shown.deliveries:
                    own = by_id[delivery.subscription.id]
                    assert delivery.code in shown_as(own.code)
                    assert delivery.copy is None or delivery.copy.status is own.copy_status
                with_copy = sum(each.count for each in shown.deliveries if each.copy)
                assert with_copy == sum(own.copy_id is not None for own in by_id.values())
                assert shown.deliveries[0].code in shown_as(answer.code)


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_print_run_is_the_copies_that_runs_take_or_leave_out(
    acme: Cast, seed: int
) -> None:
    today = await make_random(acme, seed)
    copies = Counter(
        (each["issue"]["number"], each["status"]) for each in await walk(acme, "/v1/copies/", 200)
    )
    async with acme.db.read(aside=True) as db:
        coming = await forecasts.list_coming_issues(db, acme.account_id, today)
        current = await issues.find_current(db, acme.account_id, today)
        found = await forecasts.list_print_runs(db, acme.account_id, coming, current=current)
        printed = {run.number: run.total.copies for run in found if run.issue}
    assert printed
    for issue in await walk(acme, "/v1/issues/", 200):
        number = issue["number"]
        live = copies[number, "Sent"] + copies[number, "Not sent"]
        assert printed.get(number, live) == live
        everything = DispatchSelection()
        seen = await preview_dispatch(acme.db, acme.account_id, issue["id"], everything)
        left = seen.not_taken
        in_runs = sum(run.copies for run in left.runs)
        waiting = left.on_hold + left.held
        assert seen.copies + in_runs + left.sent + waiting + left.not_selected == live
        assert left.cancelled == copies[number, "Cancelled"]


@pytest.mark.parametrize("seed", SEEDS)
async def test_what_is_due_is_what_the_next_run_takes_and_what_it_leaves_out(
    acme: Cast, seed: int
) -> None:
    await make_random(acme, seed)
    issues_ = await walk(acme, "/v1/issues/", 200)
    numbers = [each["number"] for each in issues_]
    async with acme.db.read(aside=True) as db:
        due = await count_due(db, acme.account_id, numbers)
        grace = await grace_candidates.count_due(db, acme.account_id, numbers)
        frozen = await list_frozen_runs(db, acme.account_id, limit=100)
        free = {each: await count_free(db, acme.account_id, each) for each in numbers}
        open_claims = {each.issue_number: each for each in await count_open(db, acme.account_id)}
    for issue in issues_:
        number = issue["number"]
        own, runs = due[number], [run for run in frozen if run.issue_number == number]
        seen = await preview_dispatch(acme.db, acme.account_id, issue["id"], DispatchSelection())
        left = seen.not_taken
        assert (own.free, own.claims) == (seen.copies, seen.replacements)
        assert own.free == free[number], "the page of a run names the late orders"
        assert seen.grace_copies == (grace.get(number, 0))
        assert (own.waiting - own.of_held, own.of_held) == (left.on_hold, left.held)
        assert own.in_runs == sum(run.copies for run in runs)
        assert all(run.copies + run.replacements + run.grace_copies == run.held for run in runs)
        waiting = open_claims.get(number)
        told = (waiting.count, waiting.on_hold, waiting.unsent) if waiting else (0, 0, 0)
        assert told == (own.claims, own.claims_on_hold, left.replacements - own.claims_on_hold)


@pytest.mark.parametrize("seed", SEEDS)
async def test_one_round_of_renewals_has_the_same_subscriptions_everywhere(
    acme: Cast, seed: int
) -> None:
    today = await make_random(acme, seed)
    account_id, page = acme.account_id, PageRequest(limit=200, after=None, binding=b"")
    async with acme.db.read(aside=True) as db:
        account = await accounts.get_account(db, account_id)
        soon = await ending.find_soon(db, account_id, today)
        assert soon
        home = await ending.list_ending(db, account_id, page, soon)
        members = await ending.list_ending_memberships(db, account_id, page, today=today)
        listed, paid, letters = set(), set(), set()
        for kind, stage in ((RenewalList.ENDING, "last"), (RenewalList.NEXT, "before")):
            asked: dict[str, Any] = {"current": soon.first, "today": today}
            query = RenewalListQuery()
            rows = await lists.list_renewals(db, account_id, kind, query, page, **asked)
            counted_rows = await lists.count_renewals(db, account_id, kind, query, **asked)
            free = sum(each.is_comp for each in rows.items)
            assert (counted_rows.rows, counted_rows.free) == (len(rows.items), free)
            listed |= {each.subscription_id for each in rows.items}
            paid |= {each.subscription_id for each in rows.items if not each.is_comp}
            counted = await count_letters(db, account, RenewalStage(stage))
            planned = await plan_letters(db, account, RenewalStage(stage))
            letters |= {each.candidate.subscription_id for each in planned.letters}
            renewed = counted.skipped.get(SkipReason.RENEWED, 0)
            told = sum(counted.by_channel.values()) + sum(counted.skipped.values()) - renewed
            assert told + counted.written == len(planned.letters)
    assert {each.id for each in [*home.items, *members.items]} == listed
    assert letters == paid  # complimentary copies get no letter
