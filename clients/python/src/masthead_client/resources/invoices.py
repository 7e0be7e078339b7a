"""Invoices and credit notes: what payers owe for orders.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Invoices:
    """Invoices and credit notes: what payers owe for orders."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        payer: str | None = None,
        subscription: str | None = None,
        kind: types.DocumentKind | None = None,
        status: types.InvoiceStatus | None = None,
        number: str | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.InvoiceResource]:
        """List invoices and credit notes, newest first.

        `GET /v1/invoices/`
        """
        return Listing(
            self._connection,
            types.InvoiceResource,
            "/v1/invoices/",
            {
                "cursor": cursor,
                "limit": limit,
                "payer": payer,
                "subscription": subscription,
                "kind": kind,
                "status": status,
                "number": number,
            },
            if_none_match,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.InvoiceResource:
        """Retrieve an invoice or a credit note.

        `GET /v1/invoices/{id}/`
        """
        return self._connection.call(
            types.InvoiceResource,
            "GET",
            f"/v1/invoices/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    def credit(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.CreditCreate],
    ) -> types.InvoiceResource:
        """Issue a credit note for an invoice.

        `POST /v1/invoices/{id}/credit/`
        """
        return self._connection.call(
            types.InvoiceResource,
            "POST",
            f"/v1/invoices/{quote(id, safe='')}/credit/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncInvoices:
    """Invoices and credit notes: what payers owe for orders."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        payer: str | None = None,
        subscription: str | None = None,
        kind: types.DocumentKind | None = None,
        status: types.InvoiceStatus | None = None,
        number: str | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.InvoiceResource]:
        """List invoices and credit notes, newest first.

        `GET /v1/invoices/`
        """
        return AsyncListing(
            self._connection,
            types.InvoiceResource,
            "/v1/invoices/",
            {
                "cursor": cursor,
                "limit": limit,
                "payer": payer,
                "subscription": subscription,
                "kind": kind,
                "status": status,
                "number": number,
            },
            if_none_match,
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.InvoiceResource:
        """Retrieve an invoice or a credit note.

        `GET /v1/invoices/{id}/`
        """
        return await self._connection.call(
            types.InvoiceResource,
            "GET",
            f"/v1/invoices/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    async def credit(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.CreditCreate],
    ) -> types.InvoiceResource:
        """Issue a credit note for an invoice.

        `POST /v1/invoices/{id}/credit/`
        """
        return await self._connection.call(
            types.InvoiceResource,
            "POST",
            f"/v1/invoices/{quote(id, safe='')}/credit/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
