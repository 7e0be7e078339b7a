"""Lists about renewals can be read page by page, forwards and backwards, with their position."""

import html
import re
from datetime import timedelta

import pytest

from masthead.model.clock import now
from masthead.web.kit import filters
from tests.conftest import Cast
from tests.support.factories import make_issue, make_membership, make_subscription
from tests.web.conftest import Person
from tests.web.letters.test_pages import text_of

ROW = re.compile(r'<th scope="row"[^>]*><a href="[^"]*/subscriptions/(\w+)/"')


async def read_both_ways(
    person: Person, *parts: str, **query: str
) -> tuple[list[list[str]], list[str]]:
    """The ids on each of three pages of a list of five, and what their positions say.

    It goes on to the last page, and back to the first.
    """
    page = await person.text(*parts, **query)
    pages, said = [ROW.findall(page)], list[str]()
    for relation in ("next", "next", "prev", "prev"):
        said += re.findall(r"\d–\d of [a-z0-9 ]*[0-9]", text_of(page))
        link = re.search(rf'href="([^"]*)" rel="{relation}"', page)
        assert link is not None, (relation, text_of(page))
        response = await person.http.get(html.unescape(link[1]))
        page = response.text
        pages.append(ROW.findall(page))
    said += re.findall(r"\d–\d of [a-z0-9 ]*[0-9]", text_of(page))
    assert 'rel="prev"' not in page
    assert "First page" not in page
    forwards, back = pages[:3], pages[3:]
    assert back == [forwards[1], forwards[0]]
    return forwards, said


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages have two rows."""
    monkeypatch.setattr(filters, "PAGE", 2)


async def test_memberships_that_end_soon(acme: Cast, owner: Person) -> None:
    days = [now().date() + timedelta(days=after) for after in (30, 10, 20, 20, 40)]
    made = [
        await make_membership(acme, period_start="2026-01-01", period_end=str(day)) for day in days
    ]
    forwards, said = await read_both_ways(owner, "ending", "memberships")
    ids = [made[place]["id"] for place in (1, *sorted((2, 3), key=lambda n: made[n]["id"]), 0, 4)]
    assert [id for page in forwards for id in page] == ids
    assert said == ["1–2 of 5", "3–4 of 5", "5–5 of 5", "3–4 of 5", "1–2 of 5"]


async def test_subscriptions_that_ended_but_are_not_complete(acme: Cast, owner: Person) -> None:
    for number in (1, 2):
        await make_issue(acme, number)
    await make_issue(acme, 3, date_as_start_issue="2026-01-01")
    made = [
        await make_subscription(acme, email=f"{place}@x.test", start_issue=start, length=1)
        for place, start in enumerate((2, 1, 2, 1, 1))
    ]
    forwards, said = await read_both_ways(owner, "ending", "over")
    ids = [made[place]["id"] for place in (1, 3, 4, 0, 2)]
    assert [id for page in forwards for id in page] == ids
    assert said == ["1–2 of 5", "3–4 of 5", "5–5 of 5", "3–4 of 5", "1–2 of 5"]


async def test_the_subscriptions_of_a_renewal_rate(acme: Cast, owner: Person) -> None:
    for number in range(1, 6):
        await make_issue(acme, number, release_date_actual=f"2026-{number:02}-01")
    made = [
        await make_subscription(acme, email=f"{place}@x.test", start_issue=1, length=1)
        for place in range(5)
    ]
    parts = ("ending", "retention", "list")
    forwards, said = await read_both_ways(owner, *parts, issue="1", renewed="no")
    assert [id for page in forwards for id in page] == [each["id"] for each in made[::-1]]
    assert said == ["3–4 of more than 4", "5–5 of 5", "3–4 of more than 4"]
