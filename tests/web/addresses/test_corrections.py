"""Correct an address: the form begins with the present one, and the preview shows what changes."""

from typing import Any

from tests.conftest import Cast
from tests.support.addresses import HOME
from tests.web.addresses.test_change import send, towns, two, where
from tests.web.conftest import Person, fields_of

__all__ = ["two"]


async def test_the_form_begins_with_the_present_address_and_shows_what_changes(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    page = (await owner.http.get(where(owner, two))).text
    assert "The fields begin with the present address, <bdi>Weg 1, 10115 Berlin</bdi>" in page
    assert "to keep the name on each label" not in page  # the fields have the name
    begun = fields_of(page)
    assert {name: begun[name] for name in HOME} == HOME
    number = HOME["address1"].replace("1", "11")
    seen = await send(owner, two, {"address1": number}, page=page, action="preview")
    assert f"<bdi>{HOME['address1']}</bdi> → <bdi>{number}</bdi>" in seen.text
    assert seen.text.count(" → <bdi>") == 1
    assert "The street is another one" not in seen.text
    other = await send(owner, two, {"address1": "Kai 9"}, page=page, action="preview")
    assert "The street is another one, but these are as before: Postcode; Town." in other.text
    assert (await send(owner, two, {}, page=seen.text)).is_redirect
    assert await towns(acme, two) == [HOME["city"]] * 2


async def test_the_fields_are_emptied_for_a_move_and_keep_the_rest(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    fields = {"when": "from", "first_issue": "3"}
    page = (await send(owner, two, fields, action="empty")).text
    emptied = fields_of(page)
    assert (emptied["address1"], emptied["postcode"], emptied["city"]) == ("", "", "")
    assert (emptied["last_name"], emptied["country"]) == ("Byron", "DE")
    assert emptied["first_issue"] == "3"
    assert "Present address: <bdi>Weg 1, 10115 Berlin</bdi>, Germany" in page
    assert "is missing" not in page
    assert "Nothing has been changed" not in page
    await acme.patch(f"/v1/subscriptions/{two[0]['id']}/", {"address2": "c/o Lee", "state": "BE"})
    await acme.patch(f"/v1/subscriptions/{two[1]['id']}/", {"address2": "c/o Lee", "state": "BE"})
    fields = {"address1": "Kai 9", "postcode": "20457", "city": "Hamburg"}
    seen = (await send(owner, two, fields, action="preview")).text
    assert "but these are as before: Address, second line; State or region." in seen


async def test_an_empty_phone_or_name_keeps_that_of_each_subscription(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    for each in two:
        await acme.patch(f"/v1/subscriptions/{each['id']}/", {"phone": "030 1"})
    fields = {"address1": "Kai 9", "first_name": "", "last_name": "", "phone": ""}
    seen = (await send(owner, two, fields, action="preview")).text
    assert seen.count(" → <bdi>") == 1, "what is kept is not shown as changed"
    assert "to keep the name on each label" in seen


async def test_with_addresses_that_differ_the_form_begins_with_the_chosen_one(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await acme.patch(f"/v1/subscriptions/{two[0]['id']}/", {"city": "Ulm"})
    page = (await owner.http.get(where(owner, two))).text
    assert fields_of(page)["address1"] == ""
    assert "These subscriptions have different addresses, so the fields are empty." in page
    address = f"{where(owner, two)}?begin={two[0]['id']}"
    assert address in page
    page = (await owner.http.get(address)).text
    assert fields_of(page)["city"] == "Ulm"
    assert page.count("checked> Print") == 1


async def test_the_page_of_a_subscription_leads_to_a_change_from_a_day_on(
    owner: Person, two: list[dict[str, Any]]
) -> None:
    page = await owner.text("subscriptions", two[0]["id"], "edit")
    assert f"{where(owner, two)}?begin={two[0]['id']}" in page
