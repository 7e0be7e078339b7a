"""Issues that an import created: which of them something needs, and the deletion of the others."""

from collections.abc import Collection, Sequence

from masthead.store.engine.interface import Connection, Transaction

# Each is a SELECT of the numbers of issues that a kind of record needs
_USES = (
    """
    SELECT number
    FROM issue i
    WHERE i.account_id = :account_id
      AND i.number IN (:numbers... AS bigint)
      AND EXISTS (
          SELECT 1
          FROM copy c
          WHERE c.account_id = :account_id AND c.issue_number = i.number
      )
    """,
    """
    SELECT number
    FROM issue i
    WHERE i.account_id = :account_id
      AND i.number IN (:numbers... AS bigint)
      AND EXISTS (
          SELECT 1
          FROM period p
          WHERE p.account_id = :account_id
            AND p.last_issue >= i.number
            AND p.first_issue <= i.number
      )
    """,
)
_NAMED = (  # the columns that name an issue
    ("subscription", "start_issue"),
    ("dispatch", "issue_number"),
    ("address_change", "first_issue"),
    ("address_change", "last_issue"),
    ("address_change", "move_first_issue"),
    ("letter_batch", "issue_number"),
)


async def find_ids(db: Connection, account_id: int, numbers: Collection[int]) -> dict[int, str]:
    """The ids of the issues with these numbers, by number. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT number, id
        FROM issue
        WHERE account_id = :account_id AND number IN (:numbers... AS bigint)
        ORDER BY number
        """,
        {"account_id": account_id, "numbers": list(numbers)},
    )
    return {row["number"]: row["id"] for row in rows}


async def find_used(db: Connection, account_id: int, numbers: Collection[int]) -> set[int]:
    """Those of the numbers that a copy, an order, a run, a letter, … needs. Queries: seven."""
    values = {"account_id": account_id, "numbers": list(numbers)}
    found = set[int]()
    for statement in (*_USES, *(_names(table, column) for table, column in _NAMED)):
        found |= {row["number"] for row in await db.fetch_all(statement, values)}
    return found


def _names(table: str, column: str) -> str:
    """Selects the numbers of issues that a column has."""
    return f"""
        SELECT {column} AS number
        FROM {table}
        WHERE account_id = :account_id AND {column} IN (:numbers... AS bigint)
    """  # noqa: S608 - the constants above


async def delete_issues(tx: Transaction, account_id: int, ids: Sequence[str]) -> None:
    """Delete issues that nothing needs. Queries: one."""
    await tx.execute(
        "DELETE FROM issue WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
    )
