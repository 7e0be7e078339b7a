"""Sources of orders, such as shops.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Sources:
    """Sources of orders, such as shops."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self, *, cursor: str | None = None, limit: int = 200, if_none_match: str | None = None
    ) -> Listing[types.Source]:
        """List sources, newest first.

        `GET /v1/sources/`
        """
        return Listing(
            self._connection,
            types.Source,
            "/v1/sources/",
            {"cursor": cursor, "limit": limit},
            if_none_match,
        )


class AsyncSources:
    """Sources of orders, such as shops."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self, *, cursor: str | None = None, limit: int = 200, if_none_match: str | None = None
    ) -> AsyncListing[types.Source]:
        """List sources, newest first.

        `GET /v1/sources/`
        """
        return AsyncListing(
            self._connection,
            types.Source,
            "/v1/sources/",
            {"cursor": cursor, "limit": limit},
            if_none_match,
        )
