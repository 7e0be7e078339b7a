"""Subscribers, with totals of their subscriptions.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Subscribers:
    """Subscribers, with totals of their subscriptions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        search: str | None = None,
        email: str | None = None,
        has_active_subscription: bool | None = None,
        updated_since: types.Moment | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.Subscriber]:
        """List subscribers, newest first.

        `GET /v1/subscribers/`
        """
        return Listing(
            self._connection,
            types.Subscriber,
            "/v1/subscribers/",
            {
                "cursor": cursor,
                "limit": limit,
                "search": search,
                "email": email,
                "has_active_subscription": has_active_subscription,
                "updated_since": updated_since,
            },
            if_none_match,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Subscriber:
        """Retrieve a subscriber.

        `GET /v1/subscribers/{id}/`
        """
        return self._connection.call(
            types.Subscriber,
            "GET",
            f"/v1/subscribers/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    def update(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.SubscriberUpdate],
    ) -> types.Subscriber:
        """Update a subscriber.

        `PATCH /v1/subscribers/{id}/`
        """
        return self._connection.call(
            types.Subscriber,
            "PATCH",
            f"/v1/subscribers/{quote(id, safe='')}/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncSubscribers:
    """Subscribers, with totals of their subscriptions."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        search: str | None = None,
        email: str | None = None,
        has_active_subscription: bool | None = None,
        updated_since: types.Moment | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.Subscriber]:
        """List subscribers, newest first.

        `GET /v1/subscribers/`
        """
        return AsyncListing(
            self._connection,
            types.Subscriber,
            "/v1/subscribers/",
            {
                "cursor": cursor,
                "limit": limit,
                "search": search,
                "email": email,
                "has_active_subscription": has_active_subscription,
                "updated_since": updated_since,
            },
            if_none_match,
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Subscriber:
        """Retrieve a subscriber.

        `GET /v1/subscribers/{id}/`
        """
        return await self._connection.call(
            types.Subscriber,
            "GET",
            f"/v1/subscribers/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    async def update(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.SubscriberUpdate],
    ) -> types.Subscriber:
        """Update a subscriber.

        `PATCH /v1/subscribers/{id}/`
        """
        return await self._connection.call(
            types.Subscriber,
            "PATCH",
            f"/v1/subscribers/{quote(id, safe='')}/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
