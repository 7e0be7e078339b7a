"""The pages of subscriptions: list, show, add and edit."""

import re
from typing import Any

import pytest
from starlette.responses import Response

from masthead.model.clock import now
from masthead.web.kit import form_handling
from tests.conftest import Cast
from tests.support.audit import list_entries
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.returns import Sending
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words


async def trail(cast: Cast, id: str) -> list[dict[str, Any]]:
    """The audit log of a subscription, oldest entry first."""
    async with cast.db.read() as connection:
        return await list_entries(connection, cast.account_id, "subscription", id)


# --- The list ------------------------------------------------------------------------------------


async def test_an_empty_list_offers_to_add_a_subscription(owner: Person) -> None:
    page = await owner.text("subscriptions")
    assert "There are no subscriptions yet" in page
    for place, label in (
        ("subscriptions/new", "Add a subscription"),
        ("imports/new", "Import a file"),
    ):
        assert page.count(f'href="{owner.address(*place.split("/"))}"') == page.count(label) == 1


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
    assert '<option value="Cancelled" selected>Cancelled</option>' in page
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
    assert "Ordered API key" in page


async def test_the_number_of_an_order_by_hand_is_on_one_line(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for number, kind in (("HAND-20260115-7QK2MX9C", "nowrap"), ("9" * 40, "whole")):
        made = await make_subscription(acme, order_id=number)
        page = await owner.text("subscriptions", made["id"])
        assert f'<th scope="row" class="{kind}"><bdi>{number}</bdi></th>' in page


async def test_gifts_and_memberships_show_their_own_fields(owner: Person, acme: Cast) -> None:
    gift = {"is_gift": "true", "gifter_name": "Bob", "gifter_email": "bob@example.test"}
    made = await make_membership(acme, **gift, is_recurring="yes")
    text = words(await owner.text("subscriptions", made["id"]))
    assert "from Bob (bob@example.test)" in text
    assert "1 January 2099 – 31 December 2099" in text
    assert "12 months" in text
    assert "There are no copies yet." in text
    assert "Total length" not in text  # it has no end


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


async def test_only_copies_of_issues_that_are_out_can_be_marked(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2020-06-01")
    await make_issue(acme, 2, release_date_actual="2099-06-01")
    await make_issue(acme, 3)
    made = await make_subscription(acme, start_issue=1, length=4)
    page = await owner.text("subscriptions", made["id"])
    assert "Issue 4 is not created yet." in page
    assert re.findall('name="copy" value="([0-9]+)"', page) == [
        str(copy["id"])
        for copy in await copies_of(acme, made["id"])
        if copy["issue"]["number"] == 1
    ]


async def test_without_a_copy_to_mark_there_is_no_column_for_it(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    assert "Sent on Mark as sent Actions" in heads_of(await owner.text("subscriptions", made["id"]))
    (copy,) = await copies_of(acme, made["id"])
    await owner.post(owner.address("subscriptions", made["id"], "sent"), {"copy": copy["id"]})
    assert "Sent on Actions" in heads_of(await owner.text("subscriptions", made["id"]))


def heads_of(page: str) -> str:
    """The text of the page, with blanks between the heads of its tables."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


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
    page = (await owner.http.get(path)).text
    # a copy of an issue that comes out later is not offered; another user may see an older page
    assert ('name="copy"' in page) == ("release_date_actual" not in fields)
    typed = {"copy": str(copy["id"]), "date": now().date().isoformat()}
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
        "This copy is in mailing 1 of Issue 1, which is prepared. Mark the mailing instead, or "
        "this copy leaves it." in words(response)
    )
    assert f'href="{owner.address("dispatches", sending.run.id)}"' in response.text
    assert "not out yet" not in response.text
    assert await sending.copies() == [("Not sent", None)]
    why = owner.address("issues", sending.issue["id"], "why")
    response = await owner.post(f"{path}sent/", fields_of(response.text))
    assert response.status_code == 303
    assert await sending.copies() == [("Sent", "2026-05-03")]
    asked = await owner.http.get(why, params={"subscriber": "anna@example.com"})
    assert "It was in mailing 1 then, to Weg 1" in words(asked)
    assert "Was in Mailing 1, prepared" in words(asked)


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


# --- Editing -------------------------------------------------------------------------------------


async def test_only_changed_fields_are_saved(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, phone="1", notes="One\nTwo", company="Acme")
    path = owner.address("subscriptions", made["id"], "edit")
    response = await owner.send(path, {"phone": "2", "last_name": "Byron", "company": ""})
    assert response.status_code == 303
    entry = (await trail(acme, made["id"]))[-1]
    assert entry["after"] == {"phone": "2", "last_name": "Byron", "company": None}
    assert entry["actor_kind"] == "user"
    assert "The changes are saved." in await owner.text("subscriptions", made["id"])


async def test_an_unchanged_form_saves_nothing(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, notes="One\nTwo")
    path = owner.address("subscriptions", made["id"], "edit")
    await owner.send(path, {"notes": "One\r\nTwo"})
    assert len(await trail(acme, made["id"])) == 1
    assert "Nothing was changed." in await owner.text("subscriptions", made["id"])


async def test_an_invalid_edit_is_marked_and_keeps_its_values(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "edit")
    response = await owner.send(path, {"first_name": "", "phone": "1"})
    assert response.status_code == 400
    assert "The name is missing. Type a last name" in words(response)
    assert fields_of(response.text)["phone"] == "1"
    response = await owner.send(path, {"phone": "1" * 256, "company": "x" * 300})
    for label in ("Phone, with country code", "Company"):
        assert f"“{label}” has" in words(response)
    assert len(await trail(acme, made["id"])) == 1
    assert (await owner.send(path, {"first_name": "", "last_name": "Bell"})).is_redirect


async def test_two_users_who_edit_at_the_same_time_lose_no_change(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, company="Ulm", phone="1")
    path = owner.address("subscriptions", made["id"], "edit")
    opened = fields_of((await owner.http.get(path)).text)
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"company": "Paris", "phone": "2"})
    response = await owner.post(path, {**opened, "company": "Rome", "notes": "Mine"})
    assert response.status_code == 400
    text = words(response)
    assert "This subscription has changed since you opened it" in text
    assert "Company Paris" in text
    now = fields_of(response.text)
    assert (now["company"], now["phone"], now["notes"]) == ("Rome", "2", "Mine")
    assert (await owner.post(path, now)).status_code == 303
    entry = (await trail(acme, made["id"]))[-1]
    assert entry["before"] == {"company": "Paris", "notes": None}
    assert entry["after"] == {"company": "Rome", "notes": "Mine"}


async def test_a_conflict_during_the_save_shows_the_saved_values(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, company="Ulm")
    path = owner.address("subscriptions", made["id"], "edit")
    save = form_handling.save_form

    async def save_after_another_user(*args: Any, **options: Any) -> Response:
        monkeypatch.undo()
        await acme.patch(f"/v1/subscriptions/{made['id']}/", {"company": "Paris"})
        return await save(*args, **options)

    monkeypatch.setattr(form_handling, "save_form", save_after_another_user)
    response = await owner.send(path, {"company": "Rome"})
    assert response.status_code == 400
    assert "Company Paris" in words(response)
    assert (await owner.post(path, fields_of(response.text))).status_code == 303
    assert (await trail(acme, made["id"]))[-1]["after"] == {"company": "Rome"}


@pytest.mark.parametrize("was", ["", "x", "{}", '{"phone": 1}'])
async def test_a_form_without_its_original_values_is_refused(
    owner: Person, acme: Cast, was: str
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "edit")
    response = await owner.send(path, {"was": was, "phone": "1"})
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


async def test_an_order_whose_first_issue_is_not_out_says_when_it_begins(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-01")
    await make_issue(acme, 2, release_date_actual="2099-01-01")
    running = await make_subscription(acme, start_issue=1, length=2)
    later = await make_subscription(acme, start_issue=2, length=2)
    assert "Still running" in await owner.text("subscriptions", running["id"])
    assert "Begins with issue 2" in await owner.text("subscriptions", later["id"])


async def test_the_total_length_is_shown_if_it_differs(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=4)
    assert "Total length" not in words(await owner.see("subscriptions", made["id"]))
    await owner.send(owner.address("subscriptions", made["id"], "renew"), {"price": "42"})
    assert "Total length 8 issues" in words(await owner.see("subscriptions", made["id"]))
