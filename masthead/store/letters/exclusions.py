"""Subscriptions that are left out of the letters of a stage, until they reach the next one."""

from collections.abc import Collection, Mapping
from datetime import datetime

from masthead.model.actors import Actor
from masthead.model.renewals.lapsed import RenewalStage
from masthead.store.engine.interface import Connection, Transaction


async def list_excluded(
    db: Connection, account_id: int, stage: RenewalStage, period_ids: Collection[int]
) -> set[int]:
    """Those of the periods that get no letter of the stage. Queries: one, or none for none."""
    if not period_ids:
        return set()
    rows = await db.fetch_all(
        """
        SELECT period_id
        FROM letter_exclusion
        WHERE account_id = :account_id
          AND stage = :stage
          AND period_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "stage": stage, "ids": list(period_ids)},
    )
    return {row["period_id"] for row in rows}


async def insert_excluded(
    tx: Transaction,
    account_id: int,
    stage: RenewalStage,
    subscriptions: Mapping[int, str],
    *,
    moment: datetime,
    by: Actor,
) -> None:
    """Leave periods out that are not left out yet. subscriptions: their ids, by period."""
    await tx.insert_rows(
        "letter_exclusion",
        [
            {
                "account_id": account_id,
                "stage": stage.value,
                "period_id": period_id,
                "subscription_id": subscription_id,
                "created_at": moment,
                "actor_kind": by.kind,
                "actor_id": by.id,
            }
            for period_id, subscription_id in subscriptions.items()
        ],
    )


async def delete_excluded(
    tx: Transaction, account_id: int, stage: RenewalStage, period_ids: Collection[int]
) -> None:
    """Include periods again. Queries: one."""
    await tx.execute(
        """
        DELETE FROM letter_exclusion
        WHERE account_id = :account_id
          AND stage = :stage
          AND period_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "stage": stage, "ids": list(period_ids)},
    )
