"""PATCH /v1/subscribers/{id}/: names, company and email address, by the rules of the pages."""

from typing import Any

import pytest

from masthead.services.check.accounts import check_account
from tests.conftest import Cast
from tests.support.expect import refused
from tests.support.factories import make_issue, make_subscription
from tests.support.subscribers import make_subscriber, merge


def path_of(id: str) -> str:
    return f"/v1/subscribers/{id}/"


async def updated(cast: Cast, id: str, **fields: object) -> dict[str, Any]:
    """The subscriber after a change, which a second request returns too."""
    response = await cast.patch(path_of(id), fields)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    assert body == (await cast.get(path_of(id))).json()
    return body


async def test_only_the_given_fields_change(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test", first_name="Ada", last_name="Byron")
    before = (await acme.get(path_of(id))).json()
    after = await updated(acme, id, last_name=" Lovelace ")
    assert after == before | {"last_name": "Lovelace", "full_name": "Ada Lovelace"}
    assert await updated(acme, id) == after
    after = await updated(acme, id, email="Ada.L@example.test")
    assert after["email"] == "Ada.L@example.test"
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []


@pytest.mark.parametrize("value", [None, ""])
async def test_an_empty_name_is_cleared(acme: Cast, value: object) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test", first_name="Ada", last_name="Byron")
    after = await updated(acme, id, last_name=value)
    assert (after["last_name"], after["full_name"]) == (None, "Ada")


async def test_without_an_email_a_subscriber_gets_a_placeholder(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test", first_name="Ada")
    after = await updated(acme, id, email=None)
    assert after["email"].endswith("@placeholder.example")
    refused(await acme.patch(path_of(id), {"email": ""}), "validation_error")


async def test_a_name_or_an_email_must_remain(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test", first_name="Ada", last_name="Byron")
    body = {"first_name": None, "last_name": None, "email": None}
    refused(await acme.patch(path_of(id), body), "validation_error")


@pytest.mark.parametrize("is_wanted", [True, False, None])
async def test_the_subscriptions_get_the_new_name_if_wanted(
    acme: Cast, is_wanted: bool | None
) -> None:
    await make_issue(acme)
    made = await make_subscription(
        acme, email="ada@example.test", first_name="Ada", last_name="Byron"
    )
    wanted = {} if is_wanted is None else {"with_subscriptions": is_wanted}
    await updated(acme, made["subscriber"]["id"], last_name="Lovelace", **wanted)
    after = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert after["last_name"] == ("Lovelace" if is_wanted else "Byron")
    assert after["subscriber"]["full_name"] == "Ada Lovelace"


async def test_the_email_of_another_subscriber_is_refused_with_their_id(acme: Cast) -> None:
    await make_issue(acme)
    ada = await make_subscriber(acme, "ada@example.test", first_name="Ada")
    bob = await make_subscriber(acme, "bob@example.test", first_name="Bob")
    response = await acme.patch(path_of(bob), {"email": "ADA@example.test"})
    assert "Ada" in refused(response, "email_taken", id=ada)
    assert (await acme.get(path_of(bob))).json()["email"] == "bob@example.test"


async def test_a_merged_subscriber_is_refused_with_the_id_of_the_kept_one(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "ada@example.test", first_name="Ada")
    gone = await make_subscriber(acme, "ada.l@example.test", first_name="Ada")
    await merge(acme, kept, gone)
    refused(await acme.patch(path_of(gone), {"last_name": "King"}), "merged_meanwhile", id=kept)


async def test_an_unknown_subscriber_gets_a_404(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    theirs = await make_subscriber(rival, "eve@example.test")
    for id in ("NONE", theirs):
        response = await acme.patch(path_of(id), {"last_name": "King"})
        refused(response, "not_found", status=404)


@pytest.mark.parametrize(
    "body, code",
    [
        ({"email": "ada"}, "validation_error"),
        ({"email": "ada@placeholder.example"}, "validation_error"),
        ({"first_name": 1}, "validation_error"),
        ({"first_name": "x" * 256}, "validation_error"),
        ({"with_subscriptions": "yes"}, "validation_error"),
        ({"full_name": "Ada"}, "unknown_field"),
        ({"ltv": "0"}, "unknown_field"),
    ],
)
async def test_an_invalid_change_is_refused(acme: Cast, body: dict[str, object], code: str) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test", first_name="Ada")
    before = (await acme.get(path_of(id))).json()
    refused(await acme.patch(path_of(id), body), code)
    assert (await acme.get(path_of(id))).json() == before


async def test_a_salutation_a_title_and_an_own_address_can_be_set(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test", first_name="Ada", last_name="Byron")
    before = (await acme.get(path_of(id))).json()
    own = {"address1": "3 Mill Lane", "postcode": "BA1 1AA", "country": "GB"}
    assert await updated(acme, id, salutation="ms", title="Dr.", **own) == before
    rows = await acme.db.fetch_all(
        "SELECT salutation, title, address1, country FROM subscriber WHERE account_id = :account",
        {"account": acme.account_id},
    )
    assert [tuple(row.values()) for row in map(dict, rows)] == [("ms", "Dr.", "3 Mill Lane", "GB")]
    refused(await acme.patch(path_of(id), {"country": None}), "validation_error")
    refused(await acme.patch(path_of(id), {"salutation": "Frau"}), "validation_error")


async def test_a_program_does_not_leave_a_last_name_alone_on_a_label(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test", first_name="Ada", last_name="Byron")
    body = {"first_name": None, "with_subscriptions": True}
    assert "both missing" in (await acme.patch(path_of(id), body)).text
