"""What the shops in this folder share: a paid order becomes subscriptions in masthead, once.

Settings: MASTHEAD_URL, MASTHEAD_KEY (read-write), and MASTHEAD_SOURCE, the id of the source of the
shop, from `GET /v1/sources/`. PRODUCTS says which articles of the shop are subscriptions.
"""

import datetime
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from masthead_client import AsyncMasthead, BadRequest, MastheadError, types

# The number of issues and the medium, by SKU
PRODUCTS: dict[str, tuple[int, types.Medium]] = {
    "MAGAZINE-4": (4, "Print"),
    "MAGAZINE-4-PLUS": (4, "Print + digital"),
}


class WrongSignature(Exception):
    """A request is not from the shop."""


Handle = Callable[[AsyncMasthead, bytes, Headers], Awaitable[None]]


def connect() -> AsyncMasthead:
    """The client, with the address and the key in the environment."""
    return AsyncMasthead(os.environ["MASTHEAD_URL"], os.environ["MASTHEAD_KEY"])


async def find_start_issue(client: AsyncMasthead) -> int:
    """The newest issue whose `date_as_start_issue` has come; if none has, the newest issue."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    newest = None
    async for issue in client.issues.list():
        newest = newest or issue["number"]
        if issue["date_as_start_issue"] and issue["date_as_start_issue"] <= today:
            return issue["number"]
    if newest is None:
        raise MastheadError("There is no issue yet: create one first.")
    return newest


async def place(client: AsyncMasthead, order: types.OrderCreate, sku: str) -> None:
    """Create the subscriptions of an order of an article, from the current start issue on."""
    order["length"], order["medium"] = PRODUCTS[sku]
    order["start_issue"] = await find_start_issue(client)
    await once(client.orders.create(**order))


async def once(request: Awaitable[object]) -> None:
    """Send an order. If masthead has it, do nothing: shops send the same one again."""
    try:
        await request
    except BadRequest as error:
        if error.code != "duplicate_order_id":
            raise


def create_receiver(handle: Handle, secret: str) -> Starlette:
    """A program that receives the requests of a shop at `/orders`.

    It answers 401 if the signature is wrong, 422 if a person must correct the order, with the
    reason, and 503 if the shop should try again later. secret: the name of the setting with it.
    """
    for name in ("MASTHEAD_URL", "MASTHEAD_KEY", "MASTHEAD_SOURCE", secret):
        if not os.environ.get(name):
            raise SystemExit(f"{name} is not set.")
    client = connect()

    async def receive(request: Request) -> Response:
        try:
            await handle(client, await request.body(), request.headers)
        except WrongSignature:
            return PlainTextResponse("The signature is wrong.", 401)
        except MastheadError as error:
            logging.exception("An order is not in masthead yet")
            return PlainTextResponse(str(error), 422 if isinstance(error, BadRequest) else 503)
        return PlainTextResponse("")

    @asynccontextmanager
    async def close_at_end(_: Starlette) -> AsyncIterator[None]:
        yield
        await client.close()

    return Starlette(routes=[Route("/orders", receive, methods=["POST"])], lifespan=close_at_end)
