"""The issues of the magazine.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Issues:
    """The issues of the magazine."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        updated_since: types.Moment | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.Issue]:
        """List issues, highest number first.

        `GET /v1/issues/`
        """
        return Listing(
            self._connection,
            types.Issue,
            "/v1/issues/",
            {"cursor": cursor, "limit": limit, "updated_since": updated_since},
            if_none_match,
        )

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.IssueCreate]
    ) -> types.Issue:
        """Create an issue and its copies.

        `POST /v1/issues/`
        """
        return self._connection.call(
            types.Issue, "POST", "/v1/issues/", body=fields, idempotency_key=idempotency_key
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Issue:
        """Retrieve an issue.

        `GET /v1/issues/{id}/`
        """
        return self._connection.call(
            types.Issue, "GET", f"/v1/issues/{quote(id, safe='')}/", if_none_match=if_none_match
        )

    def update(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.IssueUpdate],
    ) -> types.Issue:
        """Update an issue.

        `PATCH /v1/issues/{id}/`
        """
        return self._connection.call(
            types.Issue,
            "PATCH",
            f"/v1/issues/{quote(id, safe='')}/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def list_copies(
        self,
        id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int = 200,
        status: types.CopyStatus | None = None,
        subscriber: str | None = None,
        subscription: str | None = None,
        country: types.CountryCode | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.Copy]:
        """List the copies of an issue, newest first.

        `GET /v1/issues/{id}/copies/`
        """
        return Listing(
            self._connection,
            types.Copy,
            f"/v1/issues/{quote(id, safe='')}/copies/",
            {
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "subscriber": subscriber,
                "subscription": subscription,
                "country": country,
            },
            if_none_match,
        )

    def list_addresses(
        self,
        id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int = 200,
        country: types.CountryCode | None = None,
        medium: types.Medium | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.IssueAddress]:
        """List the addresses of the unsent copies of an issue that no run holds.

        `GET /v1/issues/{id}/addresses/`
        """
        return Listing(
            self._connection,
            types.IssueAddress,
            f"/v1/issues/{quote(id, safe='')}/addresses/",
            {"cursor": cursor, "limit": limit, "country": country, "medium": medium},
            if_none_match,
        )

    def explain(
        self, id: str, /, *, subscriber: str, if_none_match: str | None = None
    ) -> types.IssueAnswer:
        """Tell whether a subscriber got an issue, and why not.

        `GET /v1/issues/{id}/why/`
        """
        return self._connection.call(
            types.IssueAnswer,
            "GET",
            f"/v1/issues/{quote(id, safe='')}/why/",
            query={"subscriber": subscriber},
            if_none_match=if_none_match,
        )


class AsyncIssues:
    """The issues of the magazine."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        updated_since: types.Moment | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.Issue]:
        """List issues, highest number first.

        `GET /v1/issues/`
        """
        return AsyncListing(
            self._connection,
            types.Issue,
            "/v1/issues/",
            {"cursor": cursor, "limit": limit, "updated_since": updated_since},
            if_none_match,
        )

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.IssueCreate]
    ) -> types.Issue:
        """Create an issue and its copies.

        `POST /v1/issues/`
        """
        return await self._connection.call(
            types.Issue, "POST", "/v1/issues/", body=fields, idempotency_key=idempotency_key
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Issue:
        """Retrieve an issue.

        `GET /v1/issues/{id}/`
        """
        return await self._connection.call(
            types.Issue, "GET", f"/v1/issues/{quote(id, safe='')}/", if_none_match=if_none_match
        )

    async def update(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.IssueUpdate],
    ) -> types.Issue:
        """Update an issue.

        `PATCH /v1/issues/{id}/`
        """
        return await self._connection.call(
            types.Issue,
            "PATCH",
            f"/v1/issues/{quote(id, safe='')}/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def list_copies(
        self,
        id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int = 200,
        status: types.CopyStatus | None = None,
        subscriber: str | None = None,
        subscription: str | None = None,
        country: types.CountryCode | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.Copy]:
        """List the copies of an issue, newest first.

        `GET /v1/issues/{id}/copies/`
        """
        return AsyncListing(
            self._connection,
            types.Copy,
            f"/v1/issues/{quote(id, safe='')}/copies/",
            {
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "subscriber": subscriber,
                "subscription": subscription,
                "country": country,
            },
            if_none_match,
        )

    def list_addresses(
        self,
        id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int = 200,
        country: types.CountryCode | None = None,
        medium: types.Medium | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.IssueAddress]:
        """List the addresses of the unsent copies of an issue that no run holds.

        `GET /v1/issues/{id}/addresses/`
        """
        return AsyncListing(
            self._connection,
            types.IssueAddress,
            f"/v1/issues/{quote(id, safe='')}/addresses/",
            {"cursor": cursor, "limit": limit, "country": country, "medium": medium},
            if_none_match,
        )

    async def explain(
        self, id: str, /, *, subscriber: str, if_none_match: str | None = None
    ) -> types.IssueAnswer:
        """Tell whether a subscriber got an issue, and why not.

        `GET /v1/issues/{id}/why/`
        """
        return await self._connection.call(
            types.IssueAnswer,
            "GET",
            f"/v1/issues/{quote(id, safe='')}/why/",
            query={"subscriber": subscriber},
            if_none_match=if_none_match,
        )
