"""Stored files about a subscriber."""

from datetime import date

from msgspec import Struct

from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.privacy.records import OF_SENT_COPY, DataSubject


class RunFile(Struct, frozen=True):
    """A file of a run. status: as of a dispatch file."""

    id: str
    status: str
    name: str


async def list_run_files(db: Connection, account_id: int, subject: DataSubject) -> list[RunFile]:
    """The files of runs that hold their addresses. Queries: one.

    Those of a group of runs belong to the first of them.
    """
    return await fetch_all(
        db,
        f"""
        SELECT f.id, f.status, f.name
        FROM dispatch_file f
        WHERE f.account_id = :account_id
          AND f.dispatch_id IN (
              SELECT coalesce(d.group_id, d.id)
              FROM dispatch d
              WHERE d.account_id = :account_id
                AND d.id IN (
                    SELECT l.dispatch_id
                    FROM dispatch_line l
                    WHERE l.account_id = :account_id AND l.copy_id IN ({OF_SENT_COPY})
                )
          )
        ORDER BY f.id
        """,  # noqa: S608 - the statement above
        subject.parameters(account_id),
        into=RunFile,
    )


class ListingStatement(Struct, frozen=True):
    """A revenue statement that lists orders."""

    id: str
    statement_date: date


async def list_statements(db: Connection, account_id: int, first: date) -> list[ListingStatement]:
    """The revenue statements that have orders of a day. Queries: one.

    They have the ids and amounts of all orders until their own day.
    """
    return await fetch_all(
        db,
        """
        SELECT id, statement_date
        FROM revenue_statement
        WHERE account_id = :account_id AND status = 'ready' AND statement_date >= :first
        ORDER BY statement_date, id
        """,
        {"account_id": account_id, "first": first},
        into=ListingStatement,
    )
