"""What the tests of the order page share."""

from typing import Any

from tests.conftest import Cast
from tests.support.walk import walk

WHERE = {"address1": "1 Mill Lane", "city": "Ulm", "postcode": "89073", "country": "DE"}
TYPED = {
    "email": "ada@example.test",
    "first_name": "Ada",
    **WHERE,
    "length": "4",
    "price": "42.00",
}


async def subscribers(cast: Cast) -> list[dict[str, Any]]:
    """All subscribers of an account."""
    return await walk(cast, "/v1/subscribers/", limit=200)


async def subscriptions(cast: Cast) -> list[dict[str, Any]]:
    """All subscriptions of an account, newest first."""
    return await walk(cast, "/v1/subscriptions/", limit=200)


async def columns_of(cast: Cast, table: str, columns: str) -> list[tuple[Any, ...]]:
    """Columns of all rows of a table in an account, in the order of their ids."""
    async with cast.db.read() as connection:
        rows = await connection.fetch_all(
            f"SELECT {columns} FROM {table} WHERE account_id = :account_id ORDER BY id",  # noqa: S608
            {"account_id": cast.account_id},
        )
    return [tuple(row.values()) for row in rows]
