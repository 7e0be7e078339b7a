"""A copy that came back without a readable label is found by the name of its subscriber."""

import pytest

from tests.conftest import Cast
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.returns import Sending
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words


async def send(acme: Cast, made: dict[str, object]) -> list[int]:
    """Mark the copies of a subscription as sent; their ids, newest issue first."""
    copies = await copies_of(acme, str(made["id"]))
    ids = [copy["id"] for copy in copies]
    await acme.post("/v1/copies/mark-sent/", {"ids": ids, "date": "2026-05-03"})
    return [copy["id"] for copy in sorted(copies, key=lambda it: -it["issue"]["number"])]


async def test_the_copies_of_an_issue_have_a_button_for_those_that_came_back(
    acme: Cast, owner: Person
) -> None:
    sending = await Sending.freeze(acme, 2)
    await acme.post(f"/v1/dispatches/{sending.run.id}/mark-sent/", {"date": "2026-05-03"})
    first, second = [(await copies_of(acme, made["id"]))[0]["id"] for made in sending.subscriptions]
    page = await owner.text("issues", sending.issue["id"])
    for id in (first, second):
        assert f'aria-label="Copy {id} came back"' in page
    key = (await sending.keys())[0]
    reports = {"reports": [{"key": key, "kind": "undeliverable", "date": "2026-05-20"}]}
    await acme.post("/v1/delivery-reports/", reports)
    page = await owner.text("issues", sending.issue["id"])
    assert f'aria-label="Copy {first} came back"' not in page
    assert f'aria-label="Copy {second} came back"' in page
    assert "came back on 20 May 2026" in words(page)


async def test_digital_copies_and_unsent_ones_do_not_come_back(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    await send(acme, await make_subscription(acme, medium="Digital"))
    page = await owner.text("issues", issue["id"])
    assert "came back" not in page.lower()


async def test_returns_lists_the_last_sent_copies_of_the_subscriber(
    acme: Cast, owner: Person
) -> None:
    for number in (1, 2):
        await make_issue(acme, number)
    made = await make_subscription(acme, first_name="Nina", last_name="Rossi", length=2)
    newest, older = await send(acme, made)
    digital = await make_subscription(acme, first_name="Nina", last_name="Rossi", medium="Digital")
    await send(acme, digital)
    assert f'action="{owner.address("returns", "copies")}"' in await owner.text("returns")
    page = await owner.text("returns", "copies", search="rossi nina")
    assert page.index(f"key={newest}") < page.index(f"key={older}")
    assert page.count(">Came back</a>") == 2
    assert "Issue 2" in words(page)
    assert "Sent on 3 May 2026" in words(page)


@pytest.mark.parametrize("search", ["", "nobody at all"])
async def test_a_search_without_result_says_so(acme: Cast, owner: Person, search: str) -> None:
    page = words(await owner.text("returns", "copies", search=search))
    assert ("No subscriber matches." in page) == bool(search)


async def test_a_subscriber_without_sent_copies_is_found_and_says_so(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    await make_subscription(acme, last_name="Rossi")
    page = words(await owner.text("returns", "copies", search="rossi"))
    assert "No copy of this subscriber was sent by post yet." in page
