"""GET /v1/me/: the user, account and scope of an API key."""

import pytest

from masthead.model.types.enums import Scope
from masthead.services import keys
from masthead.services.users import add_user
from tests.conftest import BY, Cast, Client


@pytest.mark.parametrize("scope", ["read_only", "read_write"])
async def test_me_returns_the_email_account_and_scope(
    client: Client, acme: Cast, scope: str
) -> None:
    key = acme.key if scope == "read_write" else acme.read_only_key
    response = await client.get("/v1/me/", key=key)
    assert response.status_code == 200
    assert response.json() == {
        "email": acme.owner,
        "account": {"name": acme.name, "subdomain": acme.subdomain},
        "scope": scope,
    }


async def test_the_response_is_json(acme: Cast) -> None:
    response = await acme.get("/v1/me/")
    assert response.headers["Content-Type"] == "application/json"


async def test_each_account_has_its_own_keys(acme: Cast, rival: Cast) -> None:
    assert (await acme.get("/v1/me/")).json()["account"]["subdomain"] == acme.subdomain
    assert (await rival.get("/v1/me/")).json()["account"]["subdomain"] == rival.subdomain


async def test_a_key_authenticates_the_user_it_was_created_for(client: Client, acme: Cast) -> None:
    staff = f"staff@{acme.subdomain}.test"
    await add_user(acme.db, acme.account_id, email=staff, by=BY)
    _, key = await keys.create_key(
        acme.db, acme.account_id, user=staff, scope=Scope.READ_ONLY, by=BY
    )
    assert (await client.get("/v1/me/", key=key)).json()["email"] == staff


async def test_two_keys_of_one_user_and_account_differ_only_in_their_scope(
    client: Client, acme: Cast
) -> None:
    writing = (await client.get("/v1/me/", key=acme.key)).json()
    reading = (await client.get("/v1/me/", key=acme.read_only_key)).json()
    assert writing.pop("scope") != reading.pop("scope")
    assert writing == reading


def test_a_key_begins_with_its_prefix(acme: Cast) -> None:
    assert acme.key.startswith("mh_")
    assert acme.key[3:].isalnum()
    assert acme.key[3:].isascii()
