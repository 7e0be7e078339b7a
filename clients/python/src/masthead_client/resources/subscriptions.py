"""Subscriptions for a number of issues, and memberships for a period of time.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from collections.abc import Sequence
from typing import Unpack
from urllib.parse import quote

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import AsyncListing, Listing


class Subscriptions:
    """Subscriptions for a number of issues, and memberships for a period of time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        subscriber: str | None = None,
        country: types.CountryCode | None = None,
        source: str | None = None,
        is_gift: bool | None = None,
        search: str | None = None,
        status: Sequence[types.SubscriptionStatus] | None = None,
        type: types.SubscriptionType | None = None,
        next_charge_before: types.Date | None = None,
        order_id: str | None = None,
        email: str | None = None,
        updated_since: types.Moment | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.Subscription]:
        """List subscriptions, newest first.

        `GET /v1/subscriptions/`
        """
        return Listing(
            self._connection,
            types.Subscription,
            "/v1/subscriptions/",
            {
                "cursor": cursor,
                "limit": limit,
                "subscriber": subscriber,
                "country": country,
                "source": source,
                "is_gift": is_gift,
                "search": search,
                "status": status,
                "type": type,
                "next_charge_before": next_charge_before,
                "order_id": order_id,
                "email": email,
                "updated_since": updated_since,
            },
            if_none_match,
        )

    def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.SubscriptionCreate]
    ) -> types.Subscription:
        """Create a manual subscription.

        `POST /v1/subscriptions/`
        """
        return self._connection.call(
            types.Subscription,
            "POST",
            "/v1/subscriptions/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Subscription:
        """Retrieve a subscription.

        `GET /v1/subscriptions/{id}/`
        """
        return self._connection.call(
            types.Subscription,
            "GET",
            f"/v1/subscriptions/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    def update(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.SubscriptionUpdate],
    ) -> types.Subscription:
        """Update a subscription.

        `PATCH /v1/subscriptions/{id}/`
        """
        return self._connection.call(
            types.Subscription,
            "PATCH",
            f"/v1/subscriptions/{quote(id, safe='')}/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def cancel(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.SubscriptionCancel],
    ) -> types.Subscription:
        """Cancel a subscription or stop its renewals.

        `POST /v1/subscriptions/{id}/cancel/`
        """
        return self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/cancel/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def renew(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.RenewalCreate],
    ) -> types.Subscription:
        """Renew a subscription.

        `POST /v1/subscriptions/{id}/renewals/`
        """
        return self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/renewals/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def get_status(
        self, id: str, /, *, if_none_match: str | None = None
    ) -> types.SubscriptionState:
        """Retrieve the status of a subscription (no API key needed).

        `GET /v1/subscriptions/{id}/status/`
        """
        return self._connection.call(
            types.SubscriptionState,
            "GET",
            f"/v1/subscriptions/{quote(id, safe='')}/status/",
            if_none_match=if_none_match,
        )

    def update_terms(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.TermsUpdate],
    ) -> types.Subscription:
        """Correct the medium, the start issue or the length.

        `POST /v1/subscriptions/{id}/terms/`
        """
        return self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/terms/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def reopen(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.Subscription:
        """Reopen a cancelled subscription.

        `POST /v1/subscriptions/{id}/reopen/`
        """
        return self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/reopen/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def move(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.SubscriptionMove],
    ) -> types.Subscription:
        """Give a subscription to another subscriber.

        `POST /v1/subscriptions/{id}/move/`
        """
        return self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/move/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def change_price(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.PriceChange],
    ) -> types.Subscription:
        """Change the price of an order.

        `POST /v1/subscriptions/{id}/price/`
        """
        return self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/price/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def list_refunds(
        self, id: str, /, *, if_none_match: str | None = None
    ) -> Listing[types.RefundResource]:
        """List the refunds of a subscription.

        `GET /v1/subscriptions/{id}/refunds/`
        """
        return Listing(
            self._connection,
            types.RefundResource,
            f"/v1/subscriptions/{quote(id, safe='')}/refunds/",
            {},
            if_none_match,
        )

    def create_refund(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.RefundCreate],
    ) -> types.RefundList:
        """Record a refund.

        `POST /v1/subscriptions/{id}/refunds/`
        """
        return self._connection.call(
            types.RefundList,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/refunds/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )


class AsyncSubscriptions:
    """Subscriptions for a number of issues, and memberships for a period of time."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        subscriber: str | None = None,
        country: types.CountryCode | None = None,
        source: str | None = None,
        is_gift: bool | None = None,
        search: str | None = None,
        status: Sequence[types.SubscriptionStatus] | None = None,
        type: types.SubscriptionType | None = None,
        next_charge_before: types.Date | None = None,
        order_id: str | None = None,
        email: str | None = None,
        updated_since: types.Moment | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.Subscription]:
        """List subscriptions, newest first.

        `GET /v1/subscriptions/`
        """
        return AsyncListing(
            self._connection,
            types.Subscription,
            "/v1/subscriptions/",
            {
                "cursor": cursor,
                "limit": limit,
                "subscriber": subscriber,
                "country": country,
                "source": source,
                "is_gift": is_gift,
                "search": search,
                "status": status,
                "type": type,
                "next_charge_before": next_charge_before,
                "order_id": order_id,
                "email": email,
                "updated_since": updated_since,
            },
            if_none_match,
        )

    async def create(
        self, *, idempotency_key: str | None = None, **fields: Unpack[types.SubscriptionCreate]
    ) -> types.Subscription:
        """Create a manual subscription.

        `POST /v1/subscriptions/`
        """
        return await self._connection.call(
            types.Subscription,
            "POST",
            "/v1/subscriptions/",
            body=fields,
            idempotency_key=idempotency_key,
        )

    async def get(self, id: str, /, *, if_none_match: str | None = None) -> types.Subscription:
        """Retrieve a subscription.

        `GET /v1/subscriptions/{id}/`
        """
        return await self._connection.call(
            types.Subscription,
            "GET",
            f"/v1/subscriptions/{quote(id, safe='')}/",
            if_none_match=if_none_match,
        )

    async def update(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.SubscriptionUpdate],
    ) -> types.Subscription:
        """Update a subscription.

        `PATCH /v1/subscriptions/{id}/`
        """
        return await self._connection.call(
            types.Subscription,
            "PATCH",
            f"/v1/subscriptions/{quote(id, safe='')}/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def cancel(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.SubscriptionCancel],
    ) -> types.Subscription:
        """Cancel a subscription or stop its renewals.

        `POST /v1/subscriptions/{id}/cancel/`
        """
        return await self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/cancel/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def renew(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.RenewalCreate],
    ) -> types.Subscription:
        """Renew a subscription.

        `POST /v1/subscriptions/{id}/renewals/`
        """
        return await self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/renewals/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def get_status(
        self, id: str, /, *, if_none_match: str | None = None
    ) -> types.SubscriptionState:
        """Retrieve the status of a subscription (no API key needed).

        `GET /v1/subscriptions/{id}/status/`
        """
        return await self._connection.call(
            types.SubscriptionState,
            "GET",
            f"/v1/subscriptions/{quote(id, safe='')}/status/",
            if_none_match=if_none_match,
        )

    async def update_terms(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.TermsUpdate],
    ) -> types.Subscription:
        """Correct the medium, the start issue or the length.

        `POST /v1/subscriptions/{id}/terms/`
        """
        return await self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/terms/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def reopen(
        self, id: str, /, *, idempotency_key: str | None = None, if_match: str | None = None
    ) -> types.Subscription:
        """Reopen a cancelled subscription.

        `POST /v1/subscriptions/{id}/reopen/`
        """
        return await self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/reopen/",
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def move(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.SubscriptionMove],
    ) -> types.Subscription:
        """Give a subscription to another subscriber.

        `POST /v1/subscriptions/{id}/move/`
        """
        return await self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/move/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    async def change_price(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.PriceChange],
    ) -> types.Subscription:
        """Change the price of an order.

        `POST /v1/subscriptions/{id}/price/`
        """
        return await self._connection.call(
            types.Subscription,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/price/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )

    def list_refunds(
        self, id: str, /, *, if_none_match: str | None = None
    ) -> AsyncListing[types.RefundResource]:
        """List the refunds of a subscription.

        `GET /v1/subscriptions/{id}/refunds/`
        """
        return AsyncListing(
            self._connection,
            types.RefundResource,
            f"/v1/subscriptions/{quote(id, safe='')}/refunds/",
            {},
            if_none_match,
        )

    async def create_refund(
        self,
        id: str,
        /,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **fields: Unpack[types.RefundCreate],
    ) -> types.RefundList:
        """Record a refund.

        `POST /v1/subscriptions/{id}/refunds/`
        """
        return await self._connection.call(
            types.RefundList,
            "POST",
            f"/v1/subscriptions/{quote(id, safe='')}/refunds/",
            body=fields,
            idempotency_key=idempotency_key,
            if_match=if_match,
        )
