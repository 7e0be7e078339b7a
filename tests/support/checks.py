"""Break rows as no service does, ask `masthead check` what it finds, and roll back.

A scene that many tests break is made once for a module: none of them commits what it writes.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from masthead.services.check.accounts import check_account
from masthead.store.engine.interface import Transaction
from masthead.store.engine.wrapped import OneTransaction
from tests.conftest import Cast

T = TypeVar("T")


class _RollBack(Exception):
    """Ends a transaction without its commit."""


async def execute(cast: Cast, sql: str, **parameters: object) -> None:
    """Execute a statement that changes rows; `{own}` limits it to the account."""

    async def work(tx: Transaction) -> None:
        text = sql.replace("{own}", "account_id = :account")
        assert await tx.execute(text, {"account": cast.account_id, **parameters})

    await cast.db.write(work)


async def faults(cast: Cast) -> list[tuple[str, str]]:
    """The broken invariants of an account, each with the row."""
    found = check_account(cast.db, cast.subdomain)
    return [(fault.invariant, fault.id) async for fault in found]


async def rolled_back(cast: Cast, work: Callable[[Cast], Awaitable[T]]) -> T:
    """The result of `work`, whose writes are not committed.

    work: gets the account in a transaction. It waits for nothing but statements of that
    transaction, so it sends no requests.
    """
    results: list[T] = []

    async def attempt(tx: Transaction) -> None:
        one = OneTransaction(cast.db, tx, is_long=True)
        results.append(await work(replace(cast, db=one)))
        raise _RollBack

    try:
        await cast.db.write(attempt, account_id=cast.account_id, is_long=True)
    except _RollBack:
        return results[-1]
    raise AssertionError("the transaction was committed")


async def faults_after(cast: Cast, sql: str, **parameters: object) -> list[tuple[str, str]]:
    """What `faults` finds after a statement as in `execute`, which is rolled back."""

    async def work(inside: Cast) -> list[tuple[str, str]]:
        await execute(inside, sql, **parameters)
        return await faults(inside)

    return await rolled_back(cast, work)
