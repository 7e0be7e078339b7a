"""PATCH /v1/subscriptions/{id}/: names, address and notes, and nothing else."""

import asyncio
from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

PATH = "/v1/subscriptions/"
NULLABLE = (
    "first_name",
    "last_name",
    "company",
    "address1",
    "address2",
    "city",
    "state",
    "postcode",
    "phone",
    "notes",
)
FULL = {name: f"old {name}" for name in NULLABLE}


async def patched(cast: Cast, subscription_id: str, **changes: object) -> dict[str, Any]:
    """The subscription in the response to a PATCH."""
    response = await cast.patch(f"{PATH}{subscription_id}/", changes)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def full_subscription(cast: Cast) -> dict[str, Any]:
    """A subscription with a value in every field that can be patched."""
    await make_issues(cast, 1, 2)
    return await make_subscription(cast, **FULL, country="DE")


@pytest.fixture
async def created(acme: Cast) -> dict[str, Any]:
    """The subscription of Acme that `full_subscription` makes."""
    return await full_subscription(acme)


def values(subscription: dict[str, Any]) -> dict[str, Any]:
    """The values of a subscription that can be patched, in one level."""
    flat = {**subscription, **subscription["shipping_address"]}
    return {name: flat[name] for name in (*NULLABLE, "country")}


@pytest.mark.parametrize("field", NULLABLE)
async def test_a_patch_changes_only_the_fields_that_it_includes(acme: Cast, field: str) -> None:
    created = await full_subscription(acme)
    answer = await patched(acme, created["id"], **{field: "new"})
    assert values(answer) == {**values(created), field: "new"}
    rest = {"first_name", "last_name", "notes", "shipping_address"}
    for name in created.keys() - rest:
        assert answer[name] == created[name]


async def test_the_response_is_what_get_shows_afterwards(acme: Cast) -> None:
    created = await full_subscription(acme)
    answer = await patched(acme, created["id"], city="Paris", country="FR", notes="moved")
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == answer


async def test_an_empty_patch_changes_nothing(acme: Cast) -> None:
    created = await full_subscription(acme)
    assert await patched(acme, created["id"]) == created


async def test_values_are_trimmed(acme: Cast) -> None:
    created = await full_subscription(acme)
    answer = await patched(acme, created["id"], first_name="  Ada ", country=" fr\n")
    assert answer["first_name"] == "Ada"
    assert answer["shipping_address"]["country"] == "FR"


@pytest.mark.parametrize("field", NULLABLE)
@pytest.mark.parametrize("blank", ["", "  \t"])
async def test_a_blank_value_becomes_null(acme: Cast, field: str, blank: str) -> None:
    created = await full_subscription(acme)
    answer = await patched(acme, created["id"], **{field: blank})
    assert values(answer)[field] is None


@for_each("field", [*NULLABLE, "country"])
@for_each("value", [None, 7, True, ["x"], {}])
async def test_a_value_must_be_a_string(
    acme: Cast, created: dict[str, Any], field: str, value: object
) -> None:
    response = await acme.patch(f"{PATH}{created['id']}/", {"city": "Paris", field: value})
    assert field in refused(response, "validation_error")
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == created


@for_each("country", ["", "  ", "UK", "ZZ", "EU", "Germany"])
async def test_country_must_be_an_iso_code_and_cannot_be_removed(
    acme: Cast, created: dict[str, Any], country: str
) -> None:
    response = await acme.patch(f"{PATH}{created['id']}/", {"country": country})
    assert "country" in refused(response, "validation_error")


async def test_uk_is_refused_with_a_hint_to_gb(acme: Cast) -> None:
    created = await full_subscription(acme)
    response = await acme.patch(f"{PATH}{created['id']}/", {"country": "UK"})
    assert "GB" in refused(response, "validation_error")


@for_each("field", NULLABLE)
async def test_a_text_above_its_limit_is_refused(
    acme: Cast, created: dict[str, Any], field: str
) -> None:
    limit = 10_000 if field == "notes" else 255
    answer = await patched(acme, created["id"], **{field: "é" * limit})
    assert values(answer)[field] == "é" * limit
    response = await acme.patch(f"{PATH}{created['id']}/", {field: "é" * (limit + 1)})
    assert field in refused(response, "validation_error")


async def test_a_subscription_must_keep_a_first_name_or_a_company(acme: Cast) -> None:
    created = await full_subscription(acme)
    path = f"{PATH}{created['id']}/"
    both = refused(await acme.patch(path, {"first_name": "", "company": " "}), "validation_error")
    assert "first_name" in both
    assert "company" in both
    await patched(acme, created["id"], company="")
    refused(await acme.patch(path, {"first_name": ""}), "validation_error")
    swapped = await patched(acme, created["id"], first_name="", company="Engines")
    assert swapped["first_name"] is None
    assert swapped["shipping_address"]["company"] == "Engines"


@for_each(
    "field",
    [
        "email",
        "price",
        "length",
        "start_issue",
        "status",
        "is_gift",
        "medium",
        "country_name",
        "id",
    ],
)
async def test_a_patch_of_a_read_only_field_is_refused_and_changes_nothing(
    acme: Cast, created: dict[str, Any], field: str
) -> None:
    response = await acme.patch(f"{PATH}{created['id']}/", {"city": "Paris", field: "x"})
    assert field in refused(response, "unknown_field")
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == created


@for_each("body", [[], "city", 1, False])
async def test_the_body_must_be_an_object(
    acme: Cast, created: dict[str, Any], body: object
) -> None:
    refused(await acme.patch(f"{PATH}{created['id']}/", body), "invalid_json")


async def test_a_new_country_applies_to_all_copies(acme: Cast) -> None:
    created = await full_subscription(acme)
    other = await make_subscription(acme, country="DE")
    sent, unsent = await copies_of(acme, created["id"])
    await acme.post(f"/v1/copies/{sent['id']}/mark-sent/", {"date": "2026-03-01"})
    answer = await patched(acme, created["id"], country="fr")
    assert answer["shipping_address"]["country"] == "FR"
    assert answer["shipping_address"]["country_name"] == "France"
    assert await copies_of(acme, created["id"]) == [
        {**sent, "country": "FR", "status": "Sent", "date_sent": "2026-03-01"},
        {**unsent, "country": "FR"},
    ]
    assert {copy["country"] for copy in await copies_of(acme, other["id"])} == {"DE"}
    french = (await acme.get("/v1/copies/", country="FR")).json()["items"]
    assert {copy["id"] for copy in french} == {sent["id"], unsent["id"]}


async def test_a_later_copy_has_the_new_country(acme: Cast) -> None:
    created = await full_subscription(acme)
    await patched(acme, created["id"], country="FR")
    await make_issue(acme, number=3)
    assert {copy["country"] for copy in await copies_of(acme, created["id"])} == {"FR"}


async def test_a_patch_does_not_change_the_names_of_the_subscriber(acme: Cast) -> None:
    created = await full_subscription(acme)
    path = f"/v1/subscribers/{created['subscriber']['id']}/"
    before = (await acme.get(path)).json()
    answer = await patched(acme, created["id"], first_name="Augusta", last_name="King")
    assert answer["subscriber"] == created["subscriber"]
    assert (await acme.get(path)).json() == before


async def test_a_patch_changes_the_latest_country_of_the_subscriber(acme: Cast) -> None:
    created = await full_subscription(acme)
    await patched(acme, created["id"], country="FR")
    subscriber = await acme.get(f"/v1/subscribers/{created['subscriber']['id']}/")
    assert subscriber.json()["latest_country"] == "FR"


async def test_a_cancelled_subscription_can_be_patched(acme: Cast) -> None:
    created = await full_subscription(acme)
    await acme.post(f"{PATH}{created['id']}/cancel/", {"mode": "cancel"})
    answer = await patched(acme, created["id"], city="Paris", country="FR")
    assert answer["shipping_address"]["city"] == "Paris"
    assert answer["status"] == "Cancelled"
    assert {copy["country"] for copy in await copies_of(acme, created["id"])} == {"FR"}


async def test_a_complete_subscription_can_be_patched(acme: Cast) -> None:
    await make_issue(acme)
    created = await import_row(acme, start_issue="1", length="1", sent_issues="1", city="Rome")
    answer = await patched(acme, created["id"], city="Paris")
    assert answer["shipping_address"]["city"] == "Paris"
    assert answer["status"] == "Complete"


async def test_a_membership_can_be_patched(acme: Cast) -> None:
    created = await make_membership(
        acme, interval_months="1", period_start="2099-01-01", period_end="2099-01-31"
    )
    assert (await patched(acme, created["id"], notes="vip"))["notes"] == "vip"


async def test_concurrent_patches_of_different_fields_are_both_kept(acme: Cast) -> None:
    created = await full_subscription(acme)
    await asyncio.gather(*(patched(acme, created["id"], **{field: "new"}) for field in NULLABLE))
    shown = (await acme.get(f"{PATH}{created['id']}/")).json()
    assert values(shown) == {**dict.fromkeys(NULLABLE, "new"), "country": "DE"}


@for_each("unknown", ["NOSUCH", "a-b", "é"])
async def test_an_unknown_id_is_not_found(acme: Cast, unknown: str) -> None:
    refused(await acme.patch(f"{PATH}{unknown}/", {"city": "Paris"}), "not_found", status=404)


async def test_a_subscription_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    theirs = await full_subscription(rival)
    response = await acme.patch(f"{PATH}{theirs['id']}/", {"city": "Paris"})
    refused(response, "not_found", status=404)
    assert (await rival.get(f"{PATH}{theirs['id']}/")).json() == theirs


async def test_the_body_is_checked_before_the_resource_and_its_state_after(acme: Cast) -> None:
    refused(await acme.patch(f"{PATH}NOSUCH/", {"city": 7}), "validation_error")
    refused(await acme.patch(f"{PATH}NOSUCH/", {"price": "1"}), "unknown_field")
    refused(await acme.patch(f"{PATH}NOSUCH/", {"first_name": ""}), "not_found", status=404)


async def test_a_read_only_key_cannot_patch_a_subscription(client: Client, acme: Cast) -> None:
    created = await full_subscription(acme)
    path = f"{PATH}{created['id']}/"
    response = await client.patch(path, key=acme.read_only_key, json={"city": "Paris"})
    refused(response, "read_only_key", status=403)
    assert (await acme.get(path)).json() == created
