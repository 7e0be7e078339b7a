"""The API key and its account.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from masthead_client import types
from masthead_client.connection import AsyncConnection, Connection


class Me:
    """The API key and its account."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, *, if_none_match: str | None = None) -> types.Me:
        """Retrieve the user, account and scope of the API key.

        `GET /v1/me/`
        """
        return self._connection.call(types.Me, "GET", "/v1/me/", if_none_match=if_none_match)


class AsyncMe:
    """The API key and its account."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(self, *, if_none_match: str | None = None) -> types.Me:
        """Retrieve the user, account and scope of the API key.

        `GET /v1/me/`
        """
        return await self._connection.call(types.Me, "GET", "/v1/me/", if_none_match=if_none_match)
