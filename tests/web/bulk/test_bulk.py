"""Rows are chosen in a list, and a page asks before something is done to all of them."""

import csv
import html
import io
import re
from collections.abc import Mapping

import httpx
import pytest

from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.services.bulk import choose
from masthead.services.check.accounts import check_account
from masthead.services.letters.subscribers import set_unsubscribed
from masthead.services.subscribers.notes import list_notes
from masthead.store.engine.interface import Database
from masthead.web.kit import filters
from tests.conftest import BY, Cast
from tests.support.cases import for_each
from tests.support.factories import make_issue, make_subscription
from tests.support.letters import add_subscribers, letters_of, set_up
from tests.support.privacy import erase
from tests.support.subscribers import make_subscriber
from tests.web.conftest import Person, fields_of
from tests.web.letters.test_pages import text_of
from tests.web.subscriptions.test_renew import make_bundle
from tests.web.test_rights import give

BOX = re.compile(r'<input type="checkbox" form="bulk" name="id" value="(\w+)"')


async def notes_on(acme: Cast, id: str) -> list[str]:
    async with acme.db.read() as db:
        return [each.text for each in await list_notes(db, acme.account_id, id)]


async def make_three(acme: Cast) -> list[str]:
    """Three subscribers, the oldest first."""
    await make_issue(acme)
    return [await make_subscriber(acme, f"{name}@x.test", first_name=name) for name in "abc"]


async def confirm(
    person: Person, listed: str, action: str, chosen: Mapping[str, str | list[str]], **typed: str
) -> httpx.Response:
    """Open the page of an action, and confirm it."""
    address = person.address("chosen", listed, action)
    page = await person.http.get(address, params=chosen)
    assert page.status_code == 200, page.text
    ids = {"id": chosen["id"]} if "id" in chosen else {}
    return await person.post(address, {**fields_of(page.text), **ids, **typed})


async def test_each_row_has_a_box_with_its_name(acme: Cast, staff: Person) -> None:
    await make_three(acme)
    for listed in ("subscribers", "subscriptions"):
        page = await staff.text(listed)
        assert len(BOX.findall(page)) == 3
        assert page.count('aria-label="Choose a') == 1
        assert 'aria-label="All on this page"' in page
        assert 'name="scope"' not in page, "all rows are on the page"
        assert len(BOX.findall(await staff.text(listed, search="x.test"))) == 3


async def test_a_note_is_added_to_the_chosen_only_and_once(acme: Cast, staff: Person) -> None:
    one, two, three = await make_three(acme)
    chosen = {"id": [one, three]}
    address = staff.address("chosen", "subscribers", "note")
    page = (await staff.http.get(address, params=chosen)).text
    assert "Note on 2 subscribers" in page
    assert "<bdi>a</bdi>" in page
    assert "<bdi>b</bdi>" not in page
    sent = {**fields_of(page), **chosen, "text": "Rings twice"}
    for _again in range(2):
        response = await staff.post(address, sent)  # type: ignore[arg-type]
        assert response.headers["Location"] == staff.address("subscribers")
    assert await notes_on(acme, one) == ["Rings twice"]
    assert await notes_on(acme, two) == []
    assert await notes_on(acme, three) == ["Rings twice"]
    assert "Note added" in await staff.text("subscribers", one, "history")


async def test_an_empty_note_is_refused_and_the_choice_kept(acme: Cast, staff: Person) -> None:
    one, two, _three = await make_three(acme)
    response = await confirm(staff, "subscribers", "note", {"id": [one, two]}, text=" ")
    assert response.status_code == 400
    assert "Type the note." in response.text
    assert "Note on 2 subscribers" in response.text
    assert await notes_on(acme, one) == []


async def test_two_subscriptions_of_one_subscriber_make_one_note(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme, email="a@x.test") for _each in range(2)]
    response = await confirm(
        staff, "subscriptions", "note", {"id": [each["id"] for each in made]}, text="Hello"
    )
    assert response.headers["Location"] == staff.address("subscriptions")
    assert await notes_on(acme, made[0]["subscriber"]["id"]) == ["Hello"]


async def test_without_a_script_the_box_in_the_head_takes_the_page(
    acme: Cast, staff: Person
) -> None:
    ids = await make_three(acme)
    page = await staff.see("chosen", "subscribers", "note", whole="page", page=".".join(ids))
    assert "Note on 3 subscribers" in page.text


async def test_erased_subscribers_get_no_note(acme: Cast, staff: Person) -> None:
    one, two, _three = await make_three(acme)
    await erase(acme, one, is_cancelling=True)
    address = staff.address("chosen", "subscribers", "note")
    page = await staff.http.get(address, params={"id": [one, two]})
    assert "1 chosen subscriber was erased and gets no note." in page.text
    await confirm(staff, "subscribers", "note", {"id": [one, two]}, text="Hello")
    assert await notes_on(acme, two) == ["Hello"]
    assert await notes_on(acme, one) == []


@for_each("chosen", [{}, {"id": "unknown"}, {"scope": "all", "search": "no-such-name"}], ids=str)
async def test_without_rows_the_list_says_so(chosen: dict[str, str], staff: Person) -> None:
    response = await staff.see("chosen", "subscribers", "note", **chosen)
    assert response.status_code == 303
    assert "No rows are chosen." in (await staff.http.get(response.headers["Location"])).text


async def test_all_rows_of_a_filter_are_taken(acme: Cast, staff: Person) -> None:
    one, *others = await make_three(acme)
    listed = await staff.text("subscribers", order="name")
    assert '<input type="hidden" name="order" value="name">' in listed
    ordered = await staff.see("chosen", "subscribers", "note", scope="all", order="name")
    assert f'href="{staff.address("subscribers")}?order=name"' in ordered.text
    chosen = {"scope": "all", "search": "b@x.test"}
    response = await confirm(staff, "subscribers", "note", chosen, text="Hello")
    assert response.headers["Location"] == staff.address("subscribers") + "?search=b%40x.test"
    assert await notes_on(acme, others[0]) == ["Hello"]
    assert await notes_on(acme, one) == []
    page = await staff.see("chosen", "subscriptions", "note", scope="all", country="DE")
    assert "Note on 3 subscribers" in page.text, await staff.text("subscriptions")
    page = await staff.see("chosen", "subscriptions", "note", scope="all", search="x.test")
    assert "Note on 3 subscribers" in page.text


async def test_a_list_of_several_pages_offers_all_its_rows(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_three(acme)
    monkeypatch.setattr(filters, "PAGE", 2)
    text = text_of(await staff.text("subscribers"))
    assert "All 3 subscribers Add a note" in text
    assert "All that match the search" in await staff.text("subscribers", search="x.test")


async def test_nothing_is_done_if_the_rows_changed_meanwhile(acme: Cast, staff: Person) -> None:
    one, *_others = await make_three(acme)
    address = staff.address("chosen", "subscribers", "note")
    page = await staff.http.get(address, params={"scope": "all"})
    await make_subscriber(acme, "d@x.test", first_name="d")
    response = await staff.post(address, {**fields_of(page.text), "text": "Hello"})
    assert response.status_code == 400
    assert "now has 4 of these rows. Nothing has been done." in response.text
    assert await notes_on(acme, one) == []
    again = await staff.post(address, {**fields_of(response.text), "text": "Hello"})
    assert again.status_code == 303


async def test_too_many_rows_are_refused(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_three(acme)
    monkeypatch.setattr(choose, "MAX_CHOSEN", 2)
    response = await staff.see("chosen", "subscribers", "note", scope="all")
    assert "at most 2 rows" in (await staff.http.get(response.headers["Location"])).text


async def test_a_file_has_the_chosen_rows_only(acme: Cast, staff: Person) -> None:
    await make_three(acme)
    for listed in ("subscribers", "subscriptions"):
        one, two, _three = BOX.findall(await staff.text(listed))
        address = staff.address("chosen", listed, "download")
        page = (await staff.http.get(address, params={"id": [one, two]})).text
        assert f"Download 2 {listed}" in page
        [link] = re.findall(r'href="([^"]*/downloads/[^"]*/csv/[^"]*)"', page)
        file = (await staff.http.get(html.unescape(link))).content.decode("utf-8-sig")
        assert [row[0] for row in csv.reader(io.StringIO(file))][1:] == [one, two]


async def test_a_row_of_several_copies_is_all_of_them(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    [shown] = BOX.findall(await staff.text("subscriptions"))
    assert BOX.findall(await staff.text("subscriptions", order="name")) == [shown]
    page = await staff.see("chosen", "subscriptions", "download", id=shown)
    assert "Download 1 subscription<" in page.text
    page = await staff.see("chosen", "subscriptions", "hold", id=shown)
    assert "Hold 1 subscription" in page.text
    assert page.text.count("<bdi>Harbour Books</bdi></a>") == 1
    address = staff.address("downloads", "subscriptions", "csv")
    file = await staff.http.get(address, params={"id": ids})
    [row] = csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff")))
    assert (row["copies"], row["price"]) == ("3", "30.00")


async def test_the_bar_has_the_actions_that_a_user_may_do(
    db: Database, acme: Cast, staff: Person
) -> None:
    await make_three(acme)
    actions = ["note", "letter", "download"]
    addresses = {each: staff.address("chosen", "subscribers", each) for each in actions}
    page = await staff.text("subscribers")
    assert all(each in page for each in addresses.values())
    await give(db, acme, staff, STAFF_RIGHTS - {Right.SEND_LETTERS, Right.DOWNLOAD})
    page = await staff.text("subscribers")
    assert [each for each in actions if addresses[each] in page] == ["note"]


@pytest.mark.usefixtures("mail_server")
async def test_letters_go_to_the_chosen_only(acme: Cast, staff: Person) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    one, two, _three = BOX.findall(await staff.text("subscriptions"))
    address = staff.address("chosen", "subscriptions", "letter")
    page = (await staff.http.get(address, params={"id": [one, two]})).text
    text = text_of(page)
    assert "Renewal letter to 2 subscriptions" in text
    assert "With the last issue (2)" in text
    assert "To send: 2 by email. Nothing has been sent yet." in text
    assert "Dear Ada No." in text
    tested = await confirm(staff, "subscriptions", "letter", {"id": [one, two]}, do="test")
    assert (
        f"Sending a test to {staff.email}."
        in (await staff.http.get(tested.headers["Location"])).text
    )
    assert await letters_of(acme) == []
    response = await confirm(staff, "subscriptions", "letter", {"id": [one, two]}, do="email")
    assert response.status_code == 303, text_of(response.text)
    assert "2 letters are being sent." in (await staff.http.get(response.headers["Location"])).text
    written = await letters_of(acme)
    assert {each["subscription_id"] for each in written} == {one, two}
    page = text_of((await staff.http.get(address, params={"id": [one, two]})).text)
    assert "None of the chosen can get the letter of this stage" in page
    assert [each async for each in check_account(acme.db, acme.subdomain)] == []


@pytest.mark.usefixtures("mail_server")
async def test_letters_to_chosen_subscribers_are_not_sent_if_their_number_changed(
    acme: Cast, staff: Person
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    one, two = BOX.findall(await staff.text("subscribers"))
    address = staff.address("chosen", "subscribers", "letter")
    page = (await staff.http.get(address, params={"id": [one, two]})).text
    sent = {**fields_of(page), "id": [one, two], "do": "email"}
    await set_unsubscribed(acme.db, acme.account_id, one, is_unsubscribed=True, by=BY)
    response = await staff.post(address, sent)  # type: ignore[arg-type]
    assert response.status_code == 400
    assert "The page showed 2 letters, but the number is 1 now" in text_of(response.text)
    assert "None: wants no letters" in text_of(response.text)
    assert await letters_of(acme) == []


async def test_unknown_lists_and_stages_are_not_found(acme: Cast, staff: Person) -> None:
    ids = await make_three(acme)
    assert (await staff.see("chosen", "issues", "note", id=ids[0])).status_code == 404
    page = await staff.see("chosen", "subscribers", "letter", id=ids[0], stage="later")
    assert page.status_code == 404
    page = await staff.see("chosen", "subscriptions", "note", scope="all", status="Odd")
    assert page.status_code == 400
