"""Sandboxes with made-up data, and a client with the key of one."""

import secrets

import httpx
from msgspec import Struct

from masthead.model.emails import Site
from masthead.model.sandboxes import SandboxClock, SandboxMove
from masthead.model.types.enums import Scope
from masthead.services import keys
from masthead.services.sandboxes.clock import move_clock
from masthead.services.sandboxes.create import create_sandbox
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from tests.conftest import BY, Client

SITE = Site("https://masthead.test", "placeholder.example")


class Sandbox(Struct, frozen=True):
    """A sandbox, its owner, and a client that uses its read-write key."""

    db: Database
    client: Client
    account: Account
    owner: str
    key: str

    async def get(self, path: str, **params: object) -> httpx.Response:
        """GET with the given query parameters."""
        return await self.client.get(path, key=self.key, params=params or None)

    async def post(self, path: str, body: object = None) -> httpx.Response:
        """POST with a JSON body."""
        return await self.client.post(path, key=self.key, json=body)

    async def move(self, **move: object) -> SandboxClock:
        """Move the clock, without a request."""
        return await move_clock(
            self.db,
            self.account.id,
            SandboxMove(**move),  # type: ignore[arg-type]
            site=SITE,
            by=BY,
        )


async def make_sandbox(client: Client, db: Database, copied: Account | None = None) -> Sandbox:
    """A new sandbox under a random subdomain."""
    subdomain = f"sandbox-{secrets.token_hex(5)}"
    owner = f"owner@{subdomain}.test"
    account = await create_sandbox(
        db,
        name="Sandbox",
        subdomain=subdomain,
        currency="EUR",
        owner=owner,
        copied=copied,
        placeholder_domain=SITE.domain,
        by=BY,
    )
    _, key = await keys.create_key(db, account.id, user=owner, scope=Scope.READ_WRITE, by=BY)
    return Sandbox(db, client, account, owner, key)
