"""Planned addresses: from an issue on, or for some issues.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class AddressChanges:
    """Planned addresses: from an issue on, or for some issues."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        subscriber: str | None = None,
        subscription: str | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.AddressChangeResource]:
        """List planned addresses, newest first.

        `GET /v1/address-changes/`
        """
        return Listing(
            self._connection,
            types.AddressChangeResource,
            "/v1/address-changes/",
            {
                "cursor": cursor,
                "limit": limit,
                "subscriber": subscriber,
                "subscription": subscription,
            },
            if_none_match,
        )

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.AddressChangeCreate]
    ) -> types.AddressChangeResult:
        """Change an address now, or plan to.

        `POST /v1/address-changes/`
        """
        return self._connection.call(
            types.AddressChangeResult,
            "POST",
            "/v1/address-changes/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.AddressChangeResource:
        """Retrieve a planned address.

        `GET /v1/address-changes/{id}/`
        """
        return self._connection.call(
            types.AddressChangeResource,
            "GET",
            f"/v1/address-changes/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    def cancel(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.AddressChangeCancel],
    ) -> types.AddressChangeResource:
        """Cancel a planned address.

        `POST /v1/address-changes/{id}/cancel/`
        """
        return self._connection.call(
            types.AddressChangeResource,
            "POST",
            f"/v1/address-changes/{quote(id, safe='')}/cancel/",
            body=fields or None,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncAddressChanges:
    """Planned addresses: from an issue on, or for some issues."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        subscriber: str | None = None,
        subscription: str | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.AddressChangeResource]:
        """List planned addresses, newest first.

        `GET /v1/address-changes/`
        """
        return AsyncListing(
            self._connection,
            types.AddressChangeResource,
            "/v1/address-changes/",
            {
                "cursor": cursor,
                "limit": limit,
                "subscriber": subscriber,
                "subscription": subscription,
            },
            if_none_match,
        )

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.AddressChangeCreate]
    ) -> types.AddressChangeResult:
        """Change an address now, or plan to.

        `POST /v1/address-changes/`
        """
        return await self._connection.call(
            types.AddressChangeResult,
            "POST",
            "/v1/address-changes/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    async def get(
        self, id: str, /, *, if_none_match: str | None = None
    ) -> types.AddressChangeResource:
        """Retrieve a planned address.

        `GET /v1/address-changes/{id}/`
        """
        return await self._connection.call(
            types.AddressChangeResource,
            "GET",
            f"/v1/address-changes/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    async def cancel(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.AddressChangeCancel],
    ) -> types.AddressChangeResource:
        """Cancel a planned address.

        `POST /v1/address-changes/{id}/cancel/`
        """
        return await self._connection.call(
            types.AddressChangeResource,
            "POST",
            f"/v1/address-changes/{quote(id, safe='')}/cancel/",
            body=fields or None,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
