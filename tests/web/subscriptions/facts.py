"""What the tests of these pages look up."""

from typing import Any

from tests.conftest import Cast
from tests.support.factories import copies_of, made


async def cancel(cast: Cast, id: str) -> None:
    """Cancel a subscription by the API."""
    made(await cast.post(f"/v1/subscriptions/{id}/cancel/", {"mode": "cancel"}))


async def mark(cast: Cast, id: str, *numbers: int) -> None:
    """Mark copies of a subscription as sent."""
    ids = [copy["id"] for copy in await copies_of(cast, id) if copy["issue"]["number"] in numbers]
    assert len(ids) == len(numbers)
    made(await cast.post("/v1/copies/mark-sent/", {"ids": ids}))


async def shown(cast: Cast, id: str) -> dict[str, Any]:
    """A subscription, as the API shows it."""
    body: dict[str, Any] = (await cast.get(f"/v1/subscriptions/{id}/")).json()
    return body


async def statuses(cast: Cast, id: str) -> dict[int, str]:
    """The status of each copy of a subscription, by issue."""
    return {copy["issue"]["number"]: copy["status"] for copy in await copies_of(cast, id)}


async def rows_of(cast: Cast, table: str) -> list[Any]:
    """The rows of the account in a table, oldest first."""
    sql = f"SELECT * FROM {table} WHERE account_id = :account ORDER BY id"  # noqa: S608
    return await cast.db.fetch_all(sql, {"account": cast.account_id})
