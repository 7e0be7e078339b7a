"""The renewal list and the list of past due subscriptions."""

from datetime import date
from typing import Any

from msgspec import structs

from masthead.model.pagination import Page, PageRequest, binding_of, decode_cursor
from masthead.model.renewals.ending import Ending, EndingRange
from masthead.store.renewals import ending as renewals
from tests.conftest import Cast
from tests.support.factories import (
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

TODAY = date(2099, 6, 15)


def ask(page: Page[Ending] | None = None, limit: int = 50) -> PageRequest:
    """The first page, or the page after a cursor."""
    binding = binding_of(1, "ending", {})
    after = decode_cursor(binding, page.cursor) if page and page.cursor else None
    return PageRequest(limit=limit, after=after, binding=binding)


async def ending(cast: Cast, soon: EndingRange) -> list[dict[str, Any]]:
    async with cast.db.read(aside=True) as connection:
        page = await renewals.list_ending(connection, cast.account_id, ask(), soon)
    return [{**structs.asdict(item), "full_name": item.full_name} for item in page.items]


async def members(cast: Cast) -> list[str]:
    page = await renewals.list_ending_memberships(cast.db, cast.account_id, ask(), today=TODAY)
    return [item.id for item in page.items]


async def test_subscriptions_that_end_soon_and_do_not_renew_are_listed(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    stopped = await make_subscription(acme, length=2, is_recurring=True)
    await acme.post(f"/v1/subscriptions/{stopped['id']}/cancel/", {"mode": "stop_renewals"})
    single = await make_subscription(acme, length=1, email="ada@example.test", last_name="Byron")
    await make_subscription(acme, length=3)
    await make_subscription(acme, length=1, is_recurring=True)
    gone = await make_subscription(acme, length=1)
    await acme.post(f"/v1/subscriptions/{gone['id']}/cancel/", {"mode": "cancel"})
    complete = await import_row(acme, start_issue="1", length="1", sent_issues="1")
    renewed = {"email": "renewed@example.test"}
    await make_subscription(acme, length=1, **renewed)
    await make_subscription(acme, start_issue=2, length=4, **renewed)
    first, sent, second = await ending(acme, EndingRange(1, 2))
    assert [first["id"], second["id"]] == [single["id"], stopped["id"]]
    assert (sent["id"], sent["status"]) == (complete["id"], "Complete")
    assert first == {
        "id": single["id"],
        "status": "Active",
        "first_name": "Ada",
        "last_name": "Byron",
        "company": None,
        "full_name": "Ada Byron",
        "email": "ada@example.test",
        "is_placeholder": False,
        "subscriber_id": single["subscriber"]["id"],
        "medium": "Print",
        "country": "DE",
        "last_issue": 1,
        "period_end": None,
    }
    assert second["status"] == "Active - Renewals stopped"
    assert second["is_placeholder"] is True


async def test_the_renewal_list_has_pages_and_begins_with_the_earliest_end(acme: Cast) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme, length=length) for length in (2, 1, 2, 1, 3)]
    page, ids = None, list[str]()
    while page is None or page.has_more:
        page = await renewals.list_ending(
            acme.db, acme.account_id, ask(page, limit=2), EndingRange(1, 9)
        )
        ids += [item.id for item in page.items]
    assert ids == [made[place]["id"] for place in (1, 3, 0, 2, 4)]


async def test_memberships_are_listed_60_days_ahead(acme: Cast) -> None:
    async def make(start: str, end: str, **columns: str) -> str:
        made = await make_membership(acme, period_start=start, period_end=end, **columns)
        return str(made["id"])

    soon = await make("2099-01-01", "2099-08-14")
    sooner = await make("2099-01-01", "2099-06-15")
    await make("2099-01-01", "2099-08-15")
    await make("2099-01-01", "2099-06-14")
    await make("2099-01-01", "2099-07-31", is_recurring="true")
    order = {"order_id": "FIRST-ORDER"}
    await make("2099-01-01", "2099-07-31", **order)
    await make_membership(
        acme, renews="FIRST-ORDER", period_start="", period_end="", interval_months=""
    )
    assert await members(acme) == [sooner, soon]


async def test_memberships_are_listed_in_pages(acme: Cast) -> None:
    made = [
        await make_membership(acme, period_start="2099-01-01", period_end=end)
        for end in ("2099-07-31", "2099-07-30", "2099-07-31")
    ]
    page, ids = None, list[str]()
    while page is None or page.has_more:
        page = await renewals.list_ending_memberships(
            acme.db, acme.account_id, ask(page, limit=1), today=TODAY
        )
        ids += [item.id for item in page.items]
    assert ids == [made[place]["id"] for place in (1, 0, 2)]


async def test_memberships_that_end_soon_are_counted_up_to_a_limit(acme: Cast) -> None:
    for _ in range(3):
        await make_membership(acme, period_start="2099-01-01", period_end="2099-07-31")
    async with acme.db.read(aside=True) as db:
        for most, count in ((2, 2), (9, 3)):
            found = await renewals.count_ending_memberships(
                db, acme.account_id, today=TODAY, most=most
            )
            assert found == count


async def test_other_accounts_are_not_listed(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    await make_subscription(rival)
    await make_membership(rival, period_start="2099-01-01", period_end="2099-07-31")
    assert await ending(acme, EndingRange(1, 9)) == []
    assert await members(acme) == []


# --- How far ahead -------------------------------------------------------------------------------


async def test_ending_soon_means_with_the_current_issue_or_the_next_one(acme: Cast) -> None:
    assert await renewals.find_soon(acme.db, acme.account_id, TODAY) is None
    await make_issues(acme, 1, 3)
    assert await renewals.find_soon(acme.db, acme.account_id, TODAY) == EndingRange(1, 2)
    await make_issue(acme, 4, date_as_start_issue="2099-06-15")
    assert await renewals.find_soon(acme.db, acme.account_id, TODAY) == EndingRange(4, 5)


async def test_subscriptions_that_have_ended_are_counted_and_not_listed(
    acme: Cast, rival: Cast
) -> None:
    for cast in (acme, rival):
        await make_issues(cast, 1, 4)
        for length in (1, 2, 2, 3, 4):
            await make_subscription(cast, length=length)
    await make_subscription(acme, length=1, is_recurring=True)
    await import_row(acme, start_issue="1", length="1", sent_issues="1")  # Complete
    soon = EndingRange(3, 4)
    assert [item["last_issue"] for item in await ending(acme, soon)] == [3, 4]
    assert await renewals.count_ended(acme.db, acme.account_id, soon) == 3
    ended = await renewals.list_ended(acme.db, acme.account_id, ask(), soon)
    assert [item.last_issue for item in ended.items] == [1, 2, 2]
