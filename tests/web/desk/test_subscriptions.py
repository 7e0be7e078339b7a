"""The pages of subscriptions: list, show, add and edit."""

import asyncio
import re
from typing import Any

import pytest

from masthead.model.resources import Subscription
from masthead.model.types.enums import SourceType
from masthead.services import sources
from masthead.services.subscriptions import update as service
from masthead.store.audit import trail as audit
from tests.conftest import BY, Cast
from tests.support.carriers import Sending
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.web.conftest import Person, fields_of
from tests.web.desk.test_subscribers import subscriptions, words

TYPED = {
    "email": "ada@example.test",
    "first_name": "Ada",
    "country": "DE",
    "length": "4",
    "price": "42.00",
}


async def trail(cast: Cast, id: str) -> list[dict[str, Any]]:
    """The audit log of a subscription, oldest entry first."""
    async with cast.db.read() as connection:
        return await audit.list_entries(connection, cast.account_id, "subscription", id)


# --- The list ------------------------------------------------------------------------------------


async def test_an_empty_list_offers_to_add_a_subscription(owner: Person) -> None:
    page = await owner.text("subscriptions")
    assert "There are no subscriptions yet" in page
    assert page.count('role="button"') == 1


async def test_filters_can_be_combined(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    row = {"start_issue": "1", "length": "2"}
    gift = {"is_gift": "true", "gifter_name": "Bob", "gifter_email": "bob@example.test"}
    await make_subscription(acme, first_name="Ada", country="DE")
    await import_row(acme, **row, first_name="Zoe", status="Cancelled", country="FR")
    await import_row(acme, **row, **gift, first_name="Eve", country="FR")

    async def found(**filters: str) -> set[str]:
        page = words(await owner.text("subscriptions", **filters))
        return {name for name in ("Ada", "Zoe", "Eve") if name in page}

    assert await found() == {"Ada", "Zoe", "Eve"}
    assert await found(status="Cancelled") == {"Zoe"}
    assert await found(country="FR") == {"Zoe", "Eve"}
    assert await found(country="fr", is_gift="false") == {"Zoe"}
    assert await found(source=acme.shop) == {"Ada"}
    assert await found(search="eve", status="Active", country="FR", is_gift="true") == {"Eve"}
    assert await found(status="Past due") == set()
    page = await owner.text("subscriptions", status="Cancelled", country="fr")
    assert "<option selected>Cancelled</option>" in page
    assert '<option value="FR" selected>' in page


async def test_an_invalid_filter_is_refused_and_stays_in_its_field(owner: Person) -> None:
    response = await owner.see("subscriptions", status="Nearly", search="ada")
    assert response.status_code == 400
    assert "expected one of Active" in words(response)
    assert 'value="ada"' in response.text


# --- One subscription ----------------------------------------------------------------------------


async def test_the_page_shows_every_field_of_the_api(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    fields = {
        "company": "Acme & Sons",
        "address1": "1 Mill Lane",
        "address2": "Flat 2",
        "city": "Ulm",
        "state": "BW",
        "postcode": "89073",
        "phone": "+49 731",
        "notes": "Rings twice",
        "promo_code": "SPRING",
        "discount_amount": "5.00",
        "order_id": "SHOP-1",
        "length": 3,
    }
    made = await make_subscription(acme, **fields)
    page = words(await owner.text("subscriptions", made["id"]))
    for text in (*(str(fields[name]) for name in fields), made["id"], "€42.00", "1–3", "Germany"):
        assert text in page
    assert "no email" in page
    assert "Ordered the API key" in page


async def test_gifts_and_memberships_show_their_own_fields(owner: Person, acme: Cast) -> None:
    gift = {"is_gift": "true", "gifter_name": "Bob", "gifter_email": "bob@example.test"}
    made = await make_membership(acme, **gift, is_recurring="yes")
    text = words(await owner.text("subscriptions", made["id"]))
    assert "from Bob (bob@example.test)" in text
    assert "1 January 2099 – 31 December 2099" in text
    assert "12 months" in text
    assert "There are no copies yet." in text


async def test_copies_are_paginated_and_marked_as_sent(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 51)
    made = await make_subscription(acme, length=51)
    path = owner.address("subscriptions", made["id"])
    page = (await owner.http.get(path)).text
    [following] = re.findall(r'<a href="([^"]+)" rel="next"', page)
    assert page.count('name="copy"') == 50
    assert (await owner.http.get(following)).text.count('name="copy"') == 1
    copies = await copies_of(acme, made["id"])
    for copy, day in ((copies[0], "2026-05-03"), (copies[1], "")):
        response = await owner.post(f"{path}sent/", {"copy": str(copy["id"]), "date": day})
        assert response.status_code == 303
    assert "The copy is marked as sent." in (await owner.http.get(path)).text
    marked = (await copies_of(acme, made["id"]))[:2]
    assert [(copy["status"], copy["date_sent"]) for copy in marked] == [
        ("Sent", "2026-05-03"),
        ("Sent", None),
    ]


@pytest.mark.parametrize(
    "fields, text",
    [
        ({"release_date_actual": "2099-06-01"}, "Issue 1 comes out on 1 June 2099."),
        (
            {"release_date_fuzzy": "late summer"},
            "no release date, only “late summer”, and it comes after the current issue.",
        ),
        ({}, "Issue 1 has no release date, and it comes after the current issue."),
    ],
    ids=str,
)
async def test_marking_a_copy_of_an_issue_that_is_not_out_needs_confirmation(
    owner: Person, acme: Cast, fields: dict[str, Any], text: str
) -> None:
    await make_issue(acme, **fields)
    made = await make_subscription(acme)
    await make_subscription(acme)
    [copy] = await copies_of(acme, made["id"])
    path = owner.address("subscriptions", made["id"])
    typed = fields_of((await owner.http.get(path)).text)
    response = await owner.post(f"{path}sent/", typed)
    assert response.status_code == 200
    assert text in words(response)
    assert "1 other copy is not sent yet." in words(response)
    assert (await copies_of(acme, made["id"]))[0]["status"] == "Not sent"
    response = await owner.post(f"{path}sent/", fields_of(response.text))
    assert response.status_code == 303
    [copy] = await copies_of(acme, made["id"])
    assert (copy["status"], copy["date_sent"]) == ("Sent", typed["date"])


@pytest.mark.parametrize(
    "fields",
    [{"release_date_actual": "2020-06-01"}, {"date_as_start_issue": "2020-06-01"}],
    ids=str,
)
async def test_a_copy_of_an_issue_that_is_out_is_marked_without_confirmation(
    owner: Person, acme: Cast, fields: dict[str, Any]
) -> None:
    await make_issue(acme, **fields)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"])
    response = await owner.post(f"{path}sent/", fields_of((await owner.http.get(path)).text))
    assert response.status_code == 303
    assert (await copies_of(acme, made["id"]))[0]["status"] == "Sent"


async def test_marking_a_copy_of_a_frozen_run_needs_confirmation(owner: Person, acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1, email="anna@example.com")
    [made] = sending.subscriptions
    path = owner.address("subscriptions", made["id"])
    typed = {**fields_of((await owner.http.get(path)).text), "date": "2026-05-03"}
    response = await owner.post(f"{path}sent/", typed)
    assert response.status_code == 200
    assert (
        "This copy is in run 1 of Issue 1, which is frozen. Mark the run instead, or this copy "
        "leaves it." in words(response)
    )
    assert f'href="{owner.address("dispatches", sending.run.id)}"' in response.text
    assert "not out yet" not in response.text
    assert await sending.copies() == [("Not sent", None)]
    why = owner.address("issues", sending.issue["id"], "why")
    response = await owner.post(f"{path}sent/", fields_of(response.text))
    assert response.status_code == 303
    assert await sending.copies() == [("Sent", "2026-05-03")]
    asked = await owner.http.get(why, params={"subscriber": "anna@example.com"})
    assert "It was in run 1 then, to Weg 1" in words(asked)
    assert "Was in Run 1, frozen" in words(asked)


async def test_both_pages_agree_on_whether_an_issue_without_a_release_date_is_out(
    owner: Person, acme: Cast
) -> None:
    """A copy that was sent early does not mean that its issue is out; a current issue is out."""
    await make_issue(acme, 1, date_as_start_issue="2020-06-01")
    await make_issue(acme, 2)
    await import_row(acme, start_issue="2", length="1", sent_issues="2")
    for number, is_out in ((1, True), (2, False)):
        made = await make_subscription(acme, start_issue=number, length=1)
        [copy] = await copies_of(acme, made["id"])
        path = owner.address("subscriptions", made["id"])
        issue_page = await owner.text("issues", copy["issue"]["id"], "dispatch")
        response = await owner.post(f"{path}sent/", fields_of((await owner.http.get(path)).text))
        assert ("This issue is not out yet" not in issue_page) is is_out
        assert (response.status_code == 303) is is_out


@pytest.mark.parametrize(
    "fields, status",
    [
        ({"copy": "1", "date": "2026-05-03"}, 303),  # unknown: nothing happens
        ({"copy": "x", "date": "2026-05-03"}, 404),
        ({"copy": "1", "date": "soon"}, 400),
        ({}, 404),
    ],
    ids=str,
)
async def test_an_unknown_copy_or_date_is_refused(
    owner: Person, acme: Cast, fields: dict[str, str], status: int
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"])
    response = await owner.post(f"{path}sent/", fields)
    assert response.status_code == status
    if status == 400:
        assert "expected a date as" in words(response)
    [copy] = await copies_of(acme, made["id"])
    assert copy["status"] == "Not sent"


# --- Adding one ----------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    "field, value, text",
    [
        ("email", "ada", "expected an email address"),
        ("email", "ada@placeholder.example", "are placeholders"),
        ("first_name", "", "both missing"),
        ("first_name", "x" * 256, "at most 255 are allowed"),
        ("country", "", "The country is missing"),
        ("country", "XX", "expected a two-letter ISO 3166-1 country code"),
        ("start_issue", "99", "there is no issue with that number"),
        ("start_issue", "one", "expected a whole number"),
        ("length", "", "The number of issues is missing"),
        ("length", "0", "expected a whole number from 1 to 1000"),
        ("length", "4.5", "expected a whole number"),
        ("medium", "Vinyl", "expected one of Print"),
        ("price", "42,00", "expected a decimal amount"),
        ("price", "42.001", "EUR has 2 decimals"),
        ("order_date", "2026-02-30", "expected a date as"),
        ("order_date", "1899-12-31", "the years 1900 to 9999"),
        ("order_id", "", "The order ID is missing"),
        ("source", "NOSUCH", "is not a source of this account"),
        ("notes", "x" * 10_001, "at most 10000 are allowed"),
        ("is_comp", "y", "costs nothing"),
    ],
)
async def test_an_invalid_field_is_marked_and_the_form_keeps_its_values(
    owner: Person, acme: Cast, field: str, value: str, text: str
) -> None:
    await make_issue(acme)
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
    shown = {"start_issue", "medium", "source", "country"}  # for a choice, the valid options
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
        "“First name” and “Company” are both missing",
        "“Number of issues” is",
        "“Price paid” is 42.001; EUR has 2 decimals",
        "“Address” has 256 characters",
        "“Email” is ada; expected an email address",
    ):
        assert each in text
    assert response.text.count('aria-invalid="true"') == 6


async def test_a_complimentary_subscription_has_no_price(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    new = owner.address("subscriptions", "new")
    response = await owner.send(new, {**TYPED, "is_comp": "y"})
    assert "“Price paid” is 42.00, but “Complimentary” is set" in words(response)
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
    new = owner.address("subscriptions", "new")
    await owner.send(new, {"length": "1", "price": "1"}, opened=f"{new}?subscriber={subscriber_id}")
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
        await sources.deactivate_source(acme.db, acme.account_id, id, by=BY)
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


async def test_a_shop_is_preselected_before_an_import_source(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await sources.create_source(
        acme.db, acme.account_id, name="Old list", type=SourceType.IMPORT, by=BY
    )
    assert fields_of(await owner.text("subscriptions", "new"))["source"] == acme.shop


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
    assert "In EUR, such as 42,00" in words(response)


# --- Editing -------------------------------------------------------------------------------------


async def test_only_changed_fields_are_saved(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, city="Ulm", notes="One\nTwo", company="Acme")
    path = owner.address("subscriptions", made["id"], "edit")
    response = await owner.send(path, {"city": "Paris", "country": "FR", "company": ""})
    assert response.status_code == 303
    entry = (await trail(acme, made["id"]))[-1]
    assert entry["after"] == {"city": "Paris", "country": "FR", "company": None}
    assert entry["actor_kind"] == "user"
    assert "The changes are saved." in await owner.text("subscriptions", made["id"])


async def test_an_unchanged_form_saves_nothing(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, city="Ulm", notes="One\nTwo")
    path = owner.address("subscriptions", made["id"], "edit")
    await owner.send(path, {"notes": "One\r\nTwo"})
    assert len(await trail(acme, made["id"])) == 1
    assert "Nothing was changed." in await owner.text("subscriptions", made["id"])


async def test_an_invalid_edit_is_marked_and_keeps_its_values(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "edit")
    response = await owner.send(path, {"first_name": "", "city": "Ulm"})
    assert response.status_code == 400
    assert "both missing" in words(response)
    assert fields_of(response.text)["city"] == "Ulm"
    response = await owner.send(path, {"phone": "1" * 256, "state": "x" * 300, "city": "Ulm"})
    for label in ("Phone, with country code", "State or region"):
        assert f"“{label}” has" in words(response)
    assert len(await trail(acme, made["id"])) == 1


async def test_two_users_who_edit_at_the_same_time_lose_no_change(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, city="Ulm", phone="1")
    path = owner.address("subscriptions", made["id"], "edit")
    opened = fields_of((await owner.http.get(path)).text)
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"city": "Paris", "phone": "2"})
    response = await owner.post(path, {**opened, "city": "Rome", "notes": "Mine"})
    assert response.status_code == 400
    text = words(response)
    assert "This subscription has changed since you opened it" in text
    assert "City Paris" in text
    now = fields_of(response.text)
    assert (now["city"], now["phone"], now["notes"]) == ("Rome", "2", "Mine")
    assert (await owner.post(path, now)).status_code == 303
    entry = (await trail(acme, made["id"]))[-1]
    assert entry["before"] == {"city": "Paris", "notes": None}
    assert entry["after"] == {"city": "Rome", "notes": "Mine"}


async def test_a_conflict_during_the_save_shows_the_saved_values(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, city="Ulm")
    path = owner.address("subscriptions", made["id"], "edit")
    update = service.update_subscription

    async def update_after_another_user(*args: Any, **options: Any) -> Subscription:
        monkeypatch.undo()
        await acme.patch(f"/v1/subscriptions/{made['id']}/", {"city": "Paris"})
        return await update(*args, **options)

    monkeypatch.setattr(service, "update_subscription", update_after_another_user)
    response = await owner.send(path, {"city": "Rome"})
    assert response.status_code == 400
    assert "City Paris" in words(response)
    assert (await owner.post(path, fields_of(response.text))).status_code == 303
    assert (await trail(acme, made["id"]))[-1]["after"] == {"city": "Rome"}


@pytest.mark.parametrize("was", ["", "x", "{}", '{"city": 1}'])
async def test_a_form_without_its_original_values_is_refused(
    owner: Person, acme: Cast, was: str
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "edit")
    response = await owner.send(path, {"was": was, "city": "Ulm"})
    assert response.status_code == 400
    assert "The form is incomplete" in words(response)


@pytest.mark.parametrize("verb", ["edit", "cancel", "sent"])
async def test_subscriptions_of_another_account_cannot_be_changed(
    owner: Person, outsider: Person, acme: Cast, rival: Cast, verb: str
) -> None:
    for cast in (acme, rival):
        await make_issue(cast)
    made = await make_subscription(acme)
    other = await make_subscription(rival)
    fields = {"city": "Ulm", "copy": "1", "mode": "cancel", "idempotency_key": ""}
    for person, id in ((owner, other["id"]), (outsider, made["id"])):
        response = await person.post(person.address("subscriptions", id, verb), fields)
        assert response.status_code == 404
    assert len(await trail(acme, made["id"])) == 1
    assert len(await trail(rival, other["id"])) == 1
