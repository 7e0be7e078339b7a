"""The audience of the newsletter tool follows the subscribers, and no change is lost."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
from newsletter import Newsletter

from masthead_client import Masthead
from tests.conftest import Cast
from tests.support.bridge import Bridge
from tests.support.factories import make_issue, make_subscription
from tests.support.privacy import erase
from tests.support.subscribers import merge


class Mailchimp:
    """The requests of its Marketing API that the example sends, by its documentation."""

    def __init__(self) -> None:
        self.members: dict[str, dict[str, Any]] = {}
        self.requests = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        assert request.headers["Authorization"].startswith("Basic ")
        _, version, _, audience, _, digest, *rest = request.url.path.split("/")
        assert (version, audience) == ("3.0", "a1b2")
        body = json.loads(request.content or b"null")
        if (request.method, rest) == ("PUT", []):
            old = self.members.pop(digest, {"status": body["status_if_new"], "tags": {}})
            new = hashlib.md5(body["email_address"].lower().encode()).hexdigest()  # noqa: S324
            self.members[new] = old | body
            return httpx.Response(200, json=self.members[new])
        if digest not in self.members:
            return httpx.Response(404, json={"status": 404, "detail": "Not found."})
        if rest == ["tags"]:
            tags = {each["name"]: each["status"] for each in body["tags"]}
            self.members[digest]["tags"] |= tags
            return httpx.Response(204)
        assert (request.method, rest) == ("POST", ["actions", "delete-permanent"])
        del self.members[digest]
        return httpx.Response(204)

    @property
    def shown(self) -> dict[str, tuple[str, str, str]]:
        """The name, the status and the tag of each member, by address."""
        return {
            each["email_address"]: (
                each["merge_fields"]["FNAME"],
                each["status"],
                each["tags"].get("Subscriber", ""),
            )
            for each in self.members.values()
        }


async def run(cast: Cast, mailchimp: Mailchimp, file: Path) -> None:
    """Start the program, and end it when there is nothing more to do."""
    transport = Bridge(cast, asyncio.get_running_loop())
    tool = httpx.Client(
        base_url="https://us6.api.mailchimp.com/3.0/lists/a1b2",
        auth=("key", "secret"),
        transport=httpx.MockTransport(mailchimp),
    )
    with Masthead("http://test", cast.key, transport=transport) as client, tool:
        await asyncio.to_thread(lambda: Newsletter(client, tool, file).follow(None))


async def test_the_audience_follows_the_subscribers(acme: Cast, tmp_path: Path) -> None:
    await make_issue(acme)
    file, mailchimp = tmp_path / "state.json", Mailchimp()
    ada = await make_subscription(acme, email="ada@example.org", first_name="Ada")
    await make_subscription(acme, email=None, first_name="Nobody")
    await run(acme, mailchimp, file)
    assert mailchimp.shown == {"ada@example.org": ("Ada", "subscribed", "active")}

    [member] = mailchimp.members.values()
    member["status"] = "unsubscribed"
    grace = await make_subscription(acme, email="grace@example.org", first_name="Grace")
    new = {"email": "king@example.org", "first_name": "Augusta"}
    await acme.patch(f"/v1/subscribers/{ada['subscriber']['id']}/", new)
    await acme.post(f"/v1/subscriptions/{grace['id']}/cancel/", {"mode": "cancel"})
    await run(acme, mailchimp, file)
    expected = {
        "king@example.org": ("Augusta", "unsubscribed", "active"),
        "grace@example.org": ("Grace", "subscribed", "inactive"),
    }
    assert mailchimp.shown == expected

    before = mailchimp.requests
    await run(acme, mailchimp, file)
    assert mailchimp.requests == before, "nothing has happened"
    await acme.patch(f"/v1/subscribers/{grace['subscriber']['id']}/", {"email": None})
    await run(acme, mailchimp, file)
    assert {*mailchimp.shown} == {"king@example.org"}, "a placeholder is no address"


async def test_those_who_are_merged_or_erased_are_no_members(acme: Cast, tmp_path: Path) -> None:
    await make_issue(acme)
    file, mailchimp = tmp_path / "state.json", Mailchimp()
    made = [await make_subscription(acme, email=f"{name}@example.org") for name in "abc"]
    kept, twin, gone = [each["subscriber"]["id"] for each in made]
    await run(acme, mailchimp, file)
    assert {*mailchimp.shown} == {"a@example.org", "b@example.org", "c@example.org"}
    await merge(acme, kept, twin)
    await erase(acme, gone)
    await run(acme, mailchimp, file)
    assert {*mailchimp.shown} == {"a@example.org"}


async def test_after_a_month_without_running_it_begins_again(acme: Cast, tmp_path: Path) -> None:
    await make_issue(acme)
    file, mailchimp = tmp_path / "state.json", Mailchimp()
    ada = await make_subscription(acme, email="ada@example.org")
    await run(acme, mailchimp, file)
    state = json.loads(file.read_text())
    state["emails"]["0000101M7Y44BSCWWD688P5JE5GA27A"] = "gone@example.org"
    gone = hashlib.md5(b"gone@example.org").hexdigest()  # noqa: S324
    mailchimp.members[gone] = mailchimp.members[next(iter(mailchimp.members))] | {
        "email_address": "gone@example.org"
    }
    file.write_text(json.dumps(state | {"cursor": None}))
    await acme.patch(f"/v1/subscribers/{ada['subscriber']['id']}/", {"first_name": "A."})
    await run(acme, mailchimp, file)
    assert {name: shown[0] for name, shown in mailchimp.shown.items()} == {"ada@example.org": "A."}
