"""Events: what happened to the records of the account, for programs.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection
from masthead_client.event_feed import AsyncEventFeed, EventFeed
from masthead_client.lists import AsyncListing, Listing


class Events(EventFeed):
    """Events: what happened to the records of the account, for programs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        type: types.PublicEventType | None = None,
        record: str | None = None,
        if_none_match: str | None = None,
    ) -> Listing[types.Event]:
        """List what happened in the account, oldest first.

        `GET /v1/events/`
        """
        return Listing(
            self._connection,
            types.Event,
            "/v1/events/",
            {"cursor": cursor, "limit": limit, "type": type, "record": record},
            if_none_match,
        )


class AsyncEvents(AsyncEventFeed):
    """Events: what happened to the records of the account, for programs."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = 200,
        type: types.PublicEventType | None = None,
        record: str | None = None,
        if_none_match: str | None = None,
    ) -> AsyncListing[types.Event]:
        """List what happened in the account, oldest first.

        `GET /v1/events/`
        """
        return AsyncListing(
            self._connection,
            types.Event,
            "/v1/events/",
            {"cursor": cursor, "limit": limit, "type": type, "record": record},
            if_none_match,
        )
