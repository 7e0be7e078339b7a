"""Finds the live subscriptions of a subscriber, to compare an order with them."""

from masthead.model.orders.overlaps import LivePeriod
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.subscriptions.bundles import FIRST_OF_GROUP


async def list_live_periods(
    db: Connection, account_id: int, subscriber_id: str
) -> list[LivePeriod]:
    """The periods of the live subscriptions of a subscriber, oldest first.

    Several copies for one address count as one. subscriber_id: also of a merged one.
    Queries: one. Index: subscription_by_subscriber.
    """
    return await fetch_all(
        db,
        f"""
        SELECT
            p.subscription_id,
            s.medium,
            p.first_issue,
            p.last_issue,
            p.period_start,
            p.period_end
        FROM subscription s
        JOIN period p ON p.account_id = s.account_id AND p.subscription_id = s.id
        WHERE s.account_id = :account_id
          AND s.subscriber_id = (
              SELECT coalesce(u.merged_into, u.id)
              FROM subscriber u
              WHERE u.account_id = :account_id AND u.id = :subscriber
          )
          AND s.status IN (:live...)
          AND {FIRST_OF_GROUP}
        ORDER BY p.subscription_id, p.id
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "subscriber": subscriber_id, "live": sorted(LIVE)},
        into=LivePeriod,
    )
