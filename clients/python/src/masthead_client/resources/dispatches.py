"""Dispatch runs: the copies of an issue that go out together.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Dispatches:
    """Dispatch runs: the copies of an issue that go out together."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        issue: str | None = None,
        status: types.DispatchStatus | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.DispatchRun]:
        """List dispatch runs, newest first.

        `GET /v1/dispatches/`
        """
        return Listing(
            self._connection,
            types.DispatchRun,
            "/v1/dispatches/",
            {"cursor": cursor, "limit": limit, "issue": issue, "status": status},
            if_none_match,
        )

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.DispatchCreate]
    ) -> types.DispatchRunDetail:
        """Freeze a dispatch run.

        `POST /v1/dispatches/`
        """
        return self._connection.call(
            types.DispatchRunDetail,
            "POST",
            "/v1/dispatches/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.DispatchRunDetail:
        """Retrieve a dispatch run.

        `GET /v1/dispatches/{id}/`
        """
        return self._connection.call(
            types.DispatchRunDetail,
            "GET",
            f"/v1/dispatches/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    def list_lines(
        self,
        id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int = 200,
        country: types.CountryCode | None = None,
        medium: types.Medium | None = None,
        status: types.LineStatus | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.DispatchRunLine]:
        """List the lines of a dispatch run, in the order of its files.

        `GET /v1/dispatches/{id}/lines/`
        """
        return Listing(
            self._connection,
            types.DispatchRunLine,
            f"/v1/dispatches/{quote(id, safe='')}/lines/",
            {
                "cursor": cursor,
                "limit": limit,
                "country": country,
                "medium": medium,
                "status": status,
            },
            if_none_match,
        )

    def mark_sent(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.MarkSentDate],
    ) -> types.DispatchRunDetail:
        """Mark the copies of a dispatch run as sent.

        `POST /v1/dispatches/{id}/mark-sent/`
        """
        return self._connection.call(
            types.DispatchRunDetail,
            "POST",
            f"/v1/dispatches/{quote(id, safe='')}/mark-sent/",
            body=fields or None,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def undo(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.DispatchRunDetail:
        """Take back the marking of a dispatch run.

        `POST /v1/dispatches/{id}/undo/`
        """
        return self._connection.call(
            types.DispatchRunDetail,
            "POST",
            f"/v1/dispatches/{quote(id, safe='')}/undo/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def discard(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.DispatchRunDetail:
        """Discard a frozen dispatch run.

        `POST /v1/dispatches/{id}/discard/`
        """
        return self._connection.call(
            types.DispatchRunDetail,
            "POST",
            f"/v1/dispatches/{quote(id, safe='')}/discard/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncDispatches:
    """Dispatch runs: the copies of an issue that go out together."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        issue: str | None = None,
        status: types.DispatchStatus | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.DispatchRun]:
        """List dispatch runs, newest first.

        `GET /v1/dispatches/`
        """
        return AsyncListing(
            self._connection,
            types.DispatchRun,
            "/v1/dispatches/",
            {"cursor": cursor, "limit": limit, "issue": issue, "status": status},
            if_none_match,
        )

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.DispatchCreate]
    ) -> types.DispatchRunDetail:
        """Freeze a dispatch run.

        `POST /v1/dispatches/`
        """
        return await self._connection.call(
            types.DispatchRunDetail,
            "POST",
            "/v1/dispatches/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.DispatchRunDetail:
        """Retrieve a dispatch run.

        `GET /v1/dispatches/{id}/`
        """
        return await self._connection.call(
            types.DispatchRunDetail,
            "GET",
            f"/v1/dispatches/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    def list_lines(
        self,
        id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int = 200,
        country: types.CountryCode | None = None,
        medium: types.Medium | None = None,
        status: types.LineStatus | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.DispatchRunLine]:
        """List the lines of a dispatch run, in the order of its files.

        `GET /v1/dispatches/{id}/lines/`
        """
        return AsyncListing(
            self._connection,
            types.DispatchRunLine,
            f"/v1/dispatches/{quote(id, safe='')}/lines/",
            {
                "cursor": cursor,
                "limit": limit,
                "country": country,
                "medium": medium,
                "status": status,
            },
            if_none_match,
        )

    async def mark_sent(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.MarkSentDate],
    ) -> types.DispatchRunDetail:
        """Mark the copies of a dispatch run as sent.

        `POST /v1/dispatches/{id}/mark-sent/`
        """
        return await self._connection.call(
            types.DispatchRunDetail,
            "POST",
            f"/v1/dispatches/{quote(id, safe='')}/mark-sent/",
            body=fields or None,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def undo(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.DispatchRunDetail:
        """Take back the marking of a dispatch run.

        `POST /v1/dispatches/{id}/undo/`
        """
        return await self._connection.call(
            types.DispatchRunDetail,
            "POST",
            f"/v1/dispatches/{quote(id, safe='')}/undo/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def discard(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.DispatchRunDetail:
        """Discard a frozen dispatch run.

        `POST /v1/dispatches/{id}/discard/`
        """
        return await self._connection.call(
            types.DispatchRunDetail,
            "POST",
            f"/v1/dispatches/{quote(id, safe='')}/discard/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
