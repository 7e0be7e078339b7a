"""Orders of all kinds: memberships, gifts, several copies, many at once.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection


class Orders:
    """Orders of all kinds: memberships, gifts, several copies, many at once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.OrderCreate]
    ) -> types.PlacedOrder:
        """Place an order: a subscription, a membership, a gift, or several copies.

        `POST /v1/orders/`
        """
        return self._connection.call(
            types.PlacedOrder, "POST", "/v1/orders/", body=fields, idempotency_key=idempotency_key
        )

    def create_bulk(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.OrdersCreate]
    ) -> types.OrderResults:
        """Place up to 500 orders.

        `POST /v1/orders/bulk/`
        """
        return self._connection.call(
            types.OrderResults,
            "POST",
            "/v1/orders/bulk/",
            body=fields,
            idempotency_key=idempotency_key,
        )


class AsyncOrders:
    """Orders of all kinds: memberships, gifts, several copies, many at once."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.OrderCreate]
    ) -> types.PlacedOrder:
        """Place an order: a subscription, a membership, a gift, or several copies.

        `POST /v1/orders/`
        """
        return await self._connection.call(
            types.PlacedOrder, "POST", "/v1/orders/", body=fields, idempotency_key=idempotency_key
        )

    async def create_bulk(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.OrdersCreate]
    ) -> types.OrderResults:
        """Place up to 500 orders.

        `POST /v1/orders/bulk/`
        """
        return await self._connection.call(
            types.OrderResults,
            "POST",
            "/v1/orders/bulk/",
            body=fields,
            idempotency_key=idempotency_key,
        )
