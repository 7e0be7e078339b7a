"""Who reached a stage of the renewal and was not renewed."""

from datetime import date

import pytest

from masthead.model.renewals.lapsed import Candidate, RenewalStage
from masthead.store.letters.planned import list_ready
from masthead.store.renewals import lapsed
from tests.conftest import Cast
from tests.support.factories import (
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

TODAY = date(2099, 6, 15)


async def find(cast: Cast, stage: str, current: int = 4) -> list[Candidate]:
    async with cast.db.read(aside=True) as connection:
        return await list_ready(
            connection, cast.account_id, RenewalStage(stage), issue_number=current, today=TODAY
        )


async def ids(cast: Cast, stage: str, current: int = 4) -> list[str]:
    return [each.subscription_id for each in await find(cast, stage, current)]


@pytest.mark.parametrize(
    "stage, length", [("before", 5), ("last", 4), ("after_1", 3), ("after_2", 2)]
)
async def test_each_stage_finds_the_subscriptions_that_end_with_its_issue(
    acme: Cast, rival: Cast, stage: str, length: int
) -> None:
    await make_issues(acme, 1, 4)
    await make_issues(rival, 1, 4)
    made = {each: await make_subscription(acme, length=each) for each in (1, 2, 3, 4, 5, 6)}
    await make_subscription(rival, length=length)
    assert await ids(acme, stage) == [made[length]["id"]]


async def test_a_candidate_has_what_a_letter_needs(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(
        acme, length=1, email="ada@example.test", last_name="Byron", address1="Allee 1", city="Bonn"
    )
    [found] = await find(acme, "last", 1)
    assert (found.subscription_id, found.subscriber_id) == (made["id"], made["subscriber"]["id"])
    assert (found.email, found.is_placeholder) == ("ada@example.test", False)
    assert (found.is_unsubscribed, found.has_bounced) == (False, False)
    assert (found.subscriber_first_name, found.subscriber_last_name) == ("Ada", "Byron")
    assert (found.first_name, found.address1, found.city, found.country) == (
        "Ada",
        "Allee 1",
        "Bonn",
        "DE",
    )
    assert (found.last_issue, found.period_end, found.length) == (1, None, 1)
    assert (found.price, found.currency) == (4200, "EUR")


async def test_a_subscriber_without_email_gets_no_email(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, length=1)
    [found] = await find(acme, "last", 1)
    assert found.is_placeholder


async def test_what_is_cancelled_free_or_recurring_is_left_out(acme: Cast) -> None:
    await make_issue(acme)
    cancelled = await make_subscription(acme, length=1)
    await acme.post(f"/v1/subscriptions/{cancelled['id']}/cancel/", {"mode": "cancel"})
    await make_subscription(acme, length=1, is_comp=True, price="0")
    await make_subscription(acme, length=1, is_recurring=True)
    complete = await import_row(acme, start_issue="1", length="1", sent_issues="1")
    stopped = await make_subscription(acme, length=1, is_recurring=True)
    await acme.post(f"/v1/subscriptions/{stopped['id']}/cancel/", {"mode": "stop_renewals"})
    assert await ids(acme, "last", 1) == [complete["id"], stopped["id"]]


async def test_a_renewed_subscription_is_left_out(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    made = await import_row(acme, start_issue="1", length="1", order_id="FIRST-ORDER")
    [before] = await find(acme, "last", 1)
    await import_row(acme, renews="FIRST-ORDER", start_issue="", length="")
    assert await ids(acme, "last", 1) == []
    [after] = await find(acme, "last", 2)
    assert before.subscription_id == after.subscription_id == made["id"]
    assert await lapsed.find_open(
        acme.db, acme.account_id, [before.period_id, after.period_id]
    ) == {after.period_id}


@pytest.mark.parametrize(
    "newer, is_listed",
    [
        ({"start_issue": 3, "length": 2}, False),
        ({"start_issue": 2, "length": 2}, False),  # ordered while the last issue was current
        ({"start_issue": 1, "length": 2}, True),  # another copy of the same order
        ({"start_issue": 2, "length": 1}, True),  # ends with the same issue
    ],
)
async def test_a_subscriber_with_a_newer_subscription_has_not_lapsed(
    acme: Cast, newer: dict[str, object], is_listed: bool
) -> None:
    await make_issues(acme, 1, 4)
    old = await make_subscription(acme, email="ada@example.test", length=2)
    await make_subscription(acme, email="ada@example.test", **newer)
    assert (old["id"] in await ids(acme, "last", 2)) is is_listed


async def test_a_cancelled_newer_subscription_does_not_count(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    old = await make_subscription(acme, email="ada@example.test", length=1)
    newer = await make_subscription(acme, email="ada@example.test", start_issue=2)
    assert await ids(acme, "last", 1) == []
    await acme.post(f"/v1/subscriptions/{newer['id']}/cancel/", {"mode": "cancel"})
    assert await ids(acme, "last", 1) == [old["id"]]


@pytest.mark.parametrize(
    "stage, ends",
    [
        ("before", ["2099-07-16", "2099-08-14"]),
        ("last", ["2099-06-15", "2099-07-15"]),
        ("after_1", ["2099-05-16", "2099-06-14"]),
        ("after_2", ["2099-04-16", "2099-05-15"]),
    ],
)
async def test_memberships_reach_a_stage_by_their_last_day(
    acme: Cast, stage: str, ends: list[str]
) -> None:
    around = ["2099-04-15", *ends, "2099-08-15"]
    made = {end: (await make_membership(acme, period_end=end))["id"] for end in around}
    assert await ids(acme, stage) == [made[end] for end in ends]


async def test_a_renewed_membership_is_left_out(acme: Cast) -> None:
    await make_membership(acme, period_end="2099-06-30", order_id="FIRST-ORDER")
    await make_membership(
        acme, renews="FIRST-ORDER", period_start="", period_end="", interval_months=""
    )
    assert await ids(acme, "last") == []


async def test_a_later_membership_renews_an_earlier_one(acme: Cast) -> None:
    subscriber = {"email": "ada@example.test"}
    first = await make_membership(acme, period_end="2099-06-30", **subscriber)
    second = await make_membership(acme, period_end="2099-06-30", **subscriber)
    assert await ids(acme, "last") == [first["id"], second["id"]]  # ordered together
    await make_membership(acme, period_start="2099-07-01", **subscriber)
    assert await ids(acme, "last") == []


async def test_a_membership_renews_a_subscription_while_it_is_live(acme: Cast) -> None:
    await make_issue(acme)
    old = await make_subscription(acme, email="ada@example.test", length=1)
    assert await ids(acme, "last", 1) == [old["id"]]
    await make_membership(acme, email="ada@example.test")
    assert await ids(acme, "last", 1) == []


async def test_a_lapsed_membership_does_not_renew_a_subscription(acme: Cast) -> None:
    await make_issue(acme)
    old = await make_subscription(acme, email="ada@example.test", length=1)
    await make_membership(
        acme, email="ada@example.test", period_start="2020-01-01", period_end="2020-12-31"
    )
    assert await ids(acme, "last", 1) == [old["id"]]


async def test_stages_stay_within_the_years_that_dates_have(acme: Cast) -> None:
    await make_membership(acme, period_start="9999-01-01", period_end="9999-12-31")
    async with acme.db.read(aside=True) as connection:
        found = await list_ready(
            connection, acme.account_id, RenewalStage.LAST, issue_number=1, today=date.max
        )
    assert len(found) == 1
