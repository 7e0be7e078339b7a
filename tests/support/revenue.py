"""Orders with refunds and cancellations of past days, for the tests of money."""

from datetime import date
from typing import Any

from masthead.model.clock import now
from masthead.model.ids import new_id
from masthead.model.revenue.statement_figures import Sums
from masthead.services.revenue import statements as service
from masthead.services.subscriptions.refunds import Refund, refund_order
from masthead.store.engine.interface import Transaction
from masthead.store.revenue.statements import Statement
from tests.conftest import BY, Cast
from tests.support.factories import import_row, make_issue, make_membership

DAY = date(2026, 6, 30)
TODAY = date(2027, 1, 1)


async def add_refund(cast: Cast, order_id: str, day: str, amount: int) -> None:
    """Refund a part of an order, in minor units, on a past day."""
    row = await cast.db.fetch_one(
        "SELECT id, subscription_id FROM period WHERE account_id = :a AND order_id = :order",
        {"a": cast.account_id, "order": order_id},
    )
    assert row is not None
    refund = Refund(amounts={row["id"]: amount}, day=date.fromisoformat(day), reason="a test")
    await refund_order(cast.db, cast.account_id, row["subscription_id"], refund, seen={}, by=BY)


async def add_cancellation(
    cast: Cast, subscription_id: str, day: str, reopened: str | None = None
) -> None:
    """Record that a subscription was cancelled on a past day, and perhaps reopened."""

    async def work(tx: Transaction) -> None:
        await tx.insert_rows(
            "cancellation",
            [
                {
                    "account_id": cast.account_id,
                    "id": new_id(cast.account_id),
                    "subscription_id": subscription_id,
                    "cancelled_date": date.fromisoformat(day),
                    "reason": "moved",
                    "status_before": "Active",
                    "created_at": now(),
                    "actor_kind": BY.kind,
                    "actor_id": BY.id,
                    "reopened_date": reopened and date.fromisoformat(reopened),
                }
            ],
        )

    await cast.db.write(work, account_id=cast.account_id)


async def make_orders(cast: Cast) -> dict[str, dict[str, Any]]:
    """Orders of every kind, before and after `DAY`: their subscriptions, by a name for each.

    Issues 1 to 4 exist, released on the first day of January to April.
    """
    for number in range(1, 5):
        await make_issue(cast, number, release_date_actual=f"2026-0{number}-01")
    sent = {"sent_issues": "1|2", "sent_dates": "2026-01-02|2026-02-02"}
    made = {
        "plain": await import_row(cast, order_id="PLAIN", start_issue="1", length="4", **sent),
        "odd": await import_row(
            cast, order_id="ODD", start_issue="1", length="6", price="100.01", **sent
        ),
        "dollars": await import_row(
            cast, order_id="USD", start_issue="2", length="3", price="30.00", currency="USD"
        ),
        "refunded": await import_row(
            cast, order_id="REFUND", start_issue="1", length="4", order_date="2026-02-01", **sent
        ),
        "ended": await import_row(
            cast, order_id="OVER", start_issue="1", length="8", price="80.00", **sent
        ),
        "back": await import_row(cast, order_id="REOPENED", start_issue="1", length="4"),
        "undated": await import_row(
            cast, order_id="NODATE", start_issue="1", length="2", sent_issues="1"
        ),
        "free": await import_row(
            cast, order_id="GRATIS", start_issue="1", length="4", price="0.00", **sent
        ),
        "later": await import_row(
            cast, order_id="LATER", start_issue="3", length="2", order_date="2026-08-01"
        ),
        "member": await make_membership(
            cast, order_id="CLUB", price="73.00", period_start="2026-01-01", period_end="2026-12-31"
        ),
        "left": await make_membership(
            cast, order_id="LEFT", price="73.00", period_start="2026-01-01", period_end="2026-12-31"
        ),
    }
    await add_refund(cast, "REFUND", "2026-03-01", 3000)
    await add_refund(cast, "REFUND", "2026-07-15", 500)
    await add_refund(cast, "CLUB", "2026-04-01", 1000)
    await add_cancellation(cast, made["ended"]["id"], "2026-05-05")
    await add_cancellation(cast, made["back"]["id"], "2026-05-05", "2026-06-01")
    await add_cancellation(cast, made["left"]["id"], "2026-01-10")
    return made


async def make_statement(cast: Cast, day: date = DAY) -> Statement:
    """Work out the statement of a day."""
    id = await service.request_statement(cast.db, cast.account_id, day, today=TODAY, by=BY)
    return await service.make_statement(cast.db, cast.account_id, id)


def is_balanced(sums: Sums) -> bool:
    """Whether the parts add up to the price."""
    return sums.earned + sums.deferred + sums.kept + sums.refunds + sums.vat == sums.price
