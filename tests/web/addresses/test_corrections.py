"""Correct an address: the form begins with the present one, and the preview shows what changes."""

from typing import Any

from tests.conftest import Cast
from tests.support.addresses import HOME
from tests.web.addresses.test_change import send, towns, two, where
from tests.web.conftest import Person, fields_of

__all__ = ["two"]


async def test_a_correction_begins_with_the_present_address_and_shows_what_changes(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    opened = (await owner.http.get(where(owner, two))).text
    assert fields_of(opened)["address1"] == "", "a new address has nothing of the old one"
    assert f"Present address: <bdi>{HOME['address1']}" in opened
    address = f"{where(owner, two)}?begin=present"
    page = (await owner.http.get(address)).text
    begun = fields_of(page)
    assert {name: begun[name] for name in HOME} == HOME
    number = HOME["address1"].replace("1", "11")
    seen = await send(owner, two, {"address1": number}, page=page, action="preview")
    assert f"<bdi>{HOME['address1']}</bdi> → <bdi>{number}</bdi>" in seen.text
    assert seen.text.count(" → <bdi>") == 1
    assert "The street is another one" not in seen.text
    other = await send(owner, two, {"address1": "Kai 9"}, page=page, action="preview")
    assert "The street is another one, but the postcode and the town" in other.text
    assert (await send(owner, two, {}, page=seen.text)).is_redirect
    assert await towns(acme, two) == [HOME["city"]] * 2


async def test_addresses_that_differ_are_not_offered_for_a_correction(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await acme.patch(f"/v1/subscriptions/{two[0]['id']}/", {"city": "Ulm"})
    page = (await owner.http.get(f"{where(owner, two)}?begin=present")).text
    assert fields_of(page)["address1"] == ""
    assert "Present address" not in page
