"""Prices of products from a day on: stored, changed, deleted, recorded, exported."""

from datetime import date, timedelta
from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound
from masthead.model.history.entries import RecordNames
from masthead.model.history.fields import changes_in_log
from masthead.model.orders.offers import Offer, Prices
from masthead.model.translations import in_language
from masthead.services import products
from masthead.services.product_prices import delete_prices
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.services.test_product_offers import EUROPE, HOME, offer, prices_of
from tests.services.test_products import trail

TODAY = now().date()
YESTERDAY, SOON, LATER = (TODAY + timedelta(days=days) for days in (-1, 30, 60))


async def save(cast: Cast, id: str, prices: Prices, **days: Any) -> None:
    """Save prices of a product. days: `prices_from`, `replaced`."""
    await products.update_product(
        cast.db,
        cast.account_id,
        id,
        name="Year",
        benefits=[],
        offer=Offer(prices=prices),
        by=BY,
        **days,
    )


async def age(cast: Cast) -> None:
    """Let all products be from the day before."""

    async def work(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE product SET created_at = :moment WHERE account_id = :account_id",
            {"account_id": cast.account_id, "moment": now() - timedelta(days=2)},
        )

    await cast.db.write(work)


async def words(cast: Cast, id: str) -> str:
    """The newest change of a product, as the audit log shows it."""
    _action, before, after = (await trail(cast, id))[-1]
    with in_language("en_GB"):
        [change] = changes_in_log("product.update", before, after, RecordNames({}, {}))
    return f"{change.label}: {change.before} → {change.after}"


async def test_prices_from_a_day_on_leave_those_before_as_they_are(acme: Cast) -> None:
    id = await offer(acme, prices={HOME: 4800, EUROPE: 5200})
    await save(acme, id, {HOME: 4800, EUROPE: 5600}, prices_from=SOON)
    assert await prices_of(acme, id) == {HOME: 4800, EUROPE: 5200}
    before, on = SOON - timedelta(days=1), SOON
    assert await prices_of(acme, id, day=before) == {HOME: 4800, EUROPE: 5200}
    assert await prices_of(acme, id, day=on) == {HOME: 4800, EUROPE: 5600}
    day = f"{SOON.day} {SOON:%B} {SOON.year}"
    assert await words(acme, id) == f"Price Europe, print: €52.00 → €56.00 from {day}"


async def test_prices_of_today_do_not_change_those_of_yesterday(acme: Cast) -> None:
    id = await offer(acme, prices={HOME: 4800})
    await age(acme)
    for price in (5000, 5200):  # the second one corrects the first one
        await save(acme, id, {HOME: price})
    assert await prices_of(acme, id) == {HOME: 5200}
    assert await prices_of(acme, id, day=YESTERDAY) == {HOME: 4800}


async def test_the_first_prices_also_hold_for_the_days_before(acme: Cast) -> None:
    id = await offer(acme)
    await age(acme)
    await save(acme, id, {HOME: 4800})
    assert await prices_of(acme, id, day=date(2020, 1, 1)) == {HOME: 4800}


async def test_coming_prices_are_changed_moved_and_deleted(acme: Cast) -> None:
    id = await offer(acme, prices={HOME: 4800})
    await save(acme, id, {HOME: 5200}, prices_from=SOON)
    await save(acme, id, {HOME: 5300}, prices_from=SOON, replaced=SOON)
    assert await prices_of(acme, id, day=SOON) == {HOME: 5300}
    await save(acme, id, {HOME: 5300}, prices_from=LATER, replaced=SOON)
    assert await prices_of(acme, id, day=SOON) == {HOME: 4800}
    assert await prices_of(acme, id, day=LATER) == {HOME: 5300}
    month = f"{LATER.day} {LATER:%B} {LATER.year}"
    assert (await words(acme, id)).endswith(f"→ €53.00 from {month}")
    await delete_prices(acme.db, acme.account_id, id, LATER, by=BY)
    assert await prices_of(acme, id, day=LATER) == {HOME: 4800}
    assert await words(acme, id) == f"Price your country, print: €53.00 from {month} → "
    with pytest.raises(NotFound):
        await delete_prices(acme.db, acme.account_id, id, LATER, by=BY)


async def test_a_product_can_stop_being_sold_somewhere(acme: Cast) -> None:
    id = await offer(acme, prices={HOME: 4800, EUROPE: 5200})
    await save(acme, id, {HOME: 4800}, prices_from=SOON)
    assert await prices_of(acme, id, day=SOON) == {HOME: 4800}
    assert (await words(acme, id)).startswith("Price Europe, print: €52.00 → none from ")


@pytest.mark.parametrize(
    "prices, days",
    [
        ({HOME: 5000}, {"prices_from": YESTERDAY}),
        ({HOME: 4800}, {"prices_from": LATER}),
        ({HOME: 5000}, {"prices_from": SOON}),
    ],
    ids=["past", "the same as today", "there are some"],
)
async def test_refused_prices_change_nothing(
    acme: Cast, prices: Prices, days: dict[str, Any]
) -> None:
    id = await offer(acme, prices={HOME: 4800})
    await save(acme, id, {HOME: 5200}, prices_from=SOON)
    days_to_check = (YESTERDAY, TODAY, SOON, LATER)
    kept = [await prices_of(acme, id, day=day) for day in days_to_check]
    with pytest.raises(Invalid) as refused:
        await save(acme, id, prices, **days)
    assert refused.value.field == "prices_from"
    assert [await prices_of(acme, id, day=day) for day in days_to_check] == kept


async def test_prices_that_hold_already_are_not_deleted(acme: Cast) -> None:
    id = await offer(acme, prices={HOME: 4800})
    await age(acme)
    await save(acme, id, {HOME: 5200})
    with pytest.raises(Invalid, match="hold already"):
        await delete_prices(acme.db, acme.account_id, id, now().date(), by=BY)
