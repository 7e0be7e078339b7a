"""Digital subscriptions that were imported without a country."""

import re
from typing import Any

import pytest

from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.plan import ImportPlan
from masthead.services.imports.work.run_batch import run_batch
from tests.conftest import Cast
from tests.services.imports.support import begin, reading_of
from tests.support.factories import make_issue
from tests.support.walk import walk
from tests.web.conftest import Person, fields_of

CODE = re.compile(r"\bZZ\b")
ROW = {
    "number": "A1",
    "who": "Ada Byron",
    "mail": "ada@example.test",
    "day": "2026-01-15",
    "paid": "42.00",
}


@pytest.fixture
async def digital(acme: Cast) -> dict[str, Any]:
    """A digital subscription of an account without a country."""
    await make_issue(acme)
    columns = {
        "order_id": Rule(columns=("number",)),
        "full_name": Rule(columns=("who",)),
        "email": Rule(columns=("mail",)),
        "order_date": Rule(columns=("day",)),
        "price": Rule(columns=("paid",)),
        "start_issue": Rule(constant="1"),
        "length": Rule(constant="4"),
    }
    mapping = ImportMapping(columns=columns, medium_without_address="Digital")
    reading = await reading_of(acme, ROW, plan=ImportPlan(mapping=mapping))
    batch = await begin(acme, reading)
    done = await run_batch(acme.db, acme.account_id, batch, reading, holder="me")
    assert done.counts.imported == 1, done.reasons
    [made] = await walk(acme, "/v1/subscriptions/")
    assert made["shipping_address"]["country"] == "ZZ"
    return made


def visible(page: str) -> str:
    """The texts of a page, without its elements."""
    return re.sub(r"<[^>]*>", " ", page)


async def test_pages_do_not_show_the_code(owner: Person, digital: dict[str, Any]) -> None:
    for path in (
        ("subscriptions", digital["id"]),
        ("subscriptions", digital["id"], "edit"),
        ("subscribers", digital["subscriber"]["id"]),
        ("subscribers", digital["subscriber"]["id"], "address"),
        ("subscriptions",),
        ("subscribers",),
    ):
        page = await owner.text(*path)
        assert not CODE.search(visible(page)), path
        assert "UNKNOWN REGION" not in page, path


async def test_other_fields_are_changed_without_a_country(
    acme: Cast, owner: Person, digital: dict[str, Any]
) -> None:
    await owner.send(owner.address("subscriptions", digital["id"], "edit"), {"notes": "Called."})
    now = (await acme.get(f"/v1/subscriptions/{digital['id']}/")).json()
    assert (now["notes"], now["shipping_address"]["country"]) == ("Called.", "ZZ")


async def test_the_country_of_a_digital_subscription_is_changed_without_a_street(
    acme: Cast, owner: Person, digital: dict[str, Any]
) -> None:
    link = owner.address("subscriptions", digital["id"], "address")
    address = (await owner.http.get(link)).headers["Location"]
    page = (await owner.http.get(address)).text
    form = {**fields_of(page), "country": "AT"}
    shown = await owner.post(address, {**form, "action": "preview"})
    saved = await owner.post(address, {**fields_of(shown.text), "action": "save"})
    assert saved.is_redirect, saved.text
    now = (await acme.get(f"/v1/subscriptions/{digital['id']}/")).json()
    assert now["shipping_address"]["country"] == "AT"


async def test_the_api_changes_other_fields_and_the_country(
    acme: Cast, digital: dict[str, Any]
) -> None:
    url = f"/v1/subscriptions/{digital['id']}/"
    changed = await acme.patch(url, {"notes": "Called.", "phone": "+431"})
    assert changed.status_code == 200, changed.json()
    assert changed.json()["shipping_address"]["country"] == "ZZ"
    assert (await acme.patch(url, {"country": "ZZ"})).status_code == 400
    changed = await acme.patch(url, {"country": "AT"})
    assert changed.json()["shipping_address"]["country"] == "AT"


async def test_a_new_address_needs_a_country(
    acme: Cast, owner: Person, digital: dict[str, Any]
) -> None:
    address = owner.address("subscribers", digital["subscriber"]["id"], "address")
    form = fields_of((await owner.http.get(address)).text)
    assert form["country"] == ""
    typed = {"address1": "Ring 1", "city": "Wien", "postcode": "1010", "action": "preview"}
    headers = {"Sec-Fetch-Site": "same-origin"}
    refused = await owner.http.post(address, data={**form, **typed}, headers=headers)
    assert refused.status_code == 400
    assert "The country is missing" in refused.text
    shown = await owner.http.post(address, data={**form, **typed, "country": "AT"}, headers=headers)
    assert shown.status_code == 200


async def test_an_order_of_the_subscriber_asks_for_the_country(
    owner: Person, digital: dict[str, Any]
) -> None:
    page = await owner.text("subscriptions", "new", subscriber=digital["subscriber"]["id"])
    assert fields_of(page)["country"] == ""
    assert not CODE.search(visible(page))
