"""Payments of invoices.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Payments:
    """Payments of invoices."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        payer: str | None = None,
        invoice: str | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.PaymentResource]:
        """List payments, newest first.

        `GET /v1/payments/`
        """
        return Listing(
            self._connection,
            types.PaymentResource,
            "/v1/payments/",
            {"cursor": cursor, "limit": limit, "payer": payer, "invoice": invoice},
            if_none_match,
        )

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.PaymentCreate]
    ) -> types.PaymentResource:
        """Record a payment.

        `POST /v1/payments/`
        """
        return self._connection.call(
            types.PaymentResource,
            "POST",
            "/v1/payments/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.PaymentResource:
        """Retrieve a payment.

        `GET /v1/payments/{id}/`
        """
        return self._connection.call(
            types.PaymentResource,
            "GET",
            f"/v1/payments/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    def undo(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.PaymentResource:
        """Undo a payment that was recorded by mistake.

        `POST /v1/payments/{id}/undo/`
        """
        return self._connection.call(
            types.PaymentResource,
            "POST",
            f"/v1/payments/{quote(id, safe='')}/undo/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncPayments:
    """Payments of invoices."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        payer: str | None = None,
        invoice: str | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.PaymentResource]:
        """List payments, newest first.

        `GET /v1/payments/`
        """
        return AsyncListing(
            self._connection,
            types.PaymentResource,
            "/v1/payments/",
            {"cursor": cursor, "limit": limit, "payer": payer, "invoice": invoice},
            if_none_match,
        )

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.PaymentCreate]
    ) -> types.PaymentResource:
        """Record a payment.

        `POST /v1/payments/`
        """
        return await self._connection.call(
            types.PaymentResource,
            "POST",
            "/v1/payments/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.PaymentResource:
        """Retrieve a payment.

        `GET /v1/payments/{id}/`
        """
        return await self._connection.call(
            types.PaymentResource,
            "GET",
            f"/v1/payments/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    async def undo(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.PaymentResource:
        """Undo a payment that was recorded by mistake.

        `POST /v1/payments/{id}/undo/`
        """
        return await self._connection.call(
            types.PaymentResource,
            "POST",
            f"/v1/payments/{quote(id, safe='')}/undo/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
