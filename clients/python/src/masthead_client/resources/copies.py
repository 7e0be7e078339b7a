"""Copies: one issue for one subscription, and whether it was sent.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Copies:
    """Copies: one issue for one subscription, and whether it was sent."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        status: types.CopyStatus | None = None,
        subscriber: str | None = None,
        subscription: str | None = None,
        country: types.CountryCode | None = None,
        issue: str | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.Copy]:
        """List copies, newest first.

        `GET /v1/copies/`
        """
        return Listing(
            self._connection,
            types.Copy,
            "/v1/copies/",
            {
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "subscriber": subscriber,
                "subscription": subscription,
                "country": country,
                "issue": issue,
            },
            if_none_match,
        )

    def get(self, copy_id: int, /, *, if_none_match: str | None = None) -> types.Copy:
        """Retrieve a copy.

        `GET /v1/copies/{copy_id}/`
        """
        return self._connection.call(
            types.Copy, "GET", f"/v1/copies/{copy_id}/", if_none_match=if_none_match
        )

    def mark_sent(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.MarkSent]
    ) -> types.MarkedSent:
        """Mark copies as sent.

        `POST /v1/copies/mark-sent/`
        """
        return self._connection.call(
            types.MarkedSent,
            "POST",
            "/v1/copies/mark-sent/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    def mark_one_sent(
        self,
        copy_id: int,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.MarkSentDate],
    ) -> types.MarkedSent:
        """Mark one copy as sent.

        `POST /v1/copies/{copy_id}/mark-sent/`
        """
        return self._connection.call(
            types.MarkedSent,
            "POST",
            f"/v1/copies/{copy_id}/mark-sent/",
            body=fields or None,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncCopies:
    """Copies: one issue for one subscription, and whether it was sent."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        status: types.CopyStatus | None = None,
        subscriber: str | None = None,
        subscription: str | None = None,
        country: types.CountryCode | None = None,
        issue: str | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.Copy]:
        """List copies, newest first.

        `GET /v1/copies/`
        """
        return AsyncListing(
            self._connection,
            types.Copy,
            "/v1/copies/",
            {
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "subscriber": subscriber,
                "subscription": subscription,
                "country": country,
                "issue": issue,
            },
            if_none_match,
        )

    async def get(self, copy_id: int, /, *, if_none_match: str | None = None) -> types.Copy:
        """Retrieve a copy.

        `GET /v1/copies/{copy_id}/`
        """
        return await self._connection.call(
            types.Copy, "GET", f"/v1/copies/{copy_id}/", if_none_match=if_none_match
        )

    async def mark_sent(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.MarkSent]
    ) -> types.MarkedSent:
        """Mark copies as sent.

        `POST /v1/copies/mark-sent/`
        """
        return await self._connection.call(
            types.MarkedSent,
            "POST",
            "/v1/copies/mark-sent/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    async def mark_one_sent(
        self,
        copy_id: int,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.MarkSentDate],
    ) -> types.MarkedSent:
        """Mark one copy as sent.

        `POST /v1/copies/{copy_id}/mark-sent/`
        """
        return await self._connection.call(
            types.MarkedSent,
            "POST",
            f"/v1/copies/{copy_id}/mark-sent/",
            body=fields or None,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
