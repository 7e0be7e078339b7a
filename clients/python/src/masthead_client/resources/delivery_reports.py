"""Delivery reports: what carriers say of copies, and holds on addresses.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class DeliveryReports:
    """Delivery reports: what carriers say of copies, and holds on addresses."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        kind: types.ReportKind | None = None,
        status: types.ReportStatus | None = None,
        subscriber: str | None = None,
        subscription: str | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.DeliveryReportResource]:
        """List delivery reports, newest first.

        `GET /v1/delivery-reports/`
        """
        return Listing(
            self._connection,
            types.DeliveryReportResource,
            "/v1/delivery-reports/",
            {
                "cursor": cursor,
                "limit": limit,
                "kind": kind,
                "status": status,
                "subscriber": subscriber,
                "subscription": subscription,
            },
            if_none_match,
        )

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.DeliveryReportsCreate]
    ) -> types.CarrierReportResults:
        """Report copies as shipped, undeliverable or moved.

        `POST /v1/delivery-reports/`
        """
        return self._connection.call(
            types.CarrierReportResults,
            "POST",
            "/v1/delivery-reports/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.DeliveryReportResource:
        """Retrieve a delivery report.

        `GET /v1/delivery-reports/{id}/`
        """
        return self._connection.call(
            types.DeliveryReportResource,
            "GET",
            f"/v1/delivery-reports/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    def accept(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.DeliveryReportResource:
        """Accept the new address of a delivery report.

        `POST /v1/delivery-reports/{id}/accept/`
        """
        return self._connection.call(
            types.DeliveryReportResource,
            "POST",
            f"/v1/delivery-reports/{quote(id, safe='')}/accept/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def dismiss(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.DeliveryReportResource:
        """Dismiss a delivery report and keep the address.

        `POST /v1/delivery-reports/{id}/dismiss/`
        """
        return self._connection.call(
            types.DeliveryReportResource,
            "POST",
            f"/v1/delivery-reports/{quote(id, safe='')}/dismiss/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncDeliveryReports:
    """Delivery reports: what carriers say of copies, and holds on addresses."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        kind: types.ReportKind | None = None,
        status: types.ReportStatus | None = None,
        subscriber: str | None = None,
        subscription: str | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.DeliveryReportResource]:
        """List delivery reports, newest first.

        `GET /v1/delivery-reports/`
        """
        return AsyncListing(
            self._connection,
            types.DeliveryReportResource,
            "/v1/delivery-reports/",
            {
                "cursor": cursor,
                "limit": limit,
                "kind": kind,
                "status": status,
                "subscriber": subscriber,
                "subscription": subscription,
            },
            if_none_match,
        )

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.DeliveryReportsCreate]
    ) -> types.CarrierReportResults:
        """Report copies as shipped, undeliverable or moved.

        `POST /v1/delivery-reports/`
        """
        return await self._connection.call(
            types.CarrierReportResults,
            "POST",
            "/v1/delivery-reports/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    async def get(
        self, id: str, /, *, if_none_match: str | None = None
    ) -> types.DeliveryReportResource:
        """Retrieve a delivery report.

        `GET /v1/delivery-reports/{id}/`
        """
        return await self._connection.call(
            types.DeliveryReportResource,
            "GET",
            f"/v1/delivery-reports/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    async def accept(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.DeliveryReportResource:
        """Accept the new address of a delivery report.

        `POST /v1/delivery-reports/{id}/accept/`
        """
        return await self._connection.call(
            types.DeliveryReportResource,
            "POST",
            f"/v1/delivery-reports/{quote(id, safe='')}/accept/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def dismiss(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.DeliveryReportResource:
        """Dismiss a delivery report and keep the address.

        `POST /v1/delivery-reports/{id}/dismiss/`
        """
        return await self._connection.call(
            types.DeliveryReportResource,
            "POST",
            f"/v1/delivery-reports/{quote(id, safe='')}/dismiss/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
