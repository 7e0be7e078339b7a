"""GET /v1/issues/{id}/addresses/: the printed copies that no run holds."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.dispatches import hold_address
from tests.support.expect import refused
from tests.support.factories import copies_of, make_dispatch, make_issues, make_subscription
from tests.support.walk import walk


async def subscribers(cast: Cast, issue: dict[str, Any], **filters: str) -> list[str]:
    """The subscriptions in the list."""
    found = await walk(cast, f"/v1/issues/{issue['id']}/addresses/", limit=1, **filters)
    return [each["subscription_id"] for each in found]


async def test_an_address_has_the_copy_the_name_and_the_lines(acme: Cast) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    made = await make_subscription(
        acme,
        last_name="Lovelace",
        address1="Am Markt 3",
        city="Berlin",
        postcode="10117",
        country="DE",
    )
    (copy,) = await copies_of(acme, made["id"])
    (address,) = await walk(acme, f"/v1/issues/{issue['id']}/addresses/")
    assert address == {
        "copy_id": copy["id"],
        "subscription_id": made["id"],
        "subscriber_id": made["subscriber"]["id"],
        "medium": "Print",
        "name": "Ada Lovelace",
        "salutation": None,
        "title": None,
        "first_name": "Ada",
        "last_name": "Lovelace",
        "company": None,
        "address1": "Am Markt 3",
        "address2": None,
        "city": "Berlin",
        "state": None,
        "postcode": "10117",
        "country": "DE",
        "country_name": "Germany",
        "address_lines": ["Ada Lovelace", "Am Markt 3", "10117 BERLIN", "GERMANY"],
    }


async def test_the_list_has_only_printed_copies_of_the_issue_that_are_not_sent(
    acme: Cast, rival: Cast
) -> None:
    first, second = await make_issues(acme, 1, 2)
    await make_issues(rival, 1, 1)
    await make_subscription(rival)
    sent, gone, digital, left, both, held = [
        await make_subscription(acme, medium=medium)
        for medium in ("Print", "Print", "Digital", "Print", "Print + digital", "Print")
    ]
    (copy, _) = await copies_of(acme, sent["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    await acme.post(f"/v1/subscriptions/{gone['id']}/cancel/", {"mode": "cancel"})
    await hold_address(acme, (await copies_of(acme, held["id"]))[0])
    assert await subscribers(acme, first) == [both["id"], left["id"]]
    assert await subscribers(acme, second) == [both["id"], left["id"], sent["id"]]
    assert digital["id"] not in await subscribers(acme, second)


async def test_a_frozen_run_takes_its_copies_out_of_the_list(acme: Cast) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    home, abroad = [await make_subscription(acme, country=code) for code in ("DE", "FR")]
    run = await make_dispatch(acme, issue["id"], countries=["DE"])
    assert await subscribers(acme, issue) == [abroad["id"]]
    await acme.post(f"/v1/dispatches/{run['id']}/discard/")
    assert await subscribers(acme, issue) == [abroad["id"], home["id"]]


async def test_the_list_can_be_filtered(acme: Cast) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    german = await make_subscription(acme, country="DE")
    french = await make_subscription(acme, country="FR", medium="Print + digital")
    assert await subscribers(acme, issue, country="de") == [german["id"]]
    assert await subscribers(acme, issue, medium="Print + digital") == [french["id"]]
    assert await subscribers(acme, issue, country="FR", medium="Print") == []
    assert await subscribers(acme, issue, medium="Digital") == []
    assert await subscribers(acme, issue, country="FJ") == []


@pytest.mark.parametrize(
    "filters, code",
    [
        ({"medium": "print"}, "validation_error"),
        ({"country": ""}, "validation_error"),
        ({"status": "Sent"}, "unknown_parameter"),
    ],
)
async def test_a_wrong_filter_is_refused(acme: Cast, filters: dict[str, str], code: str) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    refused(await acme.get(f"/v1/issues/{issue['id']}/addresses/", **filters), code)


async def test_copies_can_be_marked_while_their_addresses_are_read(acme: Cast) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    everyone = [(await make_subscription(acme))["id"] for _ in range(5)]
    path = f"/v1/issues/{issue['id']}/addresses/"
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = (await acme.get(path, limit=2, **cursor)).json()
        ids = [each["copy_id"] for each in page["items"]]
        seen += [each["subscription_id"] for each in page["items"]]
        await acme.post("/v1/copies/mark-sent/", {"ids": ids})
        if not page["has_more"]:
            break
        cursor = {"cursor": page["cursor"]}
    assert seen == everyone[::-1]
