"""What happened to subscribers, subscriptions and issues, as the pages show it."""

from collections.abc import Sequence

from masthead.model.history.entries import HistoryPage
from masthead.model.ids import LAST_NUMBER
from masthead.model.pagination import PageRequest
from masthead.services.history import entries as service
from masthead.services.subscribers.merge import merge_subscribers
from masthead.store.issues import records as issues
from tests.conftest import BY, Cast
from tests.support.factories import (
    copies_of,
    import_row,
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)


def texts(page: HistoryPage) -> list[str]:
    """The sentences, oldest first."""
    return [line.text for group in reversed(page.groups) for line in group.lines]


async def of_subscription(cast: Cast, id: str, *, before: int = LAST_NUMBER) -> HistoryPage:
    async with cast.db.read(aside=True) as db:
        return await service.history_of_subscription(db, cast.account_id, id, service.View(before))


async def of_subscriber(cast: Cast, id: str) -> HistoryPage:
    async with cast.db.read(aside=True) as db:
        return await service.history_of_subscriber(db, cast.account_id, id)


async def of_issue(cast: Cast, number: int, *, before: int = LAST_NUMBER) -> HistoryPage:
    async with cast.db.read(aside=True) as db:
        page = await issues.list_issues(db, cast.account_id, PageRequest(1, str(number + 1), b""))
        return await service.history_of_issue(
            db, cast.account_id, page.items[0], service.View(before)
        )


async def mark(cast: Cast, ids: Sequence[int]) -> None:
    response = await cast.post("/v1/copies/mark-sent/", {"ids": list(ids)})
    assert response.status_code == 200, response.text


async def test_a_subscription_shows_its_copies_claims_and_problems(acme: Cast, rival: Cast) -> None:
    await make_issues(acme, 1, 2)
    await make_issue(rival)
    await make_subscription(rival)
    made = await make_subscription(acme, length=2)
    await make_claim(acme, made)
    await make_delivery_report(acme, made["id"])
    [_, second] = await copies_of(acme, made["id"])
    await mark(acme, [second["id"]])
    page = await of_subscription(acme, made["id"])
    assert texts(page) == [
        "Subscription ordered",
        "Copy of issue 1 marked as sent",
        "Claim for issue 1 recorded",
        "Delivery problem recorded",
        "Copy of issue 2 marked as sent",
        "Subscription completed",
    ]
    assert page.older is None
    [group] = page.groups
    assert group.by.startswith("API key ")
    assert not group.lines[0].subjects


async def test_a_run_is_in_the_history_of_its_subscriptions(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = [await make_subscription(acme, length=1) for _ in range(2)]
    run = await make_dispatch(acme, issue["id"])
    await acme.post(f"/v1/dispatches/{run['id']}/mark-sent/", {})
    await acme.post(f"/v1/dispatches/{run['id']}/undo/", {})
    assert texts(await of_subscription(acme, made[0]["id"])) == [
        "Subscription ordered",
        "Subscription completed",
        "Copy of issue 1 marked as sent (mailing 1)",
        "Status corrected",
        "Copy of issue 1 no longer marked as sent (mailing 1)",
    ]


async def test_an_issue_counts_its_copies_and_the_subscriptions_that_were_completed(
    acme: Cast,
) -> None:
    issue = await make_issue(acme)
    made = [await make_subscription(acme, length=1 + n % 2) for n in range(5)]
    copies = [(await copies_of(acme, each["id"]))[0]["id"] for each in made]
    await mark(acme, copies[:3])
    page = await of_issue(acme, 1)
    assert texts(page) == [
        "Issue created",
        "3 copies of issue 1 marked as sent",
        "2 subscriptions completed",
    ]
    run = await make_dispatch(acme, issue["id"])
    await acme.post(f"/v1/dispatches/{run['id']}/mark-sent/", {})
    assert texts(await of_issue(acme, 1))[1:] == [
        "3 copies of issue 1 marked as sent",
        "3 subscriptions completed",  # two of them with the copies, one with the run
        "Mailing 1 with 2 copies of issue 1 prepared",
        "2 copies of issue 1 marked as sent (mailing 1)",
    ]


async def test_an_issue_shows_its_claims(acme: Cast) -> None:
    await make_issue(acme)
    await make_claim(acme, await make_subscription(acme))
    assert "Claim for issue 1 recorded" in texts(await of_issue(acme, 1))


async def test_a_subscriber_shows_all_subscriptions_by_name(acme: Cast) -> None:
    await make_issue(acme)
    ada = {"email": "ada@example.test", "last_name": "Byron"}
    made = [await make_subscription(acme, **ada) for _ in range(2)]
    page = await of_subscriber(acme, made[0]["subscriber"]["id"])
    [group] = page.groups
    [line] = group.lines
    assert line.text == "2 subscriptions ordered"
    assert set(line.subjects) == {("subscription", each["id"]) for each in made}
    assert {page.names.of(*subject) for subject in line.subjects} == {"Ada Byron"}


async def test_a_subscriber_without_subscriptions_has_a_history(acme: Cast) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme, email=f"{n}@example.test") for n in range(2)]
    first, second = (each["subscriber"]["id"] for each in made)
    await merge_subscribers(acme.db, acme.account_id, kept_id=first, merged_id=second, by=BY)
    kept, merged = await of_subscriber(acme, first), await of_subscriber(acme, second)
    assert "Merged with another subscriber" in texts(merged)
    assert "Subscription moved from one subscriber to another" in texts(kept)


async def test_a_membership_without_copies_has_a_history(acme: Cast) -> None:
    made = await make_membership(acme)
    assert texts(await of_subscription(acme, made["id"])) == ["Subscription ordered"]


async def test_values_have_names(acme: Cast) -> None:
    await make_issue(acme)
    made = await import_row(acme, start_issue="1", length="2", city="Bonn")
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"city": "Köln"})
    page = await of_subscription(acme, made["id"])
    changes = [
        (change.label, change.before, change.after)
        for group in page.groups
        for line in group.lines
        for change in line.changes
        if change.label == "town"
    ]
    assert ("town", "Bonn", "Köln") in changes
    assert {group.by.partition(" ")[0] for group in page.groups} == {"API", "masthead"}


async def test_a_long_history_has_pages(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=1)
    for number in range(60):
        await acme.patch(f"/v1/subscriptions/{made['id']}/", {"city": f"Town {number}"})
    first = await of_subscription(acme, made["id"])
    assert first.older is not None
    second = await of_subscription(acme, made["id"], before=first.older)
    assert second.older is None
    assert texts(second)[0] == "Subscription ordered"
    copies = await copies_of(acme, made["id"])
    for number in range(1, 60):
        await acme.post(
            f"/v1/copies/{copies[0]['id']}/mark-sent/", {"date": f"2026-01-{1 + number % 28:02}"}
        )
    page = await of_issue(acme, 1)
    assert page.older is not None
    older = await of_issue(acme, 1, before=page.older)
    assert texts(older)[0] == "Issue created"
