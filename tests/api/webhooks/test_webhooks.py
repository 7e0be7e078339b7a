"""`/v1/webhooks/`: create, change, test, list, send again and delete."""

from typing import Any

import pytest

from masthead.services.webhooks.endpoints import MAX_WEBHOOKS
from tests.conftest import Cast
from tests.support.audit import list_entries
from tests.support.factories import make_issue, make_issues
from tests.support.keyed_requests import PUBLIC_URL
from tests.support.walk import walk
from tests.support.webhooks import make_webhook, receiving, send_due


async def create(cast: Cast, **fields: object) -> dict[str, Any]:
    response = await cast.post("/v1/webhooks/", {"url": PUBLIC_URL, **fields})
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


async def test_the_secret_is_shown_once(acme: Cast) -> None:
    made = await create(acme, types=["issue.created", "issue.created"])
    assert made["secret"].startswith("whsec_")
    assert made["old_secret_until"] is None
    shown = (await acme.get(f"/v1/webhooks/{made['id']}/")).json()
    assert shown == {
        "id": made["id"],
        "url": PUBLIC_URL,
        "types": ["issue.created"],
        "status": "enabled",
        "disabled_reason": None,
        "failing_since": None,
        "public_key": made["public_key"],
        "last_event": acme.account_id * 2**32,
        "missed": 0,
        "created_at": shown["created_at"],
    }
    assert (await acme.get("/v1/webhooks/")).json()["items"] == [shown]
    entries = await list_entries(acme.db, acme.account_id, "webhook", made["id"])
    assert [each["action"] for each in entries] == ["webhook.create"]
    assert made["secret"] not in str(entries)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://localhost/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/",
        "https://2130706433/",
        "https://no-such-host.invalid/",
        PUBLIC_URL.replace("//", "//user:password@"),
        PUBLIC_URL.replace("https:", "http:"),
        "not an address",
    ],
)
async def test_addresses_that_are_not_allowed_are_refused(acme: Cast, url: str) -> None:
    made = await create(acme)
    for response in (
        await acme.post("/v1/webhooks/", {"url": url}),
        await acme.patch(f"/v1/webhooks/{made['id']}/", {"url": url}),
    ):
        assert response.status_code == 400
        assert response.json()["code"] == "invalid_url"
        assert "password@" not in response.text
    assert len((await acme.get("/v1/webhooks/")).json()["items"]) == 1


@pytest.mark.parametrize("body", [{}, {"url": ""}, {"url": PUBLIC_URL, "types": ["issue.made"]}])
async def test_other_bodies_are_refused(acme: Cast, body: dict[str, object]) -> None:
    assert (await acme.post("/v1/webhooks/", body)).status_code == 400


async def test_a_webhook_can_be_changed(acme: Cast) -> None:
    path = f"/v1/webhooks/{(await create(acme))['id']}/"
    url = "https://8.8.8.8/other"
    changed = (await acme.patch(path, {"url": url, "types": ["issue.updated"]})).json()
    assert (changed["url"], changed["types"]) == (url, ["issue.updated"])
    assert (await acme.patch(path, {"types": []})).json()["types"] == []
    disabled = (await acme.patch(path, {"status": "disabled"})).json()
    assert (disabled["status"], disabled["disabled_reason"]) == ("disabled", "request")
    enabled = (await acme.patch(path, {"status": "enabled"})).json()
    assert (enabled["status"], enabled["disabled_reason"]) == ("enabled", None)
    assert (await acme.patch(path, {"url": url, "status": "enabled"})).json() == enabled
    entries = await list_entries(acme.db, acme.account_id, "webhook", enabled["id"])
    assert [each["action"].partition(".")[2] for each in entries] == [
        "create",
        "update",
        "update",
        "disable",
        "enable",
    ]
    assert entries[1]["before"] == {"url": PUBLIC_URL, "types": []}
    assert entries[1]["after"] == {"url": url, "types": ["issue.updated"]}


async def test_the_secret_can_be_replaced(acme: Cast) -> None:
    made = await create(acme)
    path = f"/v1/webhooks/{made['id']}/"
    new = (await acme.post(f"{path}rotate/")).json()
    assert new["secret"] != made["secret"]
    assert new["old_secret_until"] is not None
    at_once = (await acme.post(f"{path}rotate/", {"overlap_hours": 0})).json()
    assert at_once["old_secret_until"] is None
    assert (await acme.get(path)).json()["public_key"] == at_once["public_key"]
    assert (await acme.post(f"{path}rotate/", {"overlap_hours": 169})).status_code == 400


async def test_messages_are_listed_in_pages_and_filtered_by_status(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        await make_issues(acme, 1, 5)
        await send_due(acme.db)
    path = f"/v1/webhooks/{made.id}/deliveries/"
    listed = await walk(acme, path, 2)
    assert [each["event"]["data"]["number"] for each in listed] == [5, 4, 3, 2, 1]
    assert (await acme.get(path, status="failed")).json()["items"] == []
    assert len((await acme.get(path, status="delivered")).json()["items"]) == 5


async def test_events_are_sent_again_one_by_one_or_by_range(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        path = f"/v1/webhooks/{made.id}/resend/"
        await make_issues(acme, 1, 4)
        early = await acme.post(path, {"first": acme.account_id * 2**32 + 1})
        assert (early.status_code, early.json()["code"]) == (400, "unknown_event")
        await send_due(acme.db)
        ids = sorted(map(int, receiver.ids))
        receiver.requests.clear()
        one = await acme.post(path, {"first": ids[1]})
        assert (one.status_code, one.json()) == (200, {"count": 1})
        await send_due(acme.db)
        assert receiver.ids == [str(ids[1])]
        assert (await acme.post(path, {"first": ids[0], "last": ids[2]})).json() == {"count": 3}
        await send_due(acme.db)
        assert sorted(map(int, receiver.ids[1:])) == ids[:3]
    wrong = await acme.post(path, {"first": ids[2], "last": ids[0]})
    assert (wrong.status_code, "before `first`" in wrong.json()["message"]) == (400, True)


async def test_events_of_other_types_are_not_sent_again(acme: Cast) -> None:
    await make_issue(acme)
    event = (await acme.get("/v1/events/")).json()["items"][0]
    made = await create(acme, types=["subscription.created"])
    response = await acme.post(f"/v1/webhooks/{made['id']}/resend/", {"first": event["id"]})
    assert response.json()["code"] == "unknown_event"


async def test_a_test_waits_until_it_is_sent(acme: Cast) -> None:
    made = await create(acme)
    first = (await acme.post(f"/v1/webhooks/{made['id']}/test/")).json()
    assert (first["status"], first["attempts"], first["event"]) == ("waiting", 0, None)
    assert first["id"].startswith("test_")
    await acme.post(f"/v1/webhooks/{made['id']}/test/")
    assert len((await acme.get(f"/v1/webhooks/{made['id']}/deliveries/")).json()["items"]) == 1


async def test_nothing_is_sent_to_a_disabled_webhook(acme: Cast) -> None:
    path = f"/v1/webhooks/{(await create(acme))['id']}/"
    await acme.patch(path, {"status": "disabled"})
    for response in (
        await acme.post(f"{path}test/"),
        await acme.post(f"{path}resend/", {"first": 1}),
    ):
        assert (response.status_code, response.json()["code"]) == (400, "webhook_disabled")


async def test_a_webhook_is_deleted_with_its_messages(acme: Cast) -> None:
    path = f"/v1/webhooks/{(await create(acme))['id']}/"
    shown = (await acme.get(path)).json()
    await acme.post(f"{path}test/")
    assert (await acme.post(f"{path}delete/")).json() == shown
    assert (await acme.get(path)).status_code == 404
    for each in ("delete/", "rotate/", "test/"):
        assert (await acme.post(path + each)).status_code == 404
    assert (await acme.get(f"{path}deliveries/")).status_code == 404
    assert (
        await acme.db.fetch_all(
            "SELECT 1 FROM webhook_delivery WHERE account_id = :a", {"a": acme.account_id}
        )
        == []
    )


async def test_an_account_has_a_limited_number_of_webhooks(acme: Cast) -> None:
    for _ in range(MAX_WEBHOOKS):
        await create(acme)
    response = await acme.post("/v1/webhooks/", {"url": PUBLIC_URL})
    assert (response.status_code, response.json()["code"]) == (400, "too_many_webhooks")
    assert len(await walk(acme, "/v1/webhooks/", 7)) == MAX_WEBHOOKS
