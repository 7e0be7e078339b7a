"""Claims: subscribers say that copies never came, and get replacements.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Claims:
    """Claims: subscribers say that copies never came, and get replacements."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        status: types.ClaimStatus | None = None,
        reason: types.ClaimReason | None = None,
        issue: str | None = None,
        subscriber: str | None = None,
        subscription: str | None = None,
        country: types.CountryCode | None = None,
        copy: int | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.Claim]:
        """List claims, newest first.

        `GET /v1/claims/`
        """
        return Listing(
            self._connection,
            types.Claim,
            "/v1/claims/",
            {
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "reason": reason,
                "issue": issue,
                "subscriber": subscriber,
                "subscription": subscription,
                "country": country,
                "copy": copy,
            },
            if_none_match,
        )

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.ClaimCreate]
    ) -> types.CreatedClaim:
        """Record that a subscriber did not get a copy.

        `POST /v1/claims/`
        """
        return self._connection.call(
            types.CreatedClaim, "POST", "/v1/claims/", body=fields, idempotency_key=idempotency_key
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Claim:
        """Retrieve a claim.

        `GET /v1/claims/{id}/`
        """
        return self._connection.call(
            types.Claim, "GET", f"/v1/claims/{quote(id, safe='')}/", if_none_match=if_none_match
        )

    def close(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.Claim:
        """Withdraw a claim.

        `POST /v1/claims/{id}/close/`
        """
        return self._connection.call(
            types.Claim,
            "POST",
            f"/v1/claims/{quote(id, safe='')}/close/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncClaims:
    """Claims: subscribers say that copies never came, and get replacements."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        status: types.ClaimStatus | None = None,
        reason: types.ClaimReason | None = None,
        issue: str | None = None,
        subscriber: str | None = None,
        subscription: str | None = None,
        country: types.CountryCode | None = None,
        copy: int | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.Claim]:
        """List claims, newest first.

        `GET /v1/claims/`
        """
        return AsyncListing(
            self._connection,
            types.Claim,
            "/v1/claims/",
            {
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "reason": reason,
                "issue": issue,
                "subscriber": subscriber,
                "subscription": subscription,
                "country": country,
                "copy": copy,
            },
            if_none_match,
        )

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.ClaimCreate]
    ) -> types.CreatedClaim:
        """Record that a subscriber did not get a copy.

        `POST /v1/claims/`
        """
        return await self._connection.call(
            types.CreatedClaim, "POST", "/v1/claims/", body=fields, idempotency_key=idempotency_key
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Claim:
        """Retrieve a claim.

        `GET /v1/claims/{id}/`
        """
        return await self._connection.call(
            types.Claim, "GET", f"/v1/claims/{quote(id, safe='')}/", if_none_match=if_none_match
        )

    async def close(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.Claim:
        """Withdraw a claim.

        `POST /v1/claims/{id}/close/`
        """
        return await self._connection.call(
            types.Claim,
            "POST",
            f"/v1/claims/{quote(id, safe='')}/close/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
