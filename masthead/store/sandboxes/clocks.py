"""The clocks of sandboxes. What is done on a day is in `services.sandboxes`."""

from datetime import date, timedelta

from masthead.model.clock import now
from masthead.model.sandboxes import Sandbox, SandboxData
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one


async def is_sandbox(db: Connection, account_id: int) -> bool:
    """Whether an account is a sandbox. Queries: one."""
    row = await db.fetch_one(
        "SELECT is_sandbox FROM account WHERE id = :account_id", {"account_id": account_id}
    )
    assert row is not None
    return bool(row["is_sandbox"])


async def find_sandbox(db: Connection, account_id: int) -> Sandbox | None:
    """The clock of an account; None if it is no sandbox. Queries: one."""
    return await fetch_one(
        db,
        """
        SELECT data, first_date, done_date, goal_date, source_id, is_automatic
        FROM sandbox
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
        into=Sandbox,
    )


async def insert_sandbox(
    tx: Transaction, account_id: int, *, data: SandboxData, first_date: date, source_id: str
) -> None:
    """Add the clock of a new sandbox. source_id: of the shop that it charges itself."""
    row = {
        "account_id": account_id,
        "data": data.value,
        "first_date": first_date,
        "done_date": first_date,
        "goal_date": first_date,
        "source_id": source_id,
        "created_at": now(),
    }
    await tx.insert_rows("sandbox", [row])


async def update_goal(tx: Transaction, account_id: int, goal: date, *, is_automatic: bool) -> None:
    """Store the day to which a clock moves, and whether the sandbox sends by itself."""
    await tx.execute(
        """
        UPDATE sandbox
        SET goal_date = :goal, is_automatic = :is_automatic
        WHERE account_id = :account_id
        """,
        {"account_id": account_id, "goal": goal, "is_automatic": is_automatic},
    )


async def update_done(tx: Transaction, account_id: int, day: date) -> None:
    """Store that everything of a day was done, unless the clock is elsewhere by now."""
    await tx.execute(
        """
        UPDATE sandbox
        SET done_date = :day
        WHERE account_id = :account_id AND done_date = :before AND goal_date >= :day
        """,
        {"account_id": account_id, "day": day, "before": day - timedelta(days=1)},
    )


async def count_sandboxes(db: Connection, user_ids: list[str]) -> tuple[int, int]:
    """The number of sandboxes, and of those that a user owns. Reads only the reference tables."""
    row = await db.fetch_one(
        """
        SELECT
            count(DISTINCT a.id) AS count,
            count(DISTINCT CASE WHEN m.user_id IN (:ids...) AND m.role = 'owner' THEN a.id END)
                AS own
        FROM account a
        LEFT JOIN account_user m ON m.account_id = a.id
        WHERE a.is_sandbox
        """,
        {"ids": user_ids},
    )
    assert row is not None
    return int(row["count"]), int(row["own"])


async def find_next_issue(db: Connection, account_id: int, day: date) -> date | None:
    """The first release date after a day."""
    row = await db.fetch_one(
        """
        SELECT min(release_date_actual) AS release_date_actual
        FROM issue
        WHERE account_id = :account_id AND release_date_actual > :day
        """,
        {"account_id": account_id, "day": day},
    )
    assert row is not None
    found: date | None = row["release_date_actual"]
    return found
