"""The pages of webhooks: create, show the secret once, change, test, send again, delete."""

import html
import re
from typing import Any

import httpx
import pytest
from aiohttp import web

from masthead.model.events.types import PublicEventType
from tests.conftest import Cast
from tests.support.factories import make_issue, make_issues
from tests.support.keyed_requests import PUBLIC_URL
from tests.support.webhooks import make_webhook, receiving, send_due
from tests.web.conftest import Person

HERE = ("settings", "webhooks")


def secret_on(page: httpx.Response) -> str:
    """The secret that a page shows."""
    found = re.search(r'<code class="secret" id="secret">(whsec_[^<]+)</code>', page.text)
    assert found, page.text
    return html.unescape(found[1])


async def webhooks_of(cast: Cast) -> list[dict[str, Any]]:
    """The webhooks of the account, as the API shows them."""
    items: list[dict[str, Any]] = (await cast.get("/v1/webhooks/")).json()["items"]
    return items


async def create(owner: Person, **fields: str) -> httpx.Response:
    return await owner.send(owner.address(*HERE, "new"), {"url": PUBLIC_URL, **fields})


async def test_a_webhook_is_created_and_its_secret_is_shown_once(owner: Person, acme: Cast) -> None:
    assert "no webhooks" in await owner.text(*HERE)
    secret = secret_on(await create(owner, types="issue.created"))
    (webhook,) = await webhooks_of(acme)
    assert (webhook["url"], webhook["types"]) == (PUBLIC_URL, ["issue.created"])
    page = await owner.text(*HERE, webhook["id"])
    assert secret not in page
    assert html.escape(webhook["public_key"]) in page
    assert PUBLIC_URL in await owner.text(*HERE)
    again = await owner.post(owner.address(*HERE, "new"), owner.sent)
    assert again.status_code == 303
    assert len(await webhooks_of(acme)) == 1


@pytest.mark.parametrize(
    "url, message",
    [
        ("", "Type the address of the program."),
        ("http://shop.test/", "“Address” must begin with https://"),
        ("https://ann:pass@shop.test/", "“Address” contains credentials."),
        ("https://127.0.0.1/", "is in a private network"),
        ("https://no-such-host.invalid/", "was not found"),
    ],
)
async def test_addresses_that_are_not_allowed_are_refused(
    owner: Person, acme: Cast, url: str, message: str
) -> None:
    answer = await create(owner, url=url)
    assert answer.status_code == 400
    assert message in html.unescape(answer.text)
    assert await webhooks_of(acme) == []


async def test_a_webhook_is_changed(owner: Person, acme: Cast) -> None:
    await create(owner, types="issue.created")
    (webhook,) = await webhooks_of(acme)
    edit = owner.address(*HERE, webhook["id"], "edit")
    await owner.send(edit, {"types": "issue.updated"})
    (changed,) = await webhooks_of(acme)
    assert (changed["url"], changed["types"]) == (PUBLIC_URL, ["issue.updated"])
    await owner.send(edit, {"url": "https://8.8.8.8/other"})
    assert [each["url"] for each in await webhooks_of(acme)] == ["https://8.8.8.8/other"]
    refused = await owner.send(edit, {"url": "https://10.0.0.1/"})
    assert refused.status_code == 400
    page = await owner.post(owner.address(*HERE, webhook["id"], "disable"))
    assert page.status_code == 303
    text = await owner.text(*HERE, webhook["id"])
    assert "An owner or a program disabled it." in text
    assert "Disabled" in await owner.text(*HERE)
    await owner.post(owner.address(*HERE, webhook["id"], "enable"))
    assert [each["status"] for each in await webhooks_of(acme)] == ["enabled"]


async def test_the_secret_is_replaced(owner: Person, acme: Cast) -> None:
    old = secret_on(await create(owner))
    (webhook,) = await webhooks_of(acme)
    rotate = owner.address(*HERE, webhook["id"], "rotate")
    page = await owner.send(rotate)
    assert secret_on(page) != old
    assert "also signed with the old secret until" in page.text
    again = await owner.post(rotate, owner.sent)
    assert again.status_code == 303
    page = await owner.send(rotate, {"overlap": "0"})
    assert "also signed with the old secret until" not in page.text


async def test_a_webhook_is_deleted_after_a_confirmation(owner: Person, acme: Cast) -> None:
    await create(owner)
    (webhook,) = await webhooks_of(acme)
    assert (await owner.send(owner.address(*HERE, webhook["id"], "delete"))).status_code == 303
    assert await webhooks_of(acme) == []
    assert (await owner.see(*HERE, webhook["id"])).status_code == 404


async def test_messages_are_shown_with_request_answer_and_time(owner: Person, acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        assert "No messages were sent yet." in await owner.text(*HERE, made.id)

        async def refuse(_request: web.Request) -> web.StreamResponse:
            return web.Response(status=503, text="<b>closed</b>")

        receiver.answer = refuse
        await make_issue(acme)
        await owner.post(owner.address(*HERE, made.id, "test"))
        await send_due(acme.db)
        page = await owner.text(*HERE, made.id)
        assert "issue.created" in page
        assert "webhook.test" in page
        assert "&lt;b&gt;closed&lt;/b&gt;" in page
        assert "No request was accepted since" in page
        assert "Has failed since" in await owner.text(*HERE)
        assert '"type": "issue.created"' in html.unescape(page)
        assert "No messages match" in await owner.text(*HERE, made.id, status="delivered")
        assert "issue.created" in await owner.text(*HERE, made.id, status="waiting")


async def test_events_are_sent_again(owner: Person, acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.ISSUE_CREATED])
        await make_issues(acme, 1, 3)
        await send_due(acme.db)
        first, second, third = sorted(receiver.ids)
        resend = owner.address(*HERE, made.id, "resend")
        await owner.post(resend, {"first": second})
        await send_due(acme.db)
        assert receiver.ids[3:] == [second]
        await owner.post(resend, {"first": first, "last": third})
        await send_due(acme.db)
        assert sorted(receiver.ids[4:]) == [first, second, third]
        for wrong in ({}, {"first": "x"}, {"first": third, "last": first}, {"first": "9" * 17}):
            assert (await owner.post(resend, wrong)).status_code == 400


async def test_deleted_events_are_counted(owner: Person, acme: Cast) -> None:
    made = await make_webhook(acme, PUBLIC_URL)
    await acme.db.write(
        lambda tx: tx.execute(
            "UPDATE webhook SET missed = 2 WHERE account_id = :a", {"a": acme.account_id}
        )
    )
    assert "2 events were deleted" in await owner.text(*HERE, made.id)


async def test_staff_have_no_access(staff: Person) -> None:
    assert (await staff.see(*HERE)).status_code == 403
