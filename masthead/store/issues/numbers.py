"""Delete an issue, or give it another number, with its copies."""

from msgspec import Struct

from masthead.store.engine.interface import Connection, Row, Transaction


class Obstacles(Struct, frozen=True):
    """The reasons why an issue cannot be deleted or renumbered.

    sent: copies that are sent. runs: those that are not discarded. reported: copies with a claim or
    a delivery report. starting: subscriptions that start with the issue.
    """

    sent: int
    runs: int
    reported: int
    starting: int

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.sent or self.runs or self.reported or self.starting)


class Effects(Struct, frozen=True):
    """What happens to the copies of an issue.

    deleted: copies that are deleted. kept: copies that get the new number. added: new copies.
    lists: subscriptions whose list of issues has the number. discarded_runs: are deleted, too.
    """

    deleted: int
    kept: int
    added: int
    lists: int
    discarded_runs: int


async def count_obstacles(db: Connection, account_id: int, number: int) -> Obstacles:
    """The obstacles of the issue with a number. Queries: one, read aside.

    Index: copy_by_issue, dispatch_number, claim_by_issue, delivery_report_by_copy.
    """
    [row] = await db.fetch_all(
        """
        SELECT
            (
                SELECT count(*)
                FROM copy c
                WHERE c.account_id = :account_id
                  AND c.issue_number = :number
                  AND (c.status = 'Sent' OR c.dispatch_id IS NOT NULL)
            ) AS sent,
            (
                SELECT count(*)
                FROM dispatch d
                WHERE d.account_id = :account_id
                  AND d.issue_number = :number
                  AND d.status <> 'discarded'
            ) AS runs,
            (
                SELECT count(*)
                FROM claim k
                WHERE k.account_id = :account_id AND k.issue_number = :number
            ) + (
                SELECT count(*)
                FROM delivery_report r
                WHERE r.account_id = :account_id AND r.issue_number = :number
            ) AS reported,
            (
                SELECT count(*)
                FROM subscription s
                WHERE s.account_id = :account_id AND s.start_issue = :number
            ) AS starting
        """,
        {"account_id": account_id, "number": number},
    )
    return Obstacles(**row)


# Whether a copy stays if its issue gets the number `:new`; memberships go by release date
_SKIPS = """EXISTS (
                  SELECT 1 FROM skipped_issue k
                  WHERE k.account_id = :account_id
                    AND k.subscription_id = {owner}.subscription_id
                    AND k.issue_number = :new
              )"""
_STAYS = f"""EXISTS (
              SELECT 1
              FROM period p
              WHERE p.account_id = :account_id
                AND p.subscription_id = copy.subscription_id
                AND (p.first_issue IS NULL OR :new BETWEEN p.first_issue AND p.last_issue)
          )
          AND NOT {_SKIPS.format(owner="copy")}"""  # noqa: S608 - a constant

_COUNT_MOVED = f"""
    SELECT
        (
            SELECT count(*)
            FROM copy
            WHERE account_id = :account_id
              AND issue_number = :number
              AND {_STAYS}
        ) AS kept,
        (
            SELECT count(*)
            FROM period p
            JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
            WHERE p.account_id = :account_id
              AND (:new BETWEEN p.first_issue AND p.last_issue) IS TRUE
              AND s.status <> 'Cancelled'
              AND NOT EXISTS (
                  SELECT 1
                  FROM copy c
                  WHERE c.account_id = :account_id
                    AND c.subscription_id = p.subscription_id
                    AND c.issue_number = :number
              )
              AND NOT {_SKIPS.format(owner="p")}
        ) AS added
"""  # noqa: S608 - the condition is a constant


async def count_effects(
    db: Connection, account_id: int, number: int, *, new: int | None
) -> Effects:
    """What happens to the copies of an issue. new: its number, None to delete it.

    Queries: two; the one for a new number reads all periods: read aside.
    """
    parameters: dict[str, object] = {"account_id": account_id, "number": number}
    [row] = await db.fetch_all(
        """
        SELECT
            (
                SELECT count(*)
                FROM copy
                WHERE account_id = :account_id AND issue_number = :number
            ) AS copies,
            (
                SELECT count(DISTINCT p.subscription_id)
                FROM period p
                WHERE p.account_id = :account_id
                  AND :number BETWEEN p.first_issue AND p.last_issue
            ) AS lists,
            (
                SELECT count(*)
                FROM dispatch d
                WHERE d.account_id = :account_id
                  AND d.issue_number = :number
                  AND d.status = 'discarded'
            ) AS discarded_runs
        """,
        parameters,
    )
    moved: Row = {"kept": 0, "added": 0}
    if new is not None:
        [moved] = await db.fetch_all(_COUNT_MOVED, {**parameters, "new": new})
    kept, added = moved["kept"], moved["added"]
    return Effects(row["copies"] - kept, kept, added, row["lists"], row["discarded_runs"])


async def find_affected(
    db: Connection, account_id: int, number: int, *, new: int | None
) -> str | None:
    """The subscriptions with a copy of an issue, or with one of two numbers in their list.

    As JSON; None if there are none. Queries: one.
    """
    row = await db.fetch_one(
        """
        SELECT count(*) AS count, json_group_array(t.id) AS ids
        FROM (
            SELECT c.subscription_id AS id
            FROM copy c
            WHERE c.account_id = :account_id AND c.issue_number = :number
            UNION
            SELECT p.subscription_id
            FROM period p
            WHERE p.account_id = :account_id
              AND (
                  :number BETWEEN p.first_issue AND p.last_issue
                  OR :new BETWEEN p.first_issue AND p.last_issue
              )
        ) AS t
        """,
        {"account_id": account_id, "number": number, "new": new or 0},
    )
    return str(row["ids"]) if row and row["count"] else None


async def renumber_copies(tx: Transaction, account_id: int, number: int, *, new: int) -> int:
    """Give the copies that stay the new number and its period; returns how many. Queries: two.

    The others must be deleted.
    """
    parameters = {"account_id": account_id, "number": number, "new": new}
    await tx.execute(
        """
        UPDATE copy
        SET period_id = (
            SELECT p.id
            FROM period p
            WHERE p.account_id = :account_id
              AND p.subscription_id = copy.subscription_id
              AND (:new BETWEEN p.first_issue AND p.last_issue) IS TRUE
        )
        WHERE account_id = :account_id
          AND issue_number = :number
          AND EXISTS (
              SELECT 1
              FROM period p
              WHERE p.account_id = :account_id
                AND p.subscription_id = copy.subscription_id
                AND (:new BETWEEN p.first_issue AND p.last_issue) IS TRUE
          )
        """,
        parameters,
    )
    return await tx.execute(
        f"""
        UPDATE copy
        SET issue_number = :new
        WHERE account_id = :account_id
          AND issue_number = :number
          AND {_STAYS}
        """,  # noqa: S608 - the condition is a constant
        parameters,
    )


async def delete_copies(tx: Transaction, account_id: int, number: int) -> int:
    """Delete the copies with an issue number; returns how many. Queries: one."""
    return await tx.execute(
        "DELETE FROM copy WHERE account_id = :account_id AND issue_number = :number",
        {"account_id": account_id, "number": number},
    )


async def delete_discarded_runs(tx: Transaction, account_id: int, number: int) -> int:
    """Delete the discarded runs of an issue with their lines and files. Queries: five."""
    runs = """
        SELECT d.id
        FROM dispatch d
        WHERE d.account_id = :account_id
          AND d.issue_number = :number
          AND d.status = 'discarded'
    """
    parameters = {"account_id": account_id, "number": number}
    await tx.execute(
        f"""
        DELETE FROM dispatch_file_part
        WHERE account_id = :account_id
          AND file_id IN (
              SELECT f.id
              FROM dispatch_file f
              WHERE f.account_id = :account_id AND f.dispatch_id IN ({runs})
          )
        """,  # noqa: S608 - a constant
        parameters,
    )
    for table in ("dispatch_file", "dispatch_line", "grace_copy"):
        await tx.execute(
            f"DELETE FROM {table} WHERE account_id = :account_id AND dispatch_id IN ({runs})",  # noqa: S608
            parameters,
        )
    return await tx.execute(
        """
        DELETE FROM dispatch
        WHERE account_id = :account_id AND issue_number = :number AND status = 'discarded'
        """,
        parameters,
    )


async def delete_issue(tx: Transaction, account_id: int, id: str) -> None:
    """Delete an issue that has no copies, with its cover. Queries: two."""
    for table, column in (("issue_cover", "issue_id"), ("issue", "id")):
        await tx.execute(
            f"DELETE FROM {table} WHERE account_id = :account_id AND {column} = :id",  # noqa: S608
            {"account_id": account_id, "id": id},
        )
