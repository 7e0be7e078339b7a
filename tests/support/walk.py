"""Read a list of the API page by page, as a client does."""

from typing import Any, Protocol

import httpx


class Getter(Protocol):
    """Sends GET requests with a key, as `Cast` does."""

    async def get(self, path: str, **params: object) -> httpx.Response:
        """GET with the given query parameters."""
        ...


def page_of(response: httpx.Response) -> dict[str, Any]:
    """Check the shape of a page of a list, and return it."""
    assert response.status_code == 200, response.text
    page: dict[str, Any] = response.json()
    assert set(page) == {"items", "has_more", "cursor"}
    assert isinstance(page["items"], list)
    assert page["has_more"] is (page["cursor"] is not None)
    return page


async def walk(cast: Getter, path: str, limit: int = 2, **params: object) -> list[dict[str, Any]]:
    """All items of all pages of a list, `limit` at a time."""
    page = page_of(await cast.get(path, limit=limit, **params))
    items: list[dict[str, Any]] = page["items"]
    while page["has_more"]:
        assert len(page["items"]) == limit
        page = page_of(await cast.get(path, limit=limit, cursor=page["cursor"], **params))
        assert page["items"], "a page after `has_more` has items"
        items += page["items"]
    return items
