"""The order form asks whether copies of issues that are out are still to send."""

import re
from typing import Any

import pytest

from masthead.model.orders.offers import Offer
from masthead.model.types.enums import SubscriptionType
from masthead.services.products import create_product
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED, subscriptions
from tests.web.subscribers.test_pages import words

ASKED = "Copies of issues that are out"


@pytest.fixture
async def magazine(acme: Cast) -> Cast:
    """An account with four issues, of which three are out, and a current one."""
    for number, day in enumerate(("2020-01-01", "2020-02-01", "2020-03-01", "2099-01-01"), 1):
        await make_issue(acme, number, release_date_actual=day)
    return acme


async def statuses(cast: Cast) -> list[list[str]]:
    """The status of the copies of each subscription, lowest issue first."""
    return [
        [each["status"] for each in sorted(await copies_of(cast, made["id"]), key=_number)]
        for made in await subscriptions(cast)
    ]


def _number(copy: dict[str, Any]) -> int:
    return int(copy["issue"]["number"]) if isinstance(copy["issue"], dict) else 0


async def test_copies_are_to_send_unless_the_user_says_that_they_were_sent(
    owner: Person, magazine: Cast
) -> None:
    path = owner.address("subscriptions", "new")
    page = await owner.text("subscriptions", "new")
    assert ASKED in page
    assert re.search(r'<input checked [^>]*name="out"[^>]*value="unsent"', page)
    assert "Out already: issue 3. Copies of it in this order: 1." in words(page)
    await owner.send(path, {**TYPED, "start_issue": "2"})
    assert await statuses(magazine) == [["Not sent"] * 3]


async def test_an_order_starts_with_the_next_issue_once_the_current_one_is_sent(
    owner: Person, magazine: Cast
) -> None:
    async def offered() -> str:
        return fields_of(await owner.text("subscriptions", "new"))["start_issue"]

    assert await offered() == "3", "nobody has the current issue yet"
    made = await make_subscription(magazine, start_issue=3, length=1)
    assert await offered() == "3", "a mailing of it is still to come"
    (copy,) = await copies_of(magazine, made["id"])
    await magazine.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"})
    assert await offered() == "4"
    await make_subscription(magazine, start_issue=3, length=1)
    assert await offered() == "3", "a late order is still to send"


async def test_without_a_next_issue_an_order_starts_with_the_current_one(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual="2020-01-01")
    made = await make_subscription(acme, length=1)
    (copy,) = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"})
    assert fields_of(await owner.text("subscriptions", "new"))["start_issue"] == "1"


async def test_start_issues_are_the_current_one_then_the_next_then_earlier_ones(
    owner: Person, magazine: Cast
) -> None:
    await make_issue(magazine, 5, release_date_actual="2099-04-01")
    page = await owner.text("subscriptions", "new")
    (options,) = re.findall(r'<select [^>]*name="start_issue".*?</select>', page, re.DOTALL)
    assert re.findall(r'value="(\d+)"', options) == ["3", "4", "5", "2", "1"]


async def test_copies_that_were_sent_before_are_recorded_as_sent(
    owner: Person, magazine: Cast
) -> None:
    typed = {**TYPED, "start_issue": "2", "out": "sent", "copies": "2", "company": "Library"}
    sent = await owner.send(owner.address("subscriptions", "new"), typed)
    assert sent.status_code == 303, words(sent)
    assert await statuses(magazine) == [["Sent", "Sent", "Not sent"]] * 2
    page = words(await owner.http.get(sent.headers["Location"]))
    assert "4 copies count as sent: issues 2–3." in page


async def test_the_question_follows_the_order(owner: Person, magazine: Cast) -> None:
    path = owner.address("subscriptions", "new")
    for typed, said in (
        ({"start_issue": "1", "length": "2"}, "issues 1–2. Copies of them in this order: 2"),
        ({"start_issue": "1", "length": "9", "copies": "3"}, "Copies of them in this order: 9"),
        ({"start_issue": "4"}, ""),
        ({"start_issue": "1", "length": "x"}, "issues 1–3. Copies of them in this order: 3"),
    ):
        shown = await owner.http.post(
            path,
            data={**TYPED, "do": "check", **typed},
            headers={"Sec-Fetch-Site": "same-origin", "HX-Request": "true", "HX-Target": "out"},
        )
        assert said in words(f"<main>{shown.text}")
        assert (ASKED in shown.text) is bool(said)
        assert "<h1" not in shown.text


async def test_a_membership_that_began_in_the_past_is_asked_about_its_issues(
    owner: Person, magazine: Cast
) -> None:
    offer = Offer(type=SubscriptionType.MEMBERSHIP, interval_months=12)
    product = await create_product(
        magazine.db, magazine.account_id, name="Member", offer=offer, by=BY
    )
    typed = {**TYPED, "product": product.id, "interval_months": "12", "period_start": "2020-02-01"}
    path = owner.address("subscriptions", "new")
    shown = await owner.post(path, {**typed, "do": "check"})
    assert "Out already: issues 2–3. Copies of them in this order: 2." in words(shown)
    sent = await owner.send(path, {**typed, "out": "sent"})
    assert sent.status_code == 303, words(sent)
    assert await statuses(magazine) == [["Sent", "Sent"]]
