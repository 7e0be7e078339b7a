"""Filters: a value that no record can have is refused, and one that could match finds nothing."""

from typing import Any

import pytest

from masthead.api.routes import ROUTES
from masthead.model.errors import Invalid
from masthead.model.events.inputs import WITHOUT_EVENTS
from masthead.model.ids import new_id
from masthead.model.input_fields import fields_of
from masthead.model.validation import decode_query
from tests.conftest import Cast
from tests.support.become_sandbox import become_sandbox
from tests.support.billing import bill_one, turn_on_billing
from tests.support.expect import refused
from tests.support.factories import (
    copies_of,
    made,
    make_dispatch,
    make_issue,
    make_subscription,
    plan_address,
)
from tests.support.keyed_requests import PUBLIC_URL
from tests.support.openapi import described
from tests.support.webhooks import make_webhook

# What no record can have, and what records could have, by the name of the filter
NO_ID = ["22", "a-b", "A_1", "🙂", "a b", "É"]
Decision = tuple[list[str], list[str]]
ID: Decision = (NO_ID, ["NOSUCHID"])
NO_EMAIL = ["ada bell@example.test", "ada", "@example.test", "ada@", "a@b@example.test"]
WORD: Decision = (["", "nothing", "1"], [])
DECISIONS: dict[str, Decision] = {
    "cursor": (["", "nothing"], []),
    "limit": (["0", "201", "ten"], []),
    "subscriber": ID,
    "subscription": ID,
    "source": ID,
    "issue": ID,
    "payer": ID,
    "invoice": ID,
    "number": ([""], ["22", "a b"]),
    "country": (["Germany", "GB,DE", "ZZ", "UK", "XX", "D", "276"], ["FJ", "fj", " FJ "]),
    "email": (NO_EMAIL, ["no+one@example.test", " NO@example.test "]),
    "order_id": ([""], ["22", "a b, c"]),
    "search": (["x" * 256], ["nothing + such"]),
    "copy": (["0", "-1", "A1", str(2**53)], ["1"]),
    "is_gift": WORD,
    "has_active_subscription": WORD,
    "status": WORD,
    "medium": WORD,
    "kind": WORD,
    "reason": WORD,
    "type": WORD,
    "next_charge_before": (
        ["", "1899-12-31", "2026-02-30", "2026-1-31", " 2026-01-31", "20260131", "soon"],
        ["1900-01-01", "9999-12-31"],
    ),
    "updated_since": (
        [
            *("", "yesterday", "2026-01-31T09:00:00", "2026-01-31T09:00:00 01:00", "2026-02-30"),
            *("2026-02-30T09:00:00Z", "2026-1-31", "1769850000", "x" * 300),
        ],
        [
            *("9999-12-31", "9999-12-31T09:00:00.123456z", "9999-12-31T23:59:59-14:00"),
            "9999-12-31T09:00:00+01:00",
        ],
    ),
    "record": ([*NO_ID, "NOSUCHID"], ["0" * 31]),
}
KINDS = {"payer": "subscriber"}  # of the records that filters name in another way
WHY: Decision = (
    NO_ID + NO_EMAIL[:1] + NO_EMAIL[2:],
    ["NOSUCHID", "no@example.test"],
)  # id or email address


def filters() -> list[tuple[str, str]]:
    """The path and the name of each parameter in the query string of an endpoint."""
    return [
        (path, parameter["name"])
        for path, item in described()["paths"].items()
        for parameter in item.get("get", {}).get("parameters", ())
        if parameter["in"] == "query"
    ]


async def world(acme: Cast) -> dict[str, str]:
    """Ids of a record of each kind."""
    issue = await make_issue(acme)
    ordered = await make_subscription(acme, email="ada@example.test", length=1)
    run = await make_dispatch(acme, issue["id"])
    await turn_on_billing(acme, has_issue=True)
    invoice = await bill_one(acme, email="ada@example.test", length=1)
    paid = made(await acme.post("/v1/payments/", {"amount": "10", "payer": invoice.payer_id}))
    return {
        "subscriber": ordered["subscriber"]["id"],
        "subscription": ordered["id"],
        "source": acme.shop,
        "issue": issue["id"],
        "dispatch": run["id"],
        "product": ordered["product"]["id"],
        "change of address": (await plan_address(acme, ordered["id"], 50))["id"],
        "invoice": invoice.id,
        "payment": paid["id"],
        "webhook": (await make_webhook(acme, PUBLIC_URL)).id,
        "API key": (await acme.get("/v1/events/")).json()["items"][0]["actor"]["id"],
    }


async def address_of(acme: Cast, path: str, ids: dict[str, str]) -> str:
    """A path with the id of a record, if it takes one."""
    if path.startswith("/v1/webhooks/{id}/"):
        return path.replace("{id}", (await make_webhook(acme, PUBLIC_URL)).id)
    return path.replace("{id}", ids["dispatch" if "dispatches" in path else "issue"])


async def test_each_filter_refuses_what_cannot_match(acme: Cast) -> None:
    await become_sandbox(acme)  # the list of its emails refuses accounts with real time
    ids = await world(acme)
    for path, name in filters():
        address = await address_of(acme, path, ids)
        no_match, could_match = WHY if path.endswith("/why/") else DECISIONS[name]
        for text in no_match:
            response = await acme.get(address, **{name: text})
            assert response.status_code == 400, (path, name, text)
            assert f"`{name}`" in response.json()["message"]
        for text in could_match:
            response = await acme.get(address, **{name: text})
            assert (response.status_code, response.json().get("items", [])) == (200, []), (
                path,
                name,
                text,
            )


async def test_the_id_of_another_kind_of_record_is_refused(acme: Cast, rival: Cast) -> None:
    ids, theirs = await world(acme), await make_issue(rival)
    for path, name in filters():
        expected = KINDS.get(name, name)
        if expected not in ids:
            continue
        address = await address_of(acme, path, ids)
        for kind, id in ids.items():
            response = await acme.get(address, **{name: id})
            if kind == expected:
                assert response.status_code == 200
            else:
                assert f"another kind of record ({kind}" in refused(response, "validation_error")
        for id in (theirs["id"], new_id(acme.account_id)):
            found = (await acme.get(address, **{name: id})).json()
            assert found.get("items", found.get("subscriptions")) == []


async def test_events_are_not_about_each_kind_of_record(acme: Cast) -> None:
    ids = await world(acme)
    for kind in WITHOUT_EVENTS:
        response = await acme.get("/v1/events/", record=ids[kind])
        assert f"({kind}), which has no events" in refused(response, "validation_error")
    for kind in ids.keys() - WITHOUT_EVENTS:
        assert (await acme.get("/v1/events/", record=ids[kind])).json()["items"], kind


async def test_the_refusal_names_the_way_out(acme: Cast) -> None:
    async def message(path: str, **query: Any) -> str:
        return refused(await acme.get(path, **query), "validation_error")

    assert "`%2B`" in await message("/v1/subscribers/?email=a+b@example.test")
    assert "`GET /v1/subscribers/` finds" in await message("/v1/payments/", payer="22")
    assert "`GET /v1/invoices/` lists" in await message("/v1/payments/", invoice="22")
    assert "`GET /v1/issues/` lists" in await message("/v1/copies/", issue="22")
    assert "`DE` for Germany" in await message("/v1/subscriptions/", country="Germany")
    assert "one request for each" in (await message("/v1/copies/", country="GB,DE")).lower()


async def test_several_values_of_a_filter_with_one_are_refused_with_the_way_out(acme: Cast) -> None:
    choices = 0
    for route in ROUTES:
        for name, field in fields_of(route.query).items() if route.is_read else ():
            if field.is_choice:
                choices += 1
                first, *_, last = (each.value for each in field.kind)
                with pytest.raises(Invalid) as told:
                    decode_query(route.query, [(name, f"{first},{last}")])
                assert f"expected one of `{first}`" in str(told.value)
                assert str(told.value).endswith("`. Send one request for each.")
                with pytest.raises(Invalid) as told:
                    decode_query(route.query, [(name, first), (name, last)])
                assert str(told.value) == (
                    f"`{name}` appears more than once; send it once. Send one request for each."
                )
                assert told.value.code == "validation_error"
    assert choices > 10
    text = refused(
        await acme.get("/v1/events/", type="issue.created,issue.updated"), "validation_error"
    )
    assert text.endswith("Send one request for each.")


async def test_an_escaped_plus_finds_the_address(acme: Cast) -> None:
    await make_issue(acme)
    ordered = await make_subscription(acme, email="a+b@example.test")
    listed = (await acme.get("/v1/subscribers/?email=A%2Bb@example.test")).json()["items"]
    assert [each["id"] for each in listed] == [ordered["subscriber"]["id"]]
    assert await copies_of(acme, ordered["id"])
