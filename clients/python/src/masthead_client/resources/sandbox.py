"""The clock and the emails of a sandbox, an account for trying out.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Sandbox:
    """The clock and the emails of a sandbox, an account for trying out."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get_clock(self, *, if_none_match: str | None = None) -> types.SandboxClock:
        """Retrieve the clock of a sandbox.

        `GET /v1/sandbox/clock/`
        """
        return self._connection.call(
            types.SandboxClock, "GET", "/v1/sandbox/clock/", if_none_match=if_none_match
        )

    def move_clock(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.SandboxMove]
    ) -> types.SandboxClock:
        """Move the clock of a sandbox forward.

        `POST /v1/sandbox/clock/`
        """
        return self._connection.call(
            types.SandboxClock,
            "POST",
            "/v1/sandbox/clock/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    def reset(self, *, idempotency_key: str | None = None) -> types.SandboxClock:
        """Reset a sandbox: delete its records, and begin again.

        `POST /v1/sandbox/reset/`
        """
        return self._connection.call(
            types.SandboxClock, "POST", "/v1/sandbox/reset/", idempotency_key=idempotency_key
        )

    def list_emails(
        self, *, cursor: str | None = None, limit: int = 200, if_none_match: str | None = None
    ) -> Listing[types.KeptEmail]:
        """List the emails that a sandbox kept, newest first.

        `GET /v1/sandbox/emails/`
        """
        return Listing(
            self._connection,
            types.KeptEmail,
            "/v1/sandbox/emails/",
            {"cursor": cursor, "limit": limit},
            if_none_match,
        )


class AsyncSandbox:
    """The clock and the emails of a sandbox, an account for trying out."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get_clock(self, *, if_none_match: str | None = None) -> types.SandboxClock:
        """Retrieve the clock of a sandbox.

        `GET /v1/sandbox/clock/`
        """
        return await self._connection.call(
            types.SandboxClock, "GET", "/v1/sandbox/clock/", if_none_match=if_none_match
        )

    async def move_clock(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.SandboxMove]
    ) -> types.SandboxClock:
        """Move the clock of a sandbox forward.

        `POST /v1/sandbox/clock/`
        """
        return await self._connection.call(
            types.SandboxClock,
            "POST",
            "/v1/sandbox/clock/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    async def reset(self, *, idempotency_key: str | None = None) -> types.SandboxClock:
        """Reset a sandbox: delete its records, and begin again.

        `POST /v1/sandbox/reset/`
        """
        return await self._connection.call(
            types.SandboxClock, "POST", "/v1/sandbox/reset/", idempotency_key=idempotency_key
        )

    def list_emails(
        self, *, cursor: str | None = None, limit: int = 200, if_none_match: str | None = None
    ) -> AsyncListing[types.KeptEmail]:
        """List the emails that a sandbox kept, newest first.

        `GET /v1/sandbox/emails/`
        """
        return AsyncListing(
            self._connection,
            types.KeptEmail,
            "/v1/sandbox/emails/",
            {"cursor": cursor, "limit": limit},
            if_none_match,
        )
