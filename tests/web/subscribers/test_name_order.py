"""The list of subscribers in the order of their names."""

import csv
import html
import io
import re

import pytest

from masthead.model.pagination import PageRequest
from masthead.model.types.text import fold
from masthead.store.subscribers import lists as subscribers
from masthead.store.subscriptions import lists as subscriptions
from masthead.web.kit import filters
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.support.subscribers import make_subscriber, merge, set_columns
from tests.web.conftest import Person
from tests.web.letters.test_pages import text_of

NAMES = ["Anna Zölle", "Öse Äther", "Ada oser", "Jo Ost", "X Weiß", "X Weissmann", "Y ábel"]
SORTED = ["Y ábel", "Öse Äther", "Ada oser", "Jo Ost", "X Weiß", "X Weissmann", "Anna Zölle"]


def names_in(page: str) -> list[str]:
    return re.findall(r'<th scope="row"[^>]*><a [^>]*><bdi>([^<]*)</bdi>', page)


async def test_subscribers_are_sorted_by_last_name_in_pages_in_both_directions(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "PAGE", 3)
    await make_issue(acme)
    for each in NAMES:
        first, last = each.split()
        await make_subscriber(
            acme, f"{fold(last)}@x.test", first_name=first, last_name=last, length=1
        )
    page = await staff.text("subscribers", order="name")
    assert 'aria-sort="ascending"' in page
    assert "1–3 of 7 subscribers, by last name, A to Z" in text_of(page)
    pages = [names_in(page)]
    while following := re.search(r'href="([^"]*)" rel="next"', page):
        page = (await staff.http.get(html.unescape(following[1]))).text
        pages.append(names_in(page))
    assert [name for each in pages for name in each] == SORTED
    assert "7–7 of 7 subscribers" in text_of(page)
    previous = re.search(r'href="([^"]*)" rel="prev"', page)
    assert previous is not None
    page = (await staff.http.get(html.unescape(previous[1]))).text
    assert names_in(page) == SORTED[3:6]
    assert "4–6 of 7 subscribers" in text_of(page)
    page = await staff.text("subscribers", order="-name")
    assert 'aria-sort="descending"' in page
    assert names_in(page) == SORTED[::-1][:3]
    file = await staff.see("downloads", "subscribers", "csv", order="name")
    rows = list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"))))
    assert [row["full_name"] for row in rows] == SORTED


async def test_companies_and_unnamed_subscribers_have_their_place_in_the_order(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    await make_subscriber(acme, "b@x.test", first_name="Xa", last_name="Bach", length=1)
    await make_subscriber(
        acme, "z@x.test", first_name=None, last_name=None, company="Ärzte AG", length=1
    )
    await make_subscriber(acme, "c@x.test", first_name="Cleo", last_name=None, length=1)
    page = await staff.text("subscribers", order="name")
    assert names_in(page) == ["Ärzte AG", "Xa Bach", "Cleo"]


async def test_subscriptions_are_sorted_by_recipient_among_those_of_a_filter(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "PAGE", 2)
    await make_issue(acme)
    for each in NAMES:
        first, last = each.split()
        await make_subscriber(
            acme, f"{fold(last)}@x.test", first_name=first, last_name=last, length=1
        )
    made = await make_subscription(acme, email="g@x.test", first_name="Zoe", last_name="Abt")
    await set_columns(acme, "subscription", made["id"], country="AT", is_gift=True)
    for most in (2_000, 1):  # all that match are sorted, or the index is read
        monkeypatch.setattr(subscriptions, "MOST_SORTED", most)
        page = await staff.text("subscriptions", order="name", is_gift="false")
        assert 'aria-sort="ascending"' in page
        assert "1–2 of 7 subscriptions, by last name, A to Z" in text_of(page)
        found = names_in(page)
        while following := re.search(r'href="([^"]*)" rel="next"', page):
            page = (await staff.http.get(html.unescape(following[1]))).text
            found += names_in(page)
        assert found == SORTED
    page = await staff.text("subscriptions", order="name")
    assert names_in(page) == ["Y ábel", "Zoe Abt"]
    file = await staff.see("downloads", "subscriptions", "csv", order="-name", is_gift="false")
    rows = list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"))))
    assert [row["full_name"] for row in rows] == SORTED[::-1]


async def test_the_list_begins_again_if_the_last_of_a_page_was_merged_meanwhile(
    acme: Cast,
) -> None:
    await make_issue(acme)
    kept, gone = [
        await make_subscriber(acme, f"{name}@x.test", last_name=name, length=1)
        for name in ("Adams", "Bell")
    ]
    after_bell = PageRequest(50, gone, b"", is_ascending=True)
    async with acme.db.read() as db:
        assert (await subscribers.list_by_name(db, acme.account_id, after_bell)).items == []
    await merge(acme, kept, gone)
    async with acme.db.read() as db:
        [again] = (await subscribers.list_by_name(db, acme.account_id, after_bell)).items
    assert again.id == kept
