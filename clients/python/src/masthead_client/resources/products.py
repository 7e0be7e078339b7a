"""Products: what new orders can be for, and its prices.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Products:
    """Products: what new orders can be for, and its prices."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self, *, cursor: str | None = None, limit: int = 200, if_none_match: str | None = None
    ) -> Listing[types.OfferedProduct]:
        """List products, newest first.

        `GET /v1/products/`
        """
        return Listing(
            self._connection,
            types.OfferedProduct,
            "/v1/products/",
            {"cursor": cursor, "limit": limit},
            if_none_match,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.OfferedProduct:
        """Retrieve a product.

        `GET /v1/products/{id}/`
        """
        return self._connection.call(
            types.OfferedProduct,
            "GET",
            f"/v1/products/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )


class AsyncProducts:
    """Products: what new orders can be for, and its prices."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self, *, cursor: str | None = None, limit: int = 200, if_none_match: str | None = None
    ) -> AsyncListing[types.OfferedProduct]:
        """List products, newest first.

        `GET /v1/products/`
        """
        return AsyncListing(
            self._connection,
            types.OfferedProduct,
            "/v1/products/",
            {"cursor": cursor, "limit": limit},
            if_none_match,
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.OfferedProduct:
        """Retrieve a product.

        `GET /v1/products/{id}/`
        """
        return await self._connection.call(
            types.OfferedProduct,
            "GET",
            f"/v1/products/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )
