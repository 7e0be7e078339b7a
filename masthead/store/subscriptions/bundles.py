"""Bundles: subscriptions of one subscriber that belong together, such as those of a company."""

from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.text import Named
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


class BundledSubscription(Named, frozen=True, kw_only=True):
    """A subscription of a bundle."""

    id: str
    status: SubscriptionStatus
    city: str | None


async def list_bundle(db: Connection, account_id: int, bundle_id: str) -> list[BundledSubscription]:
    """The subscriptions of a bundle, oldest first. Queries: one. Index: subscription_by_bundle."""
    return await fetch_all(
        db,
        """
        SELECT id, status, first_name, last_name, company, city
        FROM subscription
        WHERE account_id = :account_id AND bundle_id = :bundle
        ORDER BY id
        """,
        {"account_id": account_id, "bundle": bundle_id},
        into=BundledSubscription,
    )


async def list_bundled(db: Connection, account_id: int) -> dict[str, str]:
    """The bundles of all subscriptions that are in one, by their ids. Queries: one.

    Index: subscription_by_bundle.
    """
    rows = await db.fetch_all(
        """
        SELECT id, bundle_id
        FROM subscription
        WHERE account_id = :account_id AND bundle_id IS NOT NULL
        """,
        {"account_id": account_id},
    )
    return {row["id"]: row["bundle_id"] for row in rows}
