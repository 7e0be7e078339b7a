"""Subscriptions at the desk: found, shown, added by hand, changed, ended."""

import asyncio
import re
from typing import Any

import pytest

from masthead.model.types.enums import SourceType
from masthead.services import sources
from masthead.store.audit import trail as audit
from tests.conftest import BY, Cast
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
    """What is on record of a subscription, oldest first."""
    async with cast.db.read() as connection:
        return await audit.list_entries(connection, cast.account_id, "subscription", id)


# --- The list ------------------------------------------------------------------------------------


async def test_an_empty_list_says_what_to_do_with_one_button(owner: Person) -> None:
    page = await owner.text("subscriptions")
    assert "There are no subscriptions yet" in page
    assert page.count('role="button"') == 1


async def test_subscriptions_are_filtered_by_each_and_all(owner: Person, acme: Cast) -> None:
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


async def test_a_filter_that_is_none_is_refused_and_what_was_typed_is_kept(owner: Person) -> None:
    response = await owner.see("subscriptions", status="Nearly", search="ada")
    assert response.status_code == 400
    assert "expected one of Active" in words(response)
    assert 'value="ada"' in response.text


# --- The page of one -----------------------------------------------------------------------------


async def test_a_page_has_all_that_the_api_tells(owner: Person, acme: Cast) -> None:
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
    told = words(await owner.text("subscriptions", made["id"]))
    for text in (*(str(fields[name]) for name in fields), made["id"], "€42.00", "1–3", "Germany"):
        assert text in told
    assert "no e-mail" in told
    assert "Ordered the API key" in told


async def test_a_gift_and_a_membership_tell_what_is_theirs(owner: Person, acme: Cast) -> None:
    gift = {"is_gift": "true", "gifter_name": "Bob", "gifter_email": "bob@example.test"}
    made = await make_membership(acme, **gift, is_recurring="yes")
    told = words(await owner.text("subscriptions", made["id"]))
    assert "from Bob (bob@example.test)" in told
    assert "1 January 2099 – 31 December 2099" in told
    assert "12 months" in told
    assert "None so far" in told


async def test_copies_are_walked_and_marked_as_sent(owner: Person, acme: Cast) -> None:
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
    "fields, told",
    [
        ({"release_date_actual": "2099-06-01"}, "Issue 1 comes out 1 June 2099."),
        ({"release_date_fuzzy": "late summer"}, "no release date, only “late summer”, and no copy"),
        ({}, "Issue 1 has no release date, and no copy of it has been sent."),
    ],
    ids=str,
)
async def test_a_copy_of_an_issue_that_is_not_out_is_marked_after_a_question(
    owner: Person, acme: Cast, fields: dict[str, Any], told: str
) -> None:
    await make_issue(acme, **fields)
    made = await make_subscription(acme)
    await make_subscription(acme)
    [copy] = await copies_of(acme, made["id"])
    path = owner.address("subscriptions", made["id"])
    typed = fields_of((await owner.http.get(path)).text)
    response = await owner.post(f"{path}sent/", typed)
    assert response.status_code == 200
    assert told in words(response)
    assert "1 other copy waits to be sent." in words(response)
    assert (await copies_of(acme, made["id"]))[0]["status"] == "Not sent"
    response = await owner.post(f"{path}sent/", fields_of(response.text))
    assert response.status_code == 303
    [copy] = await copies_of(acme, made["id"])
    assert (copy["status"], copy["date_sent"]) == ("Sent", typed["date"])


@pytest.mark.parametrize("release_date", ["2020-06-01", None])
async def test_a_copy_of_an_issue_that_is_out_is_marked_at_once(
    owner: Person, acme: Cast, release_date: str | None
) -> None:
    await make_issue(acme, release_date_actual=release_date)
    if release_date is None:  # then it is out once a copy has been sent
        other = await make_subscription(acme)
        [copy] = await copies_of(acme, other["id"])
        await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"])
    response = await owner.post(f"{path}sent/", fields_of((await owner.http.get(path)).text))
    assert response.status_code == 303
    assert (await copies_of(acme, made["id"]))[0]["status"] == "Sent"


@pytest.mark.parametrize(
    "fields, status",
    [
        ({"copy": "1", "date": "2026-05-03"}, 303),  # of nobody: nothing happens
        ({"copy": "x", "date": "2026-05-03"}, 404),
        ({"copy": "1", "date": "soon"}, 400),
        ({}, 404),
    ],
    ids=str,
)
async def test_a_mark_that_cannot_be_is_refused(
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


# --- Added by hand -------------------------------------------------------------------------------


async def test_a_subscription_is_added_by_hand_and_on_record(owner: Person, acme: Cast) -> None:
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


async def test_a_form_sent_twice_makes_one_subscription(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    path = owner.address("subscriptions", "new")
    first = await owner.send(path, TYPED)
    again = await owner.post(path, owner.sent)
    assert again.status_code == 303
    assert again.headers["Location"] == first.headers["Location"]
    both = await asyncio.gather(*(owner.post(path, owner.sent) for _ in range(4)))
    assert {each.status_code for each in both} == {303}
    assert len(await subscriptions(acme)) == 1


async def test_a_form_sent_twice_at_once_makes_one_subscription(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    path = owner.address("subscriptions", "new")
    fields = {**fields_of((await owner.http.get(path)).text), **TYPED}
    both = await asyncio.gather(*(owner.post(path, fields) for _ in range(4)))
    assert {each.status_code for each in both} == {303}
    assert len({each.headers["Location"] for each in both}) == 1
    assert len(await subscriptions(acme)) == 1


async def test_an_order_id_is_used_once_even_without_the_forms_mark(
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
    "field, value, told",
    [
        ("email", "ada", "expected an email address"),
        ("email", "ada@placeholder.example", "stand for none at all"),
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
        ("source", "NOSUCH", "is no source of this account"),
        ("notes", "x" * 10_001, "at most 10000 are allowed"),
        ("is_comp", "y", "costs nothing"),
    ],
)
async def test_what_is_refused_is_marked_and_everything_typed_is_kept(
    owner: Person, acme: Cast, field: str, value: str, told: str
) -> None:
    await make_issue(acme)
    kept = {"city": "<b>Ulm</b>", "notes": "One\nTwo", "promo_code": "שלום"}
    response = await owner.send(
        owner.address("subscriptions", "new"), {**TYPED, **kept, field: value}
    )
    assert response.status_code == 400
    assert told in words(response)
    assert "Nothing has been saved yet." in response.text
    assert 'aria-invalid="true"' in response.text
    now = fields_of(response.text)
    expected = {**TYPED, **kept, field: value}
    shown = {"start_issue", "medium", "source", "country"}  # of a choice, what is offered
    for name, text in expected.items():
        if name != field or field not in shown:
            assert now.get(name, "") == text
    assert await subscriptions(acme) == []


async def test_all_that_is_wrong_with_a_form_is_marked_at_once_by_its_labels(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    wrong = {"first_name": "", "length": "-3", "price": "42.001", "address1": "x" * 256}
    response = await owner.send(
        owner.address("subscriptions", "new"), {**TYPED, **wrong, "country": "", "email": "ada"}
    )
    told = words(response)
    for each in (
        "The country is missing",
        "“First name” and “Company” are both missing",
        "“Number of issues” is",
        "“Price paid” is 42.001; EUR has 2 decimals",
        "“Address” has 256 characters",
        "“E-mail” is ada; expected an email address",
    ):
        assert each in told
    assert response.text.count('aria-invalid="true"') == 6


async def test_what_is_given_away_costs_nothing(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    new = owner.address("subscriptions", "new")
    response = await owner.send(new, {**TYPED, "is_comp": "y"})
    assert "“Price paid” is 42.00, but “Complimentary” is set" in words(response)
    assert (await owner.send(new, {**TYPED, "is_comp": "y", "price": "0"})).status_code == 303


async def test_a_form_without_an_e_mail_makes_a_subscriber_of_its_own(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("subscriptions", "new"), {**TYPED, "email": ""})
    [made] = await subscriptions(acme)
    assert "no e-mail" in words(await owner.text("subscriptions", made["id"]))


async def test_from_a_subscribers_page_the_form_knows_them(owner: Person, acme: Cast) -> None:
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


async def test_a_company_is_known_by_its_name(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name=None, company="Acme Library")
    page = await owner.text("subscriptions", "new", subscriber=made["subscriber"]["id"])
    assert (fields_of(page)["company"], fields_of(page)["email"]) == ("Acme Library", "")


async def test_a_subscriber_of_others_is_not_known(owner: Person, acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    other = await make_subscription(rival)
    response = await owner.see("subscriptions", "new", subscriber=other["subscriber"]["id"])
    assert response.status_code == 404


async def test_without_issues_there_is_one_button_to_make_one(owner: Person) -> None:
    page = await owner.text("subscriptions", "new")
    assert "A subscription starts with an issue" in page
    assert f'href="{owner.address("issues", "new")}"' in page


async def test_without_a_source_one_button_makes_it(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for id in (acme.shop, acme.imported):
        await sources.deactivate_source(acme.db, acme.account_id, id, by=BY)
    page = await owner.text("subscriptions", "new")
    assert "Make the source “By hand”" in page
    path = owner.address("subscriptions", "new", "source")
    at_once = await asyncio.gather(*(owner.post(path, fields_of(page)) for _ in range(3)))
    later = await owner.post(path)
    assert {each.status_code for each in (*at_once, later)} == {303}
    known = (await acme.get("/v1/sources/")).json()["items"]
    [made] = [each for each in known if each["name"] == "By hand"]
    assert (made["type"], made["is_active"]) == ("import", True)
    assert (await owner.send(owner.address("subscriptions", "new"), TYPED)).status_code == 303


async def test_the_source_for_orders_by_hand_is_taken_first(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await sources.create_source(
        acme.db, acme.account_id, name="By hand", type=SourceType.SHOP, by=BY
    )
    await sources.create_source(acme.db, acme.account_id, name="New", type=SourceType.SHOP, by=BY)
    assert fields_of(await owner.text("subscriptions", "new"))["source"] == made.id


async def test_a_shop_is_taken_before_an_old_list(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await sources.create_source(
        acme.db, acme.account_id, name="Old list", type=SourceType.IMPORT, by=BY
    )
    assert fields_of(await owner.text("subscriptions", "new"))["source"] == acme.shop


@pytest.mark.parametrize(
    "typed, price", [("42,50", "42.50"), ("42.50", "42.50"), ("42", "42.00"), (" 42,5 ", "42.50")]
)
async def test_an_amount_is_read_as_the_locale_writes_it(
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
async def test_no_amount_is_guessed(owner: Person, acme: Cast, typed: str) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"locale": "de_DE"})
    response = await owner.send(owner.address("subscriptions", "new"), {**TYPED, "price": typed})
    assert response.status_code == 400
    assert fields_of(response.text)["price"] == typed
    assert "In EUR, such as 42,00" in words(response)


# --- Changed -------------------------------------------------------------------------------------


async def test_what_is_typed_is_saved_and_the_rest_stays(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, city="Ulm", notes="One\nTwo", company="Acme")
    path = owner.address("subscriptions", made["id"], "edit")
    response = await owner.send(path, {"city": "Paris", "country": "FR", "company": ""})
    assert response.status_code == 303
    entry = (await trail(acme, made["id"]))[-1]
    assert entry["after"] == {"city": "Paris", "country": "FR", "company": None}
    assert entry["actor_kind"] == "user"
    assert "The changes are saved." in await owner.text("subscriptions", made["id"])


async def test_a_form_sent_untouched_changes_nothing(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, city="Ulm", notes="One\nTwo")
    path = owner.address("subscriptions", made["id"], "edit")
    await owner.send(path, {"notes": "One\r\nTwo"})
    assert len(await trail(acme, made["id"])) == 1
    assert "Nothing was changed." in await owner.text("subscriptions", made["id"])


async def test_an_edit_that_is_refused_is_marked_and_kept(owner: Person, acme: Cast) -> None:
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


async def test_two_people_who_edit_at_once_see_both_and_lose_nothing(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, city="Ulm", phone="1")
    path = owner.address("subscriptions", made["id"], "edit")
    opened = fields_of((await owner.http.get(path)).text)
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"city": "Paris", "phone": "2"})
    response = await owner.post(path, {**opened, "city": "Rome", "notes": "Mine"})
    assert response.status_code == 400
    told = words(response)
    assert "Somebody has changed this subscription since you opened it" in told
    assert "City Paris" in told
    now = fields_of(response.text)
    assert (now["city"], now["phone"], now["notes"]) == ("Rome", "2", "Mine")
    assert (await owner.post(path, now)).status_code == 303
    entry = (await trail(acme, made["id"]))[-1]
    assert entry["before"] == {"city": "Paris", "notes": None}
    assert entry["after"] == {"city": "Rome", "notes": "Mine"}


@pytest.mark.parametrize("was", ["", "x", "{}", '{"city": 1}'])
async def test_a_form_that_is_not_whole_is_refused(owner: Person, acme: Cast, was: str) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "edit")
    response = await owner.send(path, {"was": was, "city": "Ulm"})
    assert response.status_code == 400
    assert "The form is incomplete" in words(response)


# --- Ended ---------------------------------------------------------------------------------------


async def test_a_cancel_says_what_it_will_do_and_does_it(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=6)
    [first, *_] = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [first["id"]]})
    path = owner.address("subscriptions", made["id"], "cancel")
    told = words(await owner.http.get(path))
    assert "2 copies not sent yet (issues 2–3) will be cancelled." in told
    assert "3 bought and not made yet (issues 4–6) will not come." in told
    assert "1 copy sent before stays as it is." in told
    assert "Stop renewals" not in told
    response = await owner.send(path)
    assert response.status_code == 303
    page = words(await owner.text("subscriptions", made["id"]))
    assert "The subscription is cancelled; 2 copies will not be sent." in page
    [entry] = (await trail(acme, made["id"]))[1:]
    assert (entry["action"], entry["actor_kind"]) == ("subscription.cancel", "user")
    assert (await owner.post(path, owner.sent)).status_code == 303  # once more, by chance
    assert len(await trail(acme, made["id"])) == 2
    assert "It is cancelled already." in words(await owner.http.get(path))


async def test_a_recurring_one_can_be_let_run_out(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    await make_issue(acme, 4, recurring_charge_date="2099-02-01")
    made = await make_subscription(acme, length=3, is_recurring=True)
    path = owner.address("subscriptions", made["id"], "cancel")
    page = (await owner.http.get(path)).text
    told = words(page)
    assert "2 copies still to be sent (issues 1–2) will be sent." in told
    assert "The charge of 1 February 2099 falls away." in told
    assert "1 bought and not made yet (issue 3) will still come." in told
    assert "Active - Renewals stopped" in told
    assert "Cancel the subscription and 2 copies" in told
    form = re.search(r"<form(?:(?!<form).)*?stop_renewals.*?</form>", page, re.DOTALL)
    assert form
    response = await owner.post(path, fields_of(form[0]))
    assert response.status_code == 303
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert shown["status"] == "Active - Renewals stopped"
    assert "There are no renewals left to stop." in words(await owner.http.get(path))


async def test_a_membership_says_until_when_it_is_paid(owner: Person, acme: Cast) -> None:
    made = await make_membership(acme, is_recurring="yes")
    told = words(await owner.text("subscriptions", made["id"], "cancel"))
    assert "It is paid until 31 December 2099." in told
    assert "It was paid until 31 December 2099; issues released after today will not come." in told


async def test_a_cancel_of_what_has_changed_meanwhile_is_told_anew(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "cancel")
    opened = fields_of((await owner.http.get(path)).text)
    await make_issue(acme, 2)
    response = await owner.post(path, opened)
    assert response.status_code == 400
    told = words(response)
    assert "has changed since you opened this page" in told
    assert "2 copies not sent yet" in told
    assert len(await trail(acme, made["id"])) == 1
    assert (await owner.post(path, fields_of(response.text))).status_code == 303


@pytest.mark.parametrize("mode", ["", "stop_renewals", "destroy"])
async def test_a_way_that_is_not_offered_is_refused(owner: Person, acme: Cast, mode: str) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "cancel")
    response = await owner.send(path, {"mode": mode})
    assert response.status_code == 400
    assert "Choose one of the ways below" in words(response)


@pytest.mark.parametrize("verb", ["edit", "cancel", "sent"])
async def test_nothing_is_done_to_what_is_another_accounts(
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
