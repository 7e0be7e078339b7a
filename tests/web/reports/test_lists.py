"""What the lists of subscribers and subscriptions share: totals, orders, one line a row."""

import html
import re

import pytest

from masthead.model.queries import SubscriptionQuery
from masthead.store.reports import totals
from masthead.web.kit import filters
from tests.conftest import Cast
from tests.support.billing import bill, turn_on_billing
from tests.support.factories import import_rows, make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words

NAMES = re.compile(r'<th scope="row"[^>]*title="([^"]*)"')
MANY = 52  # more than a page


async def make_many(cast: Cast) -> list[str]:
    """Subscriptions of as many subscribers, oldest first; their names."""
    await make_issue(cast)
    names = [f"Subscriber {place:02}" for place in range(MANY)]
    common = {"start_issue": "1", "length": "2"}
    rows = [
        {
            "first_name": name,
            "email": f"r{place}@example.test",
            "country": "FR" if place % 2 else "DE",
            **common,
        }
        for place, name in enumerate(names)
    ]
    await import_rows(cast, *rows)
    return names


@pytest.mark.parametrize("noun", ["subscribers", "subscriptions"])
@pytest.mark.parametrize("order", ["", "oldest"])
async def test_a_list_has_all_records_once_in_either_order(
    acme: Cast, owner: Person, noun: str, order: str
) -> None:
    names = await make_many(acme)
    found: list[str] = []
    address: str | None = owner.address(noun) + (f"?order={order}" if order else "")
    while address:
        page = (await owner.http.get(address)).text
        shown = "oldest first" if order else "newest first"
        assert f"{MANY} {noun}, {shown}" in words(page)
        found += NAMES.findall(page)
        following = re.search(r'href="([^"]+)" rel="next"', page)
        address = html.unescape(following[1]) if following else None
    assert found == (names if order else names[::-1])


def link(page: str, rel: str) -> str | None:
    """The address of the next or the previous page."""
    found = re.search(rf'href="([^"]+)" rel="{rel}"', page)
    return html.unescape(found[1]) if found else None


@pytest.mark.parametrize(
    "place, order",
    [
        ("subscribers", ""),
        ("subscribers", "order=oldest"),
        ("subscriptions", ""),
        ("subscriptions", "is_gift=false&order=oldest"),
        ("ending/next", ""),
        ("ending/next", "sort=name"),
    ],
)
async def test_a_list_can_be_read_back_page_by_page(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch, place: str, order: str
) -> None:
    monkeypatch.setattr(filters, "PAGE", 20)
    await make_many(acme)
    forwards, pages = list[tuple[str, list[str]]](), list[str]()
    address: str | None = f"{owner.address(*place.split('/'))}?{order}"
    while address:
        pages.append(page := (await owner.http.get(address)).text)
        forwards.append((positions(page), NAMES.findall(page)))
        address = link(page, "next")
    assert [text for text, _ in forwards] == ["1–20 of 52", "21–40 of 52", "41–52 of 52"]
    backwards = forwards[-1:]
    address = link(pages[-1], "prev")
    while address:
        page = (await owner.http.get(address)).text
        backwards.append((positions(page), NAMES.findall(page)))
        assert link(page, "next")
        address = link(page, "prev")
    assert backwards == forwards[::-1]


def positions(page: str) -> str:
    """Which rows of how many a page says that it has."""
    found = re.search(r"\d+–\d+ of \d+", words(page))
    return found[0] if found else ""


async def test_a_page_before_rows_that_are_gone_is_the_first(acme: Cast, owner: Person) -> None:
    await make_many(acme)
    address = link(await owner.text("subscribers"), "next")
    assert address
    cursor = re.search(r"cursor=([^&]+)", address)
    assert cursor
    page = await owner.text("subscribers", **{"before": cursor[1], "from": "900"})
    assert positions(page) == "1–49 of 52"
    assert link(page, "prev") is None
    page = await owner.text("subscribers", **{"cursor": cursor[1], "from": "many"})
    assert "52 subscribers, newest first" in words(page)  # the position is not known
    assert link(page, "prev")


@pytest.mark.parametrize("noun", ["subscribers", "subscriptions"])
async def test_a_cursor_belongs_to_its_order(acme: Cast, owner: Person, noun: str) -> None:
    await make_many(acme)
    page = await owner.text(noun, order="oldest")
    following = re.search(r'cursor=([^"&]+)', page)
    assert following
    assert (await owner.see(noun, cursor=following[1])).status_code == 400
    assert (await owner.see(noun, cursor=following[1], order="oldest")).status_code == 200


async def test_the_total_follows_the_filters(acme: Cast, owner: Person) -> None:
    await make_many(acme)
    assert f"{MANY // 2} subscriptions, newest first" in words(
        await owner.text("subscriptions", country="FR")
    )
    page = words(await owner.text("subscriptions", country="FR", order="oldest"))
    assert f"{MANY // 2} subscriptions, oldest first" in page
    assert "Subscriber 01" in page
    assert "Subscriber 00" not in page
    page = words(await owner.text("subscriptions", search="subscriber"))
    assert "50 subscriptions on this page; there are more on the next page" in page


async def test_a_list_with_many_matches_is_not_counted_to_its_end(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_many(acme)
    monkeypatch.setattr(totals, "MAX_FILTERED", MANY // 2)
    assert f"{MANY // 2} subscriptions, " in words(await owner.text("subscriptions", country="FR"))
    monkeypatch.setattr(totals, "MAX_FILTERED", MANY // 2 - 1)
    page = words(await owner.text("subscriptions", country="FR"))
    assert f"{MANY // 2} subscriptions, newest first" in page  # one page has them all
    page = words(await owner.text("subscriptions", is_gift="false"))
    assert "50 subscriptions on this page; there are more on the next page" in page
    page = words(await owner.text("subscriptions", status="Active", country="FR"))
    assert f"{MANY // 2} subscriptions, newest first" in page


async def test_an_order_of_many_copies_is_counted_once_as_long_as_it_is_quick(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await turn_on_billing(acme)
    await bill(acme, copies=4)

    async def count() -> int | None:
        async with acme.db.read(aside=True) as db:
            return await totals.count_subscriptions(db, acme.account_id, SubscriptionQuery())

    monkeypatch.setattr(totals, "MAX_FILTERED", 3)
    assert await count() == 1
    monkeypatch.setattr(totals, "MAX_FILTERED", 2)
    assert await count() is None


async def test_a_row_is_short_and_its_titles_have_the_whole_texts(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme, 21)
    await make_subscription(
        acme, first_name="Ada " + "x" * 60, length=4, start_issue=21, order_date="2026-11-21"
    )
    page = await owner.text("subscriptions")
    assert f'title="Ada {"x" * 60}"' in page
    assert 'title="Print, issues 21–24"' in page
    assert "21 Nov 2026" in words(page)


async def test_a_search_says_which_rows_a_later_page_has(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "PAGE", 20)
    await make_many(acme)
    address: str | None = owner.address("subscriptions") + "?search=subscriber"
    shown = list[str]()
    while address:
        page = (await owner.http.get(address)).text
        shown.append(words(page))
        address = link(page, "next")
    assert "20 subscriptions on this page" in shown[0]
    assert "21–40 of more than 40" in shown[1]
    assert "41–52 of 52" in shown[2]
