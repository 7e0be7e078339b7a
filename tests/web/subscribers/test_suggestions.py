"""The options below the search of each page, when more subscribers match than are shown."""

import html
import re

from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.store.engine.interface import Database
from masthead.web.subscribers.list_page import SUGGESTED
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import make_subscriber
from tests.web.test_rights import give


async def test_more_subscribers_than_are_shown_are_one_option_away(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    for number in range(SUGGESTED):
        await make_subscriber(acme, first_name=f"No{number}", last_name="Schmidt")
    page = await owner.text("subscribers", "suggestions", search="schmidt")
    assert page.count('role="option"') == SUGGESTED
    assert "All results" not in page
    await make_subscriber(acme, first_name="Last", last_name="Schmidt")
    page = await owner.text("subscribers", "suggestions", search="schmidt")
    assert page.count('role="option"') == SUGGESTED + 1
    options = page.split('role="option"')
    assert f'data-address="{owner.address("subscribers")}?search=schmidt"' in options[-1]
    assert "All results" in options[-1]


async def test_similar_ones_are_named_as_such(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make_subscriber(acme, first_name="Linnea", last_name="Nyström", city="Visby")
    page = await owner.text("subscribers", "suggestions", search="Niström Visbi")
    assert page.index("exactly. Similar:") < page.index("Linnea Nyström")
    assert "Add a subscription for" not in page
    exact = await owner.text("subscribers", "suggestions", search="Nyström")
    assert "exactly. Similar:" not in exact
    assert "Linnea Nyström" in await owner.text("subscribers", search="Linea Nistrom")


async def test_a_search_without_a_match_leads_to_the_form_of_an_order(
    db: Database, owner: Person, staff: Person, acme: Cast
) -> None:
    await make_issue(acme)
    page = await owner.text("subscribers", "suggestions", search="Lohmann")
    assert "No subscriber matches." in page
    assert "Add a subscription for “<bdi>Lohmann</bdi>”" in page
    assert f'data-address="{owner.address("subscriptions", "new")}?find=Lohmann"' in page
    await give(db, acme, staff, STAFF_RIGHTS - {Right.TAKE_ORDERS})
    hidden = await staff.text("subscribers", "suggestions", search="Lohmann")
    assert "Add a subscription for" not in hidden


async def test_what_is_found_says_the_medium_and_the_issues(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make_subscriber(acme, last_name="Lohmann", start_issue=1, length=12)
    await make_subscriber(acme, last_name="Lohse", medium="Digital", length=1)
    await make_subscription(acme, last_name="Lohmeyer", email="both@example.test")
    both = await make_subscription(acme, last_name="Lohmeyer", email="both@example.test")
    await acme.post(f"/v1/subscriptions/{both['id']}/cancel/", {"mode": "cancel"})
    for parts in (("subscribers",), ("subscribers", "suggestions")):
        page = await owner.text(*parts, search="loh")
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", page)).split())
        assert re.search("1( subscription)?, active: Print, issues 1–12", text)
        assert re.search("1( subscription)?, active: Digital, issue 1", text)
        assert re.search("2( subscriptions)?, active, newest: Print, issues 1–4", text)
