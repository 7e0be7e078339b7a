"""Webhooks: addresses to which masthead sends the events.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Webhooks:
    """Webhooks: addresses to which masthead sends the events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self, *, cursor: str | None = None, limit: int = 200, if_none_match: str | None = None
    ) -> Listing[types.Webhook]:
        """List webhooks, newest first.

        `GET /v1/webhooks/`
        """
        return Listing(
            self._connection,
            types.Webhook,
            "/v1/webhooks/",
            {"cursor": cursor, "limit": limit},
            if_none_match,
        )

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.WebhookCreate]
    ) -> types.WebhookSecret:
        """Create a webhook.

        `POST /v1/webhooks/`
        """
        return self._connection.call(
            types.WebhookSecret,
            "POST",
            "/v1/webhooks/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Webhook:
        """Retrieve a webhook.

        `GET /v1/webhooks/{id}/`
        """
        return self._connection.call(
            types.Webhook, "GET", f"/v1/webhooks/{quote(id, safe='')}/", if_none_match=if_none_match
        )

    def update(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.WebhookUpdate],
    ) -> types.Webhook:
        """Change, enable or disable a webhook.

        `PATCH /v1/webhooks/{id}/`
        """
        return self._connection.call(
            types.Webhook,
            "PATCH",
            f"/v1/webhooks/{quote(id, safe='')}/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def rotate_secret(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.WebhookRotate],
    ) -> types.WebhookSecret:
        """Replace the secret of a webhook.

        `POST /v1/webhooks/{id}/rotate/`
        """
        return self._connection.call(
            types.WebhookSecret,
            "POST",
            f"/v1/webhooks/{quote(id, safe='')}/rotate/",
            body=fields or None,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def send_test(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.WebhookDelivery:
        """Send a test to a webhook.

        `POST /v1/webhooks/{id}/test/`
        """
        return self._connection.call(
            types.WebhookDelivery,
            "POST",
            f"/v1/webhooks/{quote(id, safe='')}/test/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def list_deliveries(
        self,
        id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int = 200,
        status: types.MessageStatus | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.WebhookDelivery]:
        """List the messages that were sent to a webhook.

        `GET /v1/webhooks/{id}/deliveries/`
        """
        return Listing(
            self._connection,
            types.WebhookDelivery,
            f"/v1/webhooks/{quote(id, safe='')}/deliveries/",
            {"cursor": cursor, "limit": limit, "status": status},
            if_none_match,
        )

    def resend_events(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.WebhookResend],
    ) -> types.WebhookResent:
        """Send events to a webhook again.

        `POST /v1/webhooks/{id}/resend/`
        """
        return self._connection.call(
            types.WebhookResent,
            "POST",
            f"/v1/webhooks/{quote(id, safe='')}/resend/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def delete(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.Webhook:
        """Delete a webhook.

        `POST /v1/webhooks/{id}/delete/`
        """
        return self._connection.call(
            types.Webhook,
            "POST",
            f"/v1/webhooks/{quote(id, safe='')}/delete/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncWebhooks:
    """Webhooks: addresses to which masthead sends the events."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self, *, cursor: str | None = None, limit: int = 200, if_none_match: str | None = None
    ) -> AsyncListing[types.Webhook]:
        """List webhooks, newest first.

        `GET /v1/webhooks/`
        """
        return AsyncListing(
            self._connection,
            types.Webhook,
            "/v1/webhooks/",
            {"cursor": cursor, "limit": limit},
            if_none_match,
        )

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.WebhookCreate]
    ) -> types.WebhookSecret:
        """Create a webhook.

        `POST /v1/webhooks/`
        """
        return await self._connection.call(
            types.WebhookSecret,
            "POST",
            "/v1/webhooks/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Webhook:
        """Retrieve a webhook.

        `GET /v1/webhooks/{id}/`
        """
        return await self._connection.call(
            types.Webhook, "GET", f"/v1/webhooks/{quote(id, safe='')}/", if_none_match=if_none_match
        )

    async def update(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.WebhookUpdate],
    ) -> types.Webhook:
        """Change, enable or disable a webhook.

        `PATCH /v1/webhooks/{id}/`
        """
        return await self._connection.call(
            types.Webhook,
            "PATCH",
            f"/v1/webhooks/{quote(id, safe='')}/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def rotate_secret(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.WebhookRotate],
    ) -> types.WebhookSecret:
        """Replace the secret of a webhook.

        `POST /v1/webhooks/{id}/rotate/`
        """
        return await self._connection.call(
            types.WebhookSecret,
            "POST",
            f"/v1/webhooks/{quote(id, safe='')}/rotate/",
            body=fields or None,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def send_test(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.WebhookDelivery:
        """Send a test to a webhook.

        `POST /v1/webhooks/{id}/test/`
        """
        return await self._connection.call(
            types.WebhookDelivery,
            "POST",
            f"/v1/webhooks/{quote(id, safe='')}/test/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def list_deliveries(
        self,
        id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int = 200,
        status: types.MessageStatus | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.WebhookDelivery]:
        """List the messages that were sent to a webhook.

        `GET /v1/webhooks/{id}/deliveries/`
        """
        return AsyncListing(
            self._connection,
            types.WebhookDelivery,
            f"/v1/webhooks/{quote(id, safe='')}/deliveries/",
            {"cursor": cursor, "limit": limit, "status": status},
            if_none_match,
        )

    async def resend_events(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.WebhookResend],
    ) -> types.WebhookResent:
        """Send events to a webhook again.

        `POST /v1/webhooks/{id}/resend/`
        """
        return await self._connection.call(
            types.WebhookResent,
            "POST",
            f"/v1/webhooks/{quote(id, safe='')}/resend/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def delete(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.Webhook:
        """Delete a webhook.

        `POST /v1/webhooks/{id}/delete/`
        """
        return await self._connection.call(
            types.Webhook,
            "POST",
            f"/v1/webhooks/{quote(id, safe='')}/delete/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
