"""The list of likely duplicates."""

from datetime import timedelta

import pytest
import time_machine

from masthead.model.clock import now
from masthead.services.subscribers import duplicates as service
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words

ADA = {"first_name": "Ada", "last_name": "Müller", "country": "DE"}
HOME = {"address1": "Hauptstraße 5", "postcode": "89073", "city": "Ulm"}


async def make(cast: Cast, **fields: str) -> str:
    """A subscriber with a subscription; returns their id."""
    made = await make_subscription(cast, **{"email": None, **ADA, **HOME, **fields})
    return str(made["subscriber"]["id"])


@pytest.mark.parametrize(
    "fields, why",
    [
        ({"postcode": "89 073", "address1": "Weg 1"}, "same name and postcode"),
        (
            {"first_name": "ADA", "last_name": "Muller", "address1": "Weg 1"},
            "same name and postcode",
        ),
        ({"postcode": "1", "address1": "Haupt-Str. 5"}, "same name and street"),
        (
            {"first_name": "Eve", "phone": "0731/123456", "postcode": "1", "address1": "x"},
            "same phone",
        ),
        ({"phone": "0731 123456"}, "same name and postcode, same phone, same name and street"),
    ],
    ids=["postcode", "accents", "street", "phone", "all"],
)
async def test_likely_duplicates_lead_to_the_preview_of_their_merge(
    owner: Person, acme: Cast, rival: Cast, fields: dict[str, str], why: str
) -> None:
    for cast in (acme, rival):
        await make_issue(cast)
    one = await make(acme, phone="+49 731 123456")
    other = await make(acme, **fields)
    await make(rival, phone="+49 731 123456")
    page = await owner.text("subscribers", "duplicates")
    assert why in words(await owner.see("subscribers", "duplicates"))
    assert "1 pair" in page
    merge = owner.address("subscribers", one, "merge", other)
    assert f'href="{merge}"' in page
    assert (await owner.http.get(merge)).status_code == 200
    assert owner.address("subscribers", "duplicates") in await owner.text("subscribers")


async def test_different_subscribers_are_not_listed(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make(acme, address1="Schloss")
    await make(acme, postcode="1", address1="Schloss")  # a street without a number tells nothing
    await make(acme, last_name="Maier", phone="731 123456")
    await make(acme, last_name="Lee", phone="731 123456", postcode="2")
    await make(acme, country="AT")
    text = words(await owner.see("subscribers", "duplicates"))
    assert "No likely duplicates were found." in text


async def test_a_place_for_many_is_not_listed(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_OF_A_GROUP", 2)
    await make_issue(acme)
    for _ in range(3):
        await make(acme)
    assert "No likely duplicates" in await owner.text("subscribers", "duplicates")


async def test_companies_are_compared_by_their_name(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for name in ("Acme Library", "ACME LIBRARY"):
        await make(acme, first_name="", last_name="", company=name)
    assert "same name" in words(await owner.see("subscribers", "duplicates"))


async def test_the_list_is_kept_for_an_hour_and_compared_again_on_demand(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    one = await make(acme)
    assert "No likely duplicates" in await owner.text("subscribers", "duplicates")
    other = await make(acme)
    assert "No likely duplicates" in await owner.text("subscribers", "duplicates")
    assert "1 pair" in await owner.text("subscribers", "duplicates", again="yes")
    third = await make(acme)
    with time_machine.travel(now() + timedelta(minutes=61), tick=False):
        assert "2 pairs" in await owner.text("subscribers", "duplicates")
    merge = owner.address("subscribers", one, "merge", other)
    assert (await owner.send(merge, {"stays": one})).is_redirect
    page = await owner.text("subscribers", "duplicates")
    assert "1 pair" in page  # of those who are still there
    assert other not in page
    assert third in page


async def test_only_the_most_likely_pairs_are_shown(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masthead.web.subscribers.duplicates.SHOWN", 1)
    monkeypatch.setattr(service, "READ", 2)
    await make_issue(acme)
    await make(acme, address1="Weg 1")
    sure = await make(acme, phone="0731 123456")
    await make(acme, phone="0731 123456", last_name="Muller")
    page = await owner.text("subscribers", "duplicates")
    assert "Only the most likely pairs are shown." in page
    assert sure in page
