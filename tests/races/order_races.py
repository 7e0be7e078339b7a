"""The races of orders that staff enter: the same order, reader or giver twice."""

from collections.abc import Awaitable
from typing import Any

from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.order import Terms
from masthead.model.validation import decode_input
from masthead.services.orders.enter import EnteredOrder, enter_order
from tests.conftest import BY, Cast
from tests.races.dispatch_races import outcomes
from tests.races.races import Race
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, manual
from tests.support.walk import walk

WHERE = {"address1": "1 Mill Lane", "city": "Ulm", "country": "DE"}


def enter(cast: Cast, number: int, **fields: Any) -> Awaitable[EnteredOrder]:
    """Enter an order of a reader in a town of their own, from an issue on."""
    where = {**WHERE, "postcode": f"{number:05}"}
    body = manual(cast, start_issue=number, first_name="Ada", last_name="Byron", **where, **fields)
    return enter_order(
        cast.db,
        cast.account_id,
        decode_input(OrderEntry, body),
        terms=Terms(cast.currency, PLACEHOLDER_DOMAIN),
        by=BY,
    )


async def readers(cast: Cast, search: str) -> int:
    """How many subscribers match a search."""
    return len(await walk(cast, "/v1/subscribers/", search=search))


async def same_order(one: Cast, two: Cast, number: int) -> None:
    """Two people enter an order with the same order id at once: it is placed once."""
    await make_issue(one, number)
    refused = {"duplicate_order_id", "likely_duplicates"}
    writes = [enter(cast, number, order_id=f"X{number}", copies=2) for cast in (one, two)]
    assert len(await outcomes(*writes, refused=refused)) == 1
    assert len(await walk(one, "/v1/subscriptions/", search=f"X{number}")) == 2


async def same_reader(one: Cast, two: Cast, number: int) -> None:
    """Two people enter orders of one reader without an email: the second one is asked."""
    await make_issue(one, number)
    writes = [enter(cast, number) for cast in (one, two)]
    assert len(await outcomes(*writes, refused={"likely_duplicates"})) == 1
    assert await readers(one, f"{number:05}") == 1


async def same_giver(one: Cast, two: Cast, number: int) -> None:
    """Two people enter gifts of one giver without an email: the second one is asked."""
    await make_issue(one, number)
    gift = {"is_gift": True, "gifter_first_name": "Bob", "gifter_last_name": f"Miller{number}x"}
    writes = [
        enter(cast, number, **gift, email=f"{name}{number}@example.test", new_reader="")
        for name, cast in (("a", one), ("b", two))
    ]
    done = await outcomes(*writes, refused={"likely_duplicates"})
    assert len(done) == 1
    assert await readers(one, f"miller{number}x") == 1


ORDER_RACES: list[Race] = [same_order, same_reader, same_giver]
