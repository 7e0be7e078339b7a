"""Whom an order is for: known subscribers, likely duplicates, and subscribers without an email."""

import re

import pytest

from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED, WHERE, subscribers, subscriptions
from tests.web.subscribers.test_pages import words

HTMX = {"HX-Request": "true", "Sec-Fetch-Site": "same-origin"}
ADA = {"first_name": "Ada", "last_name": "Byron", **WHERE}


@pytest.mark.parametrize("email", ["ada@example.test", None])
async def test_adding_from_a_subscribers_page_never_makes_a_second_subscriber(
    owner: Person, acme: Cast, email: str | None
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **ADA, email=email)
    id = made["subscriber"]["id"]
    page = await owner.text("subscribers", id)
    [address] = {
        each.replace("&amp;", "&")
        for each in re.findall(r'href="([^"]+subscriptions/new/\?subscriber=[^"]*)"', page)
    }
    new = owner.address("subscriptions", "new")
    typed = {"length": "2", "price": "20", "last_name": "Lovelace", "medium": "Digital"}
    answer = await owner.send(new, typed, opened=address)
    assert answer.status_code == 303, words(answer)
    [subscriber] = await subscribers(acme)
    assert (subscriber["id"], subscriber["subscription_count"]) == (id, 2)
    newest, _ = await subscriptions(acme)
    assert newest["last_name"] == "Lovelace"
    page = words(await owner.http.get(answer.headers["Location"]))
    assert "Ada Lovelace gets 2 issues. The subscription belongs to Ada Byron." in page


async def test_the_address_of_the_form_names_the_subscriber_too(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **ADA, email=None)
    address = owner.address("subscriptions", "new")
    typed = fields_of((await owner.http.get(address)).text) | {**ADA, "length": "1", "price": "1"}
    typed["medium"] = "Digital"
    del typed["subscriber_id"]
    answer = await owner.post(f"{address}?subscriber={made['subscriber']['id']}", typed)
    assert answer.status_code == 303
    assert len(await subscribers(acme)) == 1


async def test_a_subscriber_who_does_not_exist_is_refused(
    owner: Person, acme: Cast, rival: Cast
) -> None:
    await make_issue(acme)
    await make_issue(rival)
    foreign = (await make_subscription(rival))["subscriber"]["id"]
    address = owner.address("subscriptions", "new")
    for typed in ({"subscriber_id": foreign}, {"is_gift": "y", "gifter_id": foreign}):
        answer = await owner.send(address, {**TYPED, **typed})
        assert answer.status_code == 400
        assert "no longer exists" in words(answer)
    assert await subscribers(acme) == []


async def test_a_known_email_with_the_same_name_is_added_to_that_subscriber(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await make_subscription(acme, first_name="Ada", last_name="Byron", email="ada@example.test")
    address = owner.address("subscriptions", "new")
    typed = {**TYPED, "email": "Ada@Example.test", "first_name": "ada", "last_name": "BYRON"}
    typed["medium"] = "Digital"
    assert (await owner.send(address, typed)).status_code == 303
    [subscriber] = await subscribers(acme)
    assert subscriber["subscription_count"] == 2


async def test_a_known_email_with_another_name_is_asked_about_and_answered_with_the_typed_name(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name="Ada", email="ada@example.test")
    address = owner.address("subscriptions", "new")
    answer = await owner.send(address, {**TYPED, "first_name": "Grace"})
    assert answer.status_code == 400
    text = words(answer)
    assert (
        "ada@example.test is the email of Ada. Use that subscriber, or type another email." in text
    )
    assert "same email" in text
    assert 'name="new_subscriber"' not in answer.text  # an email has one record
    typed = fields_of(answer.text)
    assert typed["first_name"] == "Grace"
    refused = await owner.post(address, {**typed, "new_subscriber": made["subscriber"]["id"]})
    assert refused.status_code == 400
    chosen = await owner.post(address, {**typed, "do": f"use:{made['subscriber']['id']}"})
    assert chosen.status_code == 200
    typed = fields_of(chosen.text)
    assert (typed["first_name"], typed["subscriber_id"]) == ("Grace", made["subscriber"]["id"])
    answer = await owner.post(address, {**typed, "medium": "Digital"})
    assert answer.status_code == 303
    page = words(await owner.http.get(answer.headers["Location"]))
    assert "Grace gets 4 issues. The subscription belongs to Ada." in page
    assert len(await subscribers(acme)) == 1


async def test_the_next_page_says_one_issue_in_the_singular(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    address = owner.address("subscriptions", "new")
    answer = await owner.send(address, {**TYPED, "length": "1"})
    assert "Ada gets 1 issue." in words(await owner.http.get(answer.headers["Location"]))


@pytest.mark.parametrize(
    "known, typed, reason",
    [
        ({}, {"first_name": "ADA", "last_name": "Byrön"}, "same name"),
        ({"postcode": "SW1A 1AA", "country": "GB"}, {"postcode": "sw1a1aa"}, "same name"),
        (
            {"address1": "Hauptstraße 5", "postcode": "89073"},
            {"address1": "Haupt-Str. 5", "postcode": "89075"},
            "same name and street",
        ),
        (
            {"phone": "+49 731 12 34 56", "postcode": "1"},
            {"phone": "0731/123456", "first_name": "Eve"},
            "same phone",
        ),
    ],
    ids=["accents", "postcode", "street", "phone"],
)
async def test_a_likely_duplicate_must_be_answered_before_a_second_subscriber_is_made(
    owner: Person, acme: Cast, known: dict[str, str], typed: dict[str, str], reason: str
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **{**ADA, **known}, email="ada@example.test")
    address = owner.address("subscriptions", "new")
    given = {**TYPED, **ADA, "country": known.get("country", "DE"), **typed, "email": ""}
    answer = await owner.send(address, given)
    assert answer.status_code == 400
    text = words(answer)
    assert "This may be a subscriber that you already have." in text
    assert f"Ada Byron ({reason})" in text
    assert len(await subscribers(acme)) == 1
    id = made["subscriber"]["id"]
    shown = fields_of(answer.text)
    assert (await owner.post(address, {**shown, "new_subscriber": "another"})).status_code == 400
    answer = await owner.post(address, {**shown, "new_subscriber": id})
    assert answer.status_code == 303, words(answer)
    assert len(await subscribers(acme)) == 2


async def test_a_subscriber_in_another_town_or_with_another_name_is_not_a_duplicate(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await make_subscription(acme, **ADA, phone="731", email="ada@example.test")
    address = owner.address("subscriptions", "new")
    moved = {"postcode": "89075", "address1": "2 Mill Lane"}
    for typed in (moved, {"first_name": "Eve"}, {"last_name": ""}):
        given = {**TYPED, **ADA, **typed, "phone": "731", "email": ""}
        assert (await owner.send(address, given)).status_code == 303
    assert len(await subscribers(acme)) == 4


async def test_a_company_is_compared_by_its_name(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, **WHERE, first_name=None, company="Acme Library")
    typed = {**TYPED, "email": "", "first_name": "", "company": "ACME LIBRARY"}
    answer = await owner.send(owner.address("subscriptions", "new"), typed)
    assert answer.status_code == 400
    assert "Acme Library (same name)" in words(answer)


async def test_subscribers_are_found_while_typing_and_by_a_button(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **ADA, email="ada@example.test")
    other = await make_subscription(acme, first_name="Eve", email=None, country="FR")
    address = owner.address("subscriptions", "new")
    link = f'href="{address}?subscriber={made["subscriber"]["id"]}"'
    for find in ("byron", "ada@exam", "89073", "ada 890"):
        for headers in ({}, {**HTMX, "HX-Target": "subscribers"}):
            found = await owner.http.get(address, params={"find": find}, headers=headers)
            assert link in found.text
            assert other["subscriber"]["id"] not in found.text
            assert ("<html" in found.text) == (not headers)
    text = words(await owner.text("subscriptions", "new", find="eve"))
    assert "EveFrance · no email · 1 subscription" in text
    assert "No subscriber matches" in words(await owner.text("subscriptions", "new", find="zoe"))
    assert "No subscriber matches" not in words(await owner.text("subscriptions", "new", find=" "))


async def test_likely_duplicates_appear_while_typing(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **ADA, email="ada@example.test")
    address = owner.address("subscriptions", "new")
    typed = {**fields_of((await owner.http.get(address)).text), **ADA, "do": "check"}
    block = await owner.http.post(address, data=typed, headers={**HTMX, "HX-Target": "duplicates"})
    assert block.status_code == 200
    assert "Is it one of these subscribers?" in block.text
    assert f'value="use:{made["subscriber"]["id"]}"' in block.text
    assert "<form" not in block.text
    typed["last_name"] = "x" * 300
    block = await owner.http.post(address, data=typed, headers={**HTMX, "HX-Target": "duplicates"})
    assert (block.status_code, "Is it" in block.text) == (200, False)


async def test_using_a_subscriber_fills_in_only_what_is_empty(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **ADA, phone="+49 731 123456", email="ada@example.test")
    address = owner.address("subscriptions", "new")
    use = {"do": f"use:{made['subscriber']['id']}"}
    empty = fields_of((await owner.send(address, use)).text)
    assert {name: empty[name] for name in ADA} == ADA
    assert empty["phone"] == "+49 731 123456"
    typed = {"first_name": "Eve", "city": "Kiel", "postcode": "24103"}
    kept = fields_of((await owner.send(address, {**typed, **use})).text)
    assert (kept["first_name"], kept["last_name"]) == ("Eve", "")
    assert (kept["city"], kept["address1"]) == ("Kiel", "")
    again = fields_of((await owner.post(address, {**kept, "do": "forget"})).text)
    assert (again["subscriber_id"], again["first_name"], again["email"]) == ("", "Eve", "")
    assert (again["city"], again["phone"]) == ("Kiel", "")
    unknown = await owner.post(address, {**kept, "do": "use:NOSUCH"})
    assert unknown.status_code == 200
    assert (await owner.post(address, {**kept, "do": "dance"})).status_code == 200


async def test_choosing_another_subscriber_empties_their_fields_and_finds_the_next(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "AT"})
    ada = await make_subscription(acme, **ADA, phone="+49 731 123456", email="ada@example.test")
    eve = await make_subscription(acme, first_name="Evelina", country="FR", city="Lyon", email=None)
    address = owner.address("subscriptions", "new")
    opened = fields_of(await owner.text("subscriptions", "new", subscriber=ada["subscriber"]["id"]))
    assert opened["city"] == "Ulm"
    answer = await owner.post(address, {**opened, "length": "7", "do": "forget"})
    fields = fields_of(answer.text)
    assert {name: fields[name] for name in ADA} == {**dict.fromkeys(ADA, ""), "country": "AT"}
    assert (fields["phone"], fields["email"], fields["length"]) == ("", "", "7")
    assert 'value="find"' in answer.text
    for headers in ({}, {**HTMX, "HX-Target": "found"}):
        typed = {**fields, "subscriber_find": "evelina", "do": "find"}
        found = await owner.http.post(address, data=typed, headers=headers or HTMX)
        assert f'value="use:{eve["subscriber"]["id"]}"' in found.text
        assert ada["subscriber"]["id"] not in found.text
    use = {"subscriber_find": "evelina", "do": f"use:{eve['subscriber']['id']}"}
    fields = fields_of((await owner.post(address, {**fields, **use})).text)
    assert (fields["first_name"], fields["city"], fields["country"]) == ("Evelina", "Lyon", "FR")
    assert fields["length"] == "7"
    nobody = await owner.post(address, {**fields, "do": "forget"})
    nobody = await owner.post(
        address, {**fields_of(nobody.text), "subscriber_find": "zoe", "do": "find"}
    )
    assert "No subscriber matches." in words(nobody)


async def test_an_order_for_a_merged_subscriber_goes_to_the_kept_one(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    kept = (await make_subscription(acme, **ADA))["subscriber"]["id"]
    old = (await make_subscription(acme, first_name="Eve"))["subscriber"]["id"]
    address = owner.address("subscriptions", "new")
    opened = await owner.http.get(address, params={"subscriber": old})

    async def work(tx):  # type: ignore[no-untyped-def]
        await tx.execute(
            "UPDATE subscriber SET merged_into = :kept WHERE account_id = :account AND id = :old",
            {"kept": kept, "old": old, "account": acme.account_id},
        )

    await acme.db.write(work)
    typed = {**fields_of(opened.text), **TYPED, "email": ""}
    assert "Ada Byron has issue" in words(await owner.post(address, {**typed, "do": "check"}))
    answer = await owner.post(address, {**typed, "medium": "Digital"})
    assert answer.status_code == 303
    newest = (await subscriptions(acme))[0]
    assert newest["subscriber"]["id"] == kept
