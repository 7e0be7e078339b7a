"""The pages of API keys: create, show once, roll and revoke."""

import asyncio
import html
import re
import shlex
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from masthead.model.clock import now
from masthead.model.identity.api_keys import ApiKey
from masthead.model.types.enums import Scope
from masthead.services import keys as service
from masthead.settings import Settings
from masthead.store.keys import list_keys
from tests.conftest import BY, Cast
from tests.web.conftest import Person, fields_of
from tests.web.nasty import NASTY, is_harmless


def shown(page: httpx.Response) -> str:
    """The key that a page shows."""
    found = re.search(r'<code class="secret" id="key">(mh_\w+)</code>', page.text)
    assert found, page.text
    return found[1]


async def kept(cast: Cast) -> str:
    """The keys and the audit trail of the account, as the database stores them."""
    async with cast.db.read() as connection:
        rows: list[Any] = []
        for table in ("api_key", "audit", "submission"):
            rows += await connection.fetch_all(
                f"SELECT * FROM {table} WHERE account_id = :a",  # noqa: S608 - names from above
                {"a": cast.account_id},
            )
    return repr([dict(row) for row in rows])


async def listed(cast: Cast) -> list[ApiKey]:
    """The account's keys, newest first."""
    async with cast.db.read() as connection:
        return await list_keys(connection, cast.account_id)


async def test_a_new_key_works_and_a_read_only_key_cannot_write(owner: Person, acme: Cast) -> None:
    answer = await owner.send(owner.address("settings", "keys", "new"), {"name": "Shop"})
    assert answer.status_code == 200
    key = shown(answer)
    me = await acme.client.get("/v1/me/", key=key)
    assert (me.status_code, me.json()["scope"]) == (200, "read_only")
    refused = await acme.client.post("/v1/issues/", key=key, json={"number": 1})
    assert (refused.status_code, refused.json()["code"]) == (403, "read_only_key")


async def test_a_read_write_key_can_write(owner: Person, acme: Cast) -> None:
    typed = {"name": "Shop", "scope": "read_write"}
    key = shown(await owner.send(owner.address("settings", "keys", "new"), typed))
    made = await acme.client.post("/v1/issues/", key=key, json={"number": 1})
    assert made.status_code == 201


async def test_a_key_can_be_narrowed_to_some_rights(owner: Person, acme: Cast) -> None:
    typed = {"name": "Mailing house", "allows": "chosen", "rights": "dispatch"}
    page = await owner.send(owner.address("settings", "keys", "new"), typed)
    assert "It allows only: Dispatch." in page.text
    key = shown(page)
    allowed = await acme.client.get("/v1/dispatches/", key=key)
    assert allowed.status_code == 200
    refused = await acme.client.get("/v1/subscribers/", key=key)
    assert (refused.status_code, refused.json()["code"]) == (403, "missing_right")
    assert "only Dispatch" in await owner.text("settings", "keys")


async def test_a_right_that_needs_another_one_is_not_given_to_a_key(owner: Person) -> None:
    typed: dict[str, str | list[str]] = {"name": "Shop", "allows": "chosen"}
    typed["rights"] = ["bill", "dispatch"]
    page = (await owner.send(owner.address("settings", "keys", "new"), typed)).text
    said = html.unescape(page)
    needed = "Not given, because it also needs “Take orders” or “See money”: Bill and record"
    assert f"It allows only: Dispatch. {needed}" in said


async def test_rights_that_are_ticked_but_not_chosen_are_refused(owner: Person) -> None:
    typed = {"name": "Shop", "rights": "dispatch"}
    page = await owner.send(owner.address("settings", "keys", "new"), typed)
    assert page.status_code == 400
    assert "You changed the ticks, but they count only with" in page.text
    assert "Shop" not in await owner.text("settings", "keys")


async def test_a_key_without_any_right_says_so(owner: Person) -> None:
    typed = {"name": "Shop", "allows": "chosen"}
    page = await owner.send(owner.address("settings", "keys", "new"), typed)
    assert "It allows only: no rights." in page.text


async def test_the_example_command_and_its_response_are_correct(owner: Person, acme: Cast) -> None:
    page = await owner.send(owner.address("settings", "keys", "new"), {"name": "Shop"})
    texts = dict(re.findall(r'<code class="secret" id="(\w+)">(.*?)</code>', page.text, re.DOTALL))
    words = shlex.split(html.unescape(texts["curl"]))
    assert words[:2] == ["curl", "-H"]
    assert words[3].endswith("/v1/me/")
    name, _, value = words[2].partition(": ")
    answer = await acme.client.get(httpx.URL(words[3]).path, headers={name: value})
    assert answer.text == html.unescape(texts["answer"])


async def test_the_example_command_uses_the_public_url(owner: Person) -> None:
    cookies = "; ".join(f"{name}={value}" for name, value in owner.http.cookies.items())
    page = await owner.http.post(
        owner.address("settings", "keys", "new"),
        data={"name": "Shop"},
        headers={"Host": "evil.test", "Sec-Fetch-Site": "same-origin", "Cookie": cookies},
    )
    assert page.status_code == 200
    assert f"{shown(page)}' {Settings().public_url}/v1/me/</code>" in page.text
    assert "evil.test" not in page.text


async def test_an_expired_key_is_shown_as_expired(owner: Person, acme: Cast) -> None:
    ended = now() - timedelta(days=1)
    await service.create_key(
        acme.db,
        acme.account_id,
        user=acme.owner,
        scope=Scope.READ_ONLY,
        name="Kiosk",
        expires_at=ended,
        by=BY,
    )
    assert "Expired" in await owner.text("settings", "keys")
    id = (await listed(acme))[0].id
    refused = await owner.send(owner.address("settings", "keys", id, "roll"))
    assert refused.status_code == 400
    assert "is inactive and cannot be rolled" in refused.text


async def test_a_key_is_shown_once_and_never_stored(owner: Person, acme: Cast) -> None:
    key = shown(await owner.send(owner.address("settings", "keys", "new"), {"name": "Shop"}))
    for page in ("", "new"):
        assert key not in await owner.text("settings", "keys", *([page] if page else []))
    assert key not in await kept(acme)
    assert key[12:] not in await kept(acme)
    page = await owner.text("settings", "keys")
    assert key[:12] in page
    assert f"by <bdi>{acme.owner}</bdi>" in page


async def test_a_form_that_is_sent_twice_creates_one_key_and_shows_it_twice(
    owner: Person, acme: Cast
) -> None:
    before = len(await listed(acme))
    address = owner.address("settings", "keys", "new")
    first = await owner.send(address, {"name": "Shop"})
    answers = await asyncio.gather(*(owner.post(address, owner.sent) for _ in range(3)))
    assert {shown(each) for each in (first, *answers)} == {shown(first)}
    assert len(await listed(acme)) == before + 1


async def test_a_form_with_another_name_creates_another_key(owner: Person, acme: Cast) -> None:
    address = owner.address("settings", "keys", "new")
    first = shown(await owner.send(address, {"name": "Shop"}))
    other = shown(await owner.post(address, {**owner.sent, "name": "Printer"}))
    assert first != other
    names = {key.prefix + key.name for key in await listed(acme)}
    assert {first[:12] + "Shop", other[:12] + "Printer"} <= names


async def test_another_form_creates_another_key(owner: Person) -> None:
    address = owner.address("settings", "keys", "new")
    assert len({shown(await owner.send(address, {"name": "Shop"})) for _ in range(2)}) == 2


@pytest.mark.parametrize("fields", [{}, {"idempotency_key": ""}, {"idempotency_key": "x"}], ids=str)
async def test_a_form_without_an_idempotency_key_creates_a_key_each_time(
    owner: Person, fields: dict[str, str]
) -> None:
    address = owner.address("settings", "keys", "new")
    typed = {"name": "Shop", "scope": "read_only", **fields}
    assert len({shown(await owner.post(address, typed)) for _ in range(2)}) == 2


async def test_a_form_that_is_sent_again_does_not_show_a_revoked_key(
    owner: Person, acme: Cast
) -> None:
    address = owner.address("settings", "keys", "new")
    key = shown(await owner.send(address, {"name": "Shop"}))
    newest = (await listed(acme))[0]
    await service.revoke_key(acme.db, acme.account_id, newest.id, by=BY)
    answer = await owner.post(address, owner.sent)
    assert answer.status_code == 303
    assert key not in (await owner.http.get(answer.headers["Location"])).text


async def test_the_form_of_one_user_does_not_create_the_key_of_another(
    owner: Person, acme: Cast, outsider: Person, rival: Cast
) -> None:
    key = shown(await owner.send(owner.address("settings", "keys", "new"), {"name": "Shop"}))
    outsider.at = rival.subdomain
    answer = await outsider.post(outsider.address("settings", "keys", "new"), owner.sent)
    assert shown(answer) != key


@pytest.mark.parametrize(
    "typed, says",
    [
        ({"name": " "}, "Give the key a name"),
        ({"name": "x" * 256}, "at most 255"),
        ({"name": "Shop", "ends_on": "2020-01-01"}, "This day is not in the future"),
        ({"name": "Shop", "ends_on": "soon"}, "Not a valid date"),
        ({"name": "Shop", "scope": "admin"}, "Not a valid choice"),
    ],
)
async def test_an_error_marks_the_field_and_keeps_the_input(
    owner: Person, acme: Cast, typed: dict[str, str], says: str
) -> None:
    before = len(await listed(acme))
    answer = await owner.send(owner.address("settings", "keys", "new"), typed)
    assert answer.status_code == 400
    assert says in answer.text
    assert 'aria-invalid="true"' in answer.text
    again = fields_of(answer.text)
    assert again["name"] == typed["name"].strip()
    assert again.get("ends_on", "") == typed.get("ends_on", "")
    assert len(await listed(acme)) == before


async def test_a_key_can_expire(owner: Person, acme: Cast) -> None:
    day = (now() + timedelta(days=30)).date().isoformat()
    typed = {"name": "Shop", "ends_on": day}
    key = shown(await owner.send(owner.address("settings", "keys", "new"), typed))
    newest = (await listed(acme))[0]
    assert newest.prefix == key[:12]
    assert newest.expires_at == datetime.fromisoformat(f"{day}T00:00:00+00:00")


@pytest.mark.parametrize("name", NASTY)
async def test_the_name_of_a_key_is_escaped(owner: Person, name: str) -> None:
    answer = await owner.send(owner.address("settings", "keys", "new"), {"name": name})
    assert shown(answer)
    for page in (answer.text, await owner.text("settings", "keys")):
        assert is_harmless(page, name)


async def test_a_key_is_rolled_with_an_overlap(owner: Person, acme: Cast) -> None:
    old = shown(await owner.send(owner.address("settings", "keys", "new"), {"name": "Shop"}))
    id = (await listed(acme))[0].id
    address = owner.address("settings", "keys", id, "roll")
    answer = await owner.send(address)
    key = shown(answer)
    assert old[:12] in answer.text
    again = await owner.post(address, owner.sent)
    assert shown(again) == key
    for each in (old, key):
        assert (await acme.client.get("/v1/me/", key=each)).status_code == 200
    replaced = next(each for each in await listed(acme) if each.id == id)
    assert replaced.expires_at is not None
    assert timedelta(hours=23) < replaced.expires_at - now() <= timedelta(days=1)
    page = await owner.text("settings", "keys")
    assert "Rolled; expires" in page
    refused = await owner.send(address)
    assert refused.status_code == 400
    assert "has already been rolled" in refused.text


async def test_a_key_that_is_rolled_without_overlap_stops_working(
    owner: Person, acme: Cast
) -> None:
    address = owner.address("settings", "keys", acme.key_id, "roll")
    key = shown(await owner.send(address, {"overlap": "0"}))
    assert (await acme.client.get("/v1/me/", key=key)).status_code == 200
    assert (await acme.client.get("/v1/me/", key=acme.key)).status_code == 401
    assert (await owner.post(address, {"overlap": "5"})).status_code == 400


async def test_a_key_is_revoked_after_a_confirmation(owner: Person, acme: Cast) -> None:
    address = owner.address("settings", "keys", acme.key_id, "revoke")
    asked = await owner.http.get(address)
    assert "never been used" in asked.text
    answer = await owner.send(address)
    assert answer.status_code == 303
    assert (await acme.client.get("/v1/me/", key=acme.key)).status_code == 401
    assert (await owner.post(address, owner.sent)).status_code == 303
    page = await owner.text("settings", "keys")
    assert "Inactive keys (1)" in page
    assert "already inactive" in (await owner.http.get(address)).text


async def test_keys_of_other_accounts_are_not_found(owner: Person, rival: Cast, acme: Cast) -> None:
    tampered = acme.key_id[:-1] + ("0" if acme.key_id[-1] != "0" else "1")
    for id in (rival.key_id, tampered, "0", "NOSUCH"):
        for verb in ("roll", "revoke"):
            address = owner.address("settings", "keys", id, verb)
            assert (await owner.http.get(address)).status_code == 404
            assert (await owner.post(address, {"overlap": "0"})).status_code == 404
    assert (await rival.get("/v1/me/")).status_code == 200


async def test_all_changes_of_keys_are_in_the_audit_log(owner: Person, acme: Cast) -> None:
    await owner.send(owner.address("settings", "keys", acme.key_id, "roll"))
    await owner.send(owner.address("settings", "keys", acme.key_id, "revoke"))
    async with acme.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT action, actor_kind, email FROM audit LEFT JOIN app_user u ON u.id = actor_id"
            " WHERE account_id = :a ORDER BY audit.id DESC LIMIT 3",
            {"a": acme.account_id},
        )
    assert [(row["action"], row["actor_kind"], row["email"]) for row in rows] == [
        ("key.revoke", "user", acme.owner),
        ("key.roll", "user", acme.owner),
        ("key.create", "user", acme.owner),
    ]


async def test_without_any_keys_the_page_says_what_to_do(owner: Person, acme: Cast) -> None:
    for key in await listed(acme):
        await service.revoke_key(acme.db, acme.account_id, key.id, by=BY)
    page = await owner.text("settings", "keys")
    assert "There are no active API keys" in page
    assert page.count(f'href="{owner.address("settings", "keys", "new")}"') == 1


async def test_the_settings_page_links_to_every_part(owner: Person) -> None:
    page = await owner.text("settings")
    for part in ("keys", "sources", "products", "account", "welcome-email", "users", "log"):
        assert f'href="{owner.address("settings", part)}"' in page
