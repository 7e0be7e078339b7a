"""The page for orders from phone calls and letters: its fields, and what it refuses."""

import asyncio
import re
from typing import Any

import pytest

from masthead.model.types.enums import SourceType
from masthead.services import sources
from tests.conftest import BY, Cast
from tests.support.cases import for_each
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED, subscriptions
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.test_pages import trail


@pytest.fixture
async def issue(acme: Cast) -> dict[str, Any]:
    """Issue 1 of Acme."""
    return await make_issue(acme)


async def test_a_subscription_is_added_and_recorded_in_the_audit_log(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, date_as_start_issue="2020-01-01")
    await make_issue(acme, 2, date_as_start_issue="2099-01-01")
    response = await owner.send(owner.address("subscriptions", "new"), TYPED)
    assert response.status_code == 303, words(response)
    [made] = await subscriptions(acme)
    assert response.headers["Location"] == owner.address("subscriptions", made["id"])
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert shown["issue_list"] == [1, 2, 3, 4]
    assert (shown["price"], shown["currency"], shown["medium"]) == ("42.00", "EUR", "Print")
    assert shown["subscriber"]["email"] == "ada@example.test"
    [entry] = await trail(acme, made["id"])
    assert (entry["actor_kind"], entry["action"]) == ("user", "subscription.create")
    assert entry["after"]["order_id"].startswith("HAND-")
    assert "Ada gets 4 issues." in await owner.text("subscriptions", made["id"])


async def test_a_new_form_has_no_remark_about_the_price(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    assert 'class="note"' not in await owner.text("subscriptions", "new")


async def test_enter_in_a_field_saves_nothing(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    path = owner.address("subscriptions", "new")
    page = await owner.text("subscriptions", "new")
    form = page[page.index('id="order"') :]
    first = re.search(r"<button[^>]*>", form)  # what Enter presses
    assert first
    assert 'name="do" value="enter"' in first[0]
    checked = await owner.post(path, {**fields_of(page), **TYPED, "do": "enter"})
    assert checked.status_code == 200
    assert "Nothing has been saved yet." in checked.text
    assert fields_of(checked.text)["first_name"] == TYPED["first_name"]
    assert await subscriptions(acme) == []


async def test_a_form_sent_twice_creates_one_subscription(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    path = owner.address("subscriptions", "new")
    first = await owner.send(path, TYPED)
    again = await owner.post(path, owner.sent)
    assert again.status_code == 303
    assert again.headers["Location"] == first.headers["Location"]
    both = await asyncio.gather(*(owner.post(path, owner.sent) for _ in range(4)))
    assert {each.status_code for each in both} == {303}
    assert len(await subscriptions(acme)) == 1


async def test_a_form_sent_twice_at_once_creates_one_subscription(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    path = owner.address("subscriptions", "new")
    fields = {**fields_of((await owner.http.get(path)).text), **TYPED}
    both = await asyncio.gather(*(owner.post(path, fields) for _ in range(4)))
    assert {each.status_code for each in both} == {303}
    assert len({each.headers["Location"] for each in both}) == 1
    assert len(await subscriptions(acme)) == 1


async def test_an_order_id_is_unique_even_without_the_idempotency_key(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    path = owner.address("subscriptions", "new")
    await owner.send(path, TYPED)
    response = await owner.post(path, {**owner.sent, "idempotency_key": ""})
    assert response.status_code == 400
    assert "belongs to subscription" in words(response)
    assert len(await subscriptions(acme)) == 1


@for_each(
    "field, value, text",
    [
        ("email", "ada", "expected an email address"),
        ("email", "ada@placeholder.example", "are placeholders"),
        ("first_name", "", "The name is missing"),
        ("first_name", "x" * 256, "at most 255 are allowed"),
        ("country", "", "The country is missing"),
        ("country", "XX", "expected a two-letter ISO 3166-1 country code"),
        ("start_issue", "99", "there is no issue with that number"),
        ("start_issue", "one", "expected a whole number"),
        ("length", "", "The number of issues is missing"),
        ("length", "0", "expected a whole number from 1 to 1000"),
        ("length", "4.5", "expected a whole number"),
        ("medium", "Vinyl", "expected one of Print"),
        ("price", "", "The price is missing"),
        ("price", "free", "Type the amount like 42.00."),
        ("price", "42.001", "Type the amount like 42.00."),
        ("discount_amount", "1.000,00", "Type the amount like 42.00."),
        ("copies", "0", "expected a whole number from 1 to 100"),
        ("copies", "101", "expected a whole number from 1 to 100"),
        ("payment_method", "barter", "expected one of cheque"),
        ("order_date", "2026-02-30", "expected a date as"),
        ("order_date", "1899-12-31", "too far in the past"),
        ("order_id", "", "The order ID is missing"),
        ("source", "NOSUCH", "is not a source of this account"),
        ("notes", "x" * 10_001, "at most 10000 are allowed"),
        ("is_comp", "y", "costs nothing"),
    ],
)
async def test_an_invalid_field_is_marked_and_the_form_keeps_its_values(
    owner: Person, acme: Cast, issue: dict[str, Any], field: str, value: str, text: str
) -> None:
    kept = {"city": "<b>Ulm</b>", "notes": "One\nTwo", "promo_code": "שלום"}
    response = await owner.send(
        owner.address("subscriptions", "new"), {**TYPED, **kept, field: value}
    )
    assert response.status_code == 400
    assert text in words(response)
    assert "Nothing has been saved yet." in response.text
    assert 'aria-invalid="true"' in response.text
    now = fields_of(response.text)
    expected = {**TYPED, **kept, field: value}
    shown = {"start_issue", "medium", "source", "country", "payment_method"}  # valid options
    for name, text in expected.items():
        if name != field or field not in shown:
            assert now.get(name, "") == text
    assert await subscriptions(acme) == []


async def test_all_errors_of_a_form_are_shown_at_once_with_field_labels(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    wrong = {"first_name": "", "length": "-3", "price": "42.001", "address1": "x" * 256}
    response = await owner.send(
        owner.address("subscriptions", "new"), {**TYPED, **wrong, "country": "", "email": "ada"}
    )
    text = words(response)
    for each in (
        "The country is missing",
        "The name is missing. Type a last name, a first name or a company.",
        "“Number of issues” is",
        "Type the amount like 42.00.",
        "“Street and number” has 256 characters",
        "“Email” is ada; expected an email address",
    ):
        assert each in text
    assert response.text.count('aria-invalid="true"') == 6


async def test_a_complimentary_subscription_has_no_price(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    new = owner.address("subscriptions", "new")
    response = await owner.send(new, {**TYPED, "is_comp": "y"})
    assert "A complimentary copy costs nothing. Empty the price, or untick" in words(response)
    assert 'id="price-error"' in response.text
    assert (await owner.send(new, {**TYPED, "is_comp": "y", "price": "0"})).status_code == 303


async def test_a_form_without_an_email_creates_a_new_subscriber(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await owner.send(owner.address("subscriptions", "new"), {**TYPED, "email": ""})
    [made] = await subscriptions(acme)
    assert "no email" in words(await owner.text("subscriptions", made["id"]))


async def test_the_form_is_filled_in_for_a_known_subscriber(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    address = {"address1": "1 Mill Lane", "city": "Ulm", "postcode": "89073", "phone": "+49 731"}
    who = {"email": "ada@example.test", "last_name": "Byron"}
    await make_subscription(acme, **who, country="DE", city="Kiel")
    made = await make_subscription(acme, **who, **address, country="FR")
    subscriber_id = made["subscriber"]["id"]
    page = await owner.text("subscriptions", "new", subscriber=subscriber_id)
    filled = fields_of(page)
    assert (filled["email"], filled["last_name"], filled["country"]) == (
        "ada@example.test",
        "Byron",
        "FR",
    )
    assert {name: filled[name] for name in address} == address
    [focused] = re.findall(r"<(?:input|select)[^>]*autofocus[^>]*>", page)
    assert 'id="is_gift-no"' in focused  # the first question, at the top of the page
    new = owner.address("subscriptions", "new")
    typed = {"length": "1", "price": "1", "medium": "Digital"}
    await owner.send(new, typed, opened=f"{new}?subscriber={subscriber_id}")
    assert (await acme.get(f"/v1/subscribers/{subscriber_id}/")).json()["subscription_count"] == 3


async def test_the_form_is_filled_in_for_a_company(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name=None, company="Acme Library")
    page = await owner.text("subscriptions", "new", subscriber=made["subscriber"]["id"])
    assert (fields_of(page)["company"], fields_of(page)["email"]) == ("Acme Library", "")


async def test_the_form_is_not_filled_in_for_a_subscriber_of_another_account(
    owner: Person, acme: Cast, rival: Cast
) -> None:
    await make_issue(rival)
    other = await make_subscription(rival)
    response = await owner.see("subscriptions", "new", subscriber=other["subscriber"]["id"])
    assert response.status_code == 404


async def test_without_issues_the_form_offers_to_create_one(owner: Person) -> None:
    page = await owner.text("subscriptions", "new")
    assert "A subscription starts with an issue" in page
    assert f'href="{owner.address("issues", "new")}"' in page


async def test_without_a_source_a_button_creates_one(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for id in (acme.shop, acme.imported):
        await sources.set_source_active(acme.db, acme.account_id, id, is_active=False, by=BY)
    page = await owner.text("subscriptions", "new")
    assert "Create the source “By hand”" in page
    path = owner.address("subscriptions", "new", "source")
    at_once = await asyncio.gather(*(owner.post(path, fields_of(page)) for _ in range(3)))
    later = await owner.post(path)
    assert {each.status_code for each in (*at_once, later)} == {303}
    known = (await acme.get("/v1/sources/")).json()["items"]
    [made] = [each for each in known if each["name"] == "By hand"]
    assert (made["type"], made["is_active"]) == ("import", True)
    assert (await owner.send(owner.address("subscriptions", "new"), TYPED)).status_code == 303


async def test_the_source_of_manual_orders_is_preselected(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await sources.create_source(
        acme.db, acme.account_id, name="By hand", type=SourceType.SHOP, by=BY
    )
    await sources.create_source(acme.db, acme.account_id, name="New", type=SourceType.SHOP, by=BY)
    assert fields_of(await owner.text("subscriptions", "new"))["source"] == made.id


async def test_orders_by_phone_have_a_source_of_their_own_or_the_last_one_that_was_chosen(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    page = await owner.text("subscriptions", "new")
    assert page.index("<summary>More: order ID") > page.index('name="source"'), "it is not hidden"
    assert fields_of(page)["source"] == "by-hand"
    address = owner.address("subscriptions", "new")
    refused = await owner.send(address, {**TYPED, "price": "free"})
    assert fields_of(refused.text)["source"] == "by-hand"
    for name in ("Ada", "Bea"):
        who = {"email": f"{name}@example.test", "first_name": name, "address1": f"{name} 1"}
        assert (await owner.send(address, {**TYPED, **who})).status_code == 303
    known = (await acme.get("/v1/sources/")).json()["items"]
    [made] = [each["id"] for each in known if each["name"] == "By hand"]
    assert fields_of(await owner.text("subscriptions", "new"))["source"] == made
    who = {"email": "cleo@example.test", "first_name": "Cleo", "address1": "Quay 9"}
    chosen = {**TYPED, **who, "source": acme.shop}
    assert (await owner.send(address, chosen)).status_code == 303
    assert fields_of(await owner.text("subscriptions", "new"))["source"] == acme.shop


async def test_the_form_says_what_printed_copies_need_and_asks_again_who_calls(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    page = words(await owner.see("subscriptions", "new"))
    assert "Printed copies need the street, the postcode and the town." in page
    assert "Postcode optional" not in page
    refused = await owner.send(owner.address("subscriptions", "new"), {**TYPED, "price": "free"})
    assert "Who is calling, or writes?" in words(refused)


@pytest.mark.parametrize(
    "typed, price", [("42,50", "42.50"), ("42.50", "42.50"), ("42", "42.00"), (" 42,5 ", "42.50")]
)
async def test_an_amount_may_use_the_decimal_mark_of_the_locale(
    owner: Person, acme: Cast, typed: str, price: str
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"locale": "de_DE"})
    response = await owner.send(
        owner.address("subscriptions", "new"), {**TYPED, "price": typed, "discount_amount": "1,5"}
    )
    assert response.status_code == 303, words(response)
    [made] = await subscriptions(acme)
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert (shown["price"], shown["discount_amount"]) == (price, "1.50")


@pytest.mark.parametrize("typed", ["1.042,50", "1,042,50", "42,505", "42,"])
async def test_an_ambiguous_amount_is_refused(owner: Person, acme: Cast, typed: str) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"locale": "de_DE"})
    response = await owner.send(owner.address("subscriptions", "new"), {**TYPED, "price": typed})
    assert response.status_code == 400
    assert fields_of(response.text)["price"] == typed
    assert "In EUR, zum Beispiel 42,00" in words(response)
