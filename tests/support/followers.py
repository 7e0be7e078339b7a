"""A program that keeps a copy of a list in step by `updated_since`."""

from collections.abc import Collection
from typing import Any

from tests.conftest import Cast
from tests.support.walk import page_of, walk

LONG_AGO = "1970-01-01"
PATHS = ("/v1/subscriptions/", "/v1/subscribers/", "/v1/issues/")


class Follower:
    """What a program knows of a list, by id, and the moment from which it asks the next time."""

    def __init__(self, cast: Cast, path: str) -> None:
        self._cast, self._path, self.since = cast, path, LONG_AGO
        self.known = dict[str, dict[str, Any]]()

    async def follow(self) -> set[str]:
        """Read what changed; returns the ids that were listed."""
        query = {"updated_since": self.since, "limit": 200}
        response = await self._cast.get(self._path, **query)
        self.since = response.headers["next-updated-since"]
        page = page_of(response)
        listed = {each["id"]: each for each in page["items"]}
        while page["has_more"]:
            response = await self._cast.get(self._path, **query, cursor=page["cursor"])
            assert "next-updated-since" not in response.headers, "it would be too late"
            page = page_of(response)
            listed |= {each["id"]: each for each in page["items"]}
        self.known |= listed
        return set(listed)

    def list_missed(self, records: Collection[dict[str, Any]]) -> list[dict[str, Any]]:
        """The records that it does not know as they are now."""
        return [each for each in records if self.known.get(each["id"]) != each]


class Followers:
    """Followers of all lists that have `updated_since`."""

    def __init__(self, cast: Cast) -> None:
        self._cast, self._followers = cast, {path: Follower(cast, path) for path in PATHS}

    async def follow(self) -> list[dict[str, Any]]:
        """Read what changed; returns what they do not know as the lists show it."""
        missed = list[dict[str, Any]]()
        for path, follower in self._followers.items():
            await follower.follow()
            missed += follower.list_missed(await walk(self._cast, path, limit=200))
        return missed
