"""Two subscriptions at an address that the post could not reach are one undeliverable address."""

from typing import Any

from tests.conftest import Cast
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.returns import ADDRESS
from tests.web.addresses.test_change import change
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words


async def return_copy(acme: Cast, *streets: str) -> list[dict[str, Any]]:
    """The subscriptions of a subscriber, one at each street; a copy of the first comes back."""
    await make_issue(acme)
    person = {"email": "nina@example.test", "first_name": "Nina", "last_name": "Rossi"}
    made = [
        await make_subscription(acme, **{**ADDRESS, **person, "address1": street})
        for street in streets
    ]
    await report(acme, made[0])
    return made


async def report(acme: Cast, subscription: dict[str, Any]) -> None:
    (copy,) = await copies_of(acme, subscription["id"])
    reports = {"reports": [{"copy": copy["id"], "kind": "undeliverable"}]}
    response = await acme.post("/v1/delivery-reports/", reports)
    assert response.status_code < 300, response.text


async def test_the_address_has_one_row_and_counts_once(acme: Cast, owner: Person) -> None:
    await return_copy(acme, "Weg 1", "Weg 1")
    page = await owner.text("returns", kind="undeliverable")
    assert "Undeliverable addresses (1)" in words(page)
    assert page.count("Send anyway") == 1
    assert "2 subscriptions" in words(page)
    assert "Undeliverable addresses 1" in words(await owner.text())


async def test_one_correction_ends_the_hold_of_both(acme: Cast, owner: Person) -> None:
    made = await return_copy(acme, "Weg 1", "Weg 1")
    page = await owner.text("returns", kind="undeliverable")
    address = owner.address("subscribers", made[0]["subscriber"]["id"], "address")
    assert any(f'href="{address}?begin={each["id"]}"' in page for each in made)
    await change(owner, made)
    assert "Undeliverable addresses (0)" in words(await owner.text("returns"))


async def test_another_address_of_the_subscriber_has_its_own_row(acme: Cast, owner: Person) -> None:
    made = await return_copy(acme, "Weg 1", "Weg 2")
    await report(acme, made[1])
    page = await owner.text("returns", kind="undeliverable")
    assert "Undeliverable addresses (2)" in words(page)
    assert page.count("Send anyway") == 2
    for each in made:
        address = owner.address("subscribers", each["subscriber"]["id"], "address")
        assert f'href="{address}?begin={each["id"]}"' in page
