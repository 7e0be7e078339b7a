"""Accounts with random issues, orders, runs, reports and claims, for tests that compare answers."""

from datetime import date, timedelta
from random import Random

from msgspec import structs

from masthead.model.orders.order import Order, OrderDefaults
from masthead.model.types.enums import SubscriptionStatus
from masthead.services.holds import by_hand
from masthead.services.orders.place import place_orders
from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.factories import fresh_order_id, import_cells, make_issue
from tests.support.walk import walk

FIRST_ISSUES, LAST_ISSUE = 4, 6  # issues 5 and 6 are created after the orders
SUBSCRIBERS, ORDERS, GROUPS = 8, 24, 4  # groups: several copies for one address
DAYS = (None, None, -400, -90, -20, 0, 15, 90)  # of a release, from today
RECURRING = ("Past due", "Active - Renewals stopped")


async def make_random(cast: Cast, seed: int) -> date:
    """Fill an account; the same seed makes the same account. Returns the date of its daily pass."""
    chance = Random(seed)
    async with cast.db.read() as db:
        account = await accounts.get_account(db, cast.account_id)
    today = account.daily_date

    async def add_issue(number: int) -> None:
        ago = chance.choice(DAYS)
        released = None if ago is None else (today + timedelta(days=ago)).isoformat()
        await make_issue(cast, number, release_date_actual=released)

    for number in range(1, FIRST_ISSUES + 1):
        await add_issue(number)
    await _import_orders(cast, chance, today)
    for _ in range(GROUPS):
        await _order_copies(cast, chance, today)
    made = await walk(cast, "/v1/subscriptions/", limit=200)
    await _cancel(cast, chance, made)
    for number in range(FIRST_ISSUES + 1, LAST_ISSUE + 1):
        await add_issue(number)
    await _cancel(cast, chance, made)
    issues = await walk(cast, "/v1/issues/", limit=200)
    for issue in chance.sample(issues, 4):
        await _dispatch(cast, chance, issue["id"])
    copies = await walk(cast, "/v1/copies/", limit=200)
    for copy in chance.sample(copies, min(6, len(copies))):
        await cast.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    await _cancel(cast, chance, made)
    for each in chance.sample(made, 3):
        await by_hand.hold(cast.db, cast.account_id, each["id"], reason="Asked", by=BY)
    return today


async def _order_copies(cast: Cast, chance: Random, today: date) -> None:
    """Several copies for one address, of any status that orders can have."""
    first, count = fresh_order_id(), chance.randrange(2, 5)
    status, is_recurring = chance.choice(
        [(None, False), (None, True), *((SubscriptionStatus(each), True) for each in RECURRING)]
    )
    order = Order(
        order_id=first,
        order_date=today - timedelta(days=chance.randrange(400)),
        company="Harbour Books",
        country=chance.choice(["DE", "FR"]),
        email=f"desk{chance.randrange(SUBSCRIBERS)}@harbour.example",
        start_issue=chance.randrange(1, FIRST_ISSUES + 1),
        length=chance.randrange(1, 5),
        is_recurring=is_recurring,
        status=status,
        price=1000,
        currency="EUR",
        bundle=first,
    )
    others = [structs.replace(order, order_id=f"{first}-{place}") for place in range(2, count + 1)]
    defaults = OrderDefaults("EUR", "placeholder.example")

    async def work(tx: Transaction) -> None:
        account = await accounts.lock_account(tx, cast.account_id)
        await place_orders(tx, account, cast.shop, [order, *others], defaults=defaults, by=BY)

    await cast.db.write(work, account_id=cast.account_id)


async def _import_orders(cast: Cast, chance: Random, today: date) -> None:
    """Orders by number and memberships, some of which are renewed, with every status."""
    rows: list[dict[str, str]] = []
    for _ in range(ORDERS):
        is_recurring, is_comp = chance.random() < 0.5, chance.random() < 0.2
        row = {
            "order_id": fresh_order_id(),
            "order_date": (today - timedelta(days=chance.randrange(400))).isoformat(),
            "price": "0" if is_comp else "42.00",
            "is_comp": "yes" if is_comp else "no",
            "first_name": "Ada",
            "email": f"ada{chance.randrange(SUBSCRIBERS)}@example.test",
            "country": chance.choice(["DE", "FR", "JP"]),
            "city": chance.choice(["Ulm", ""]),
            "address1": "Weg 1",
            "medium": chance.choice(["Print", "Print + digital", "Digital"]),
            "is_recurring": "yes" if is_recurring else "no",
            "status": chance.choice(
                ["", "", "", "Cancelled", *(RECURRING if is_recurring else ())]
            ),
        }
        if chance.random() < 0.4:
            begins = today + timedelta(days=chance.choice([-800, -450, -100, -30, 20]))
            ends = begins + timedelta(days=chance.choice([40, 130, 400]))
            row |= {"type": "membership", "interval_months": "1"}
            row |= {"period_start": begins.isoformat(), "period_end": ends.isoformat()}
            again = {"period_start": (ends + timedelta(days=chance.choice([1, 100]))).isoformat()}
        else:
            row |= {"start_issue": str(chance.randrange(1, FIRST_ISSUES + 1))}
            row |= {"length": str(chance.randrange(1, 5))}
            again = {"length": str(chance.randrange(1, 3))}
        rows.append(row)
        if chance.random() < 0.3 and row["status"] != "Cancelled":
            names = ("order_date", "price", "first_name", "email", "country")
            renewal = {name: row[name] for name in names} | again
            rows.append({**renewal, "order_id": fresh_order_id(), "renews": row["order_id"]})
    _summary, rejects = await import_cells(cast, rows)
    assert not rejects


async def _cancel(cast: Cast, chance: Random, made: list[dict[str, object]]) -> None:
    for each in chance.sample(made, 3):
        mode = chance.choice(["cancel", "stop_renewals"] if each["is_recurring"] else ["cancel"])
        await cast.post(f"/v1/subscriptions/{each['id']}/cancel/", {"mode": mode})


async def _dispatch(cast: Cast, chance: Random, issue_id: str) -> None:
    """A run that is frozen, sent or discarded; reports and claims of its copies; some take all."""
    body = {"issue": issue_id}
    filters = chance.choice([{}, {}, {"countries": ["DE"]}, {"media": ["Print"]}])
    response = await cast.post("/v1/dispatches/", body | filters)
    if not response.is_success:
        return  # there was nothing to send
    id = response.json()["id"]
    lines = await walk(cast, f"/v1/dispatches/{id}/lines/", limit=200)
    end = chance.choice(["mark-sent", "mark-sent", "discard", None])
    if end:
        assert (await cast.post(f"/v1/dispatches/{id}/{end}/", {})).is_success
    for line in chance.sample(lines, min(3, len(lines))):
        if end == "mark-sent":
            body = {"copy": line["copy_id"], "reason": "never_arrived"}
            await cast.post("/v1/claims/", body | {"replacement": chance.choice([True, False])})
        report = {"copy": line["copy_id"], "kind": chance.choice(["undeliverable", "moved"])}
        await cast.post("/v1/delivery-reports/", {"reports": [report]})
