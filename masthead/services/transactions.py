"""Services that are one transaction of an account."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database, Transaction

P = ParamSpec("P")
T = TypeVar("T")
_Result = Coroutine[Any, Any, T]
_Service = Callable[Concatenate[Database, int, P], _Result[T]]


def in_transaction(work: Callable[Concatenate[Transaction, int, P], _Result[T]]) -> _Service[P, T]:
    """A function of a transaction, as one of the database: it is a write of the account.

    Callers give the database, and the id of the account. It may run again: see `Database.write`.
    """
    return _service(work, is_long=False)


def in_long_transaction(
    work: Callable[Concatenate[Transaction, int, P], _Result[T]],
) -> _Service[P, T]:
    """As `in_transaction`, for statements that may take minutes."""
    return _service(work, is_long=True)


def with_locked_account(
    work: Callable[Concatenate[Transaction, Account, P], _Result[T]],
) -> _Service[P, T]:
    """As `in_transaction`, for a function that needs the account, and that no other one writes."""

    @wraps(work)
    async def locked(tx: Transaction, account_id: int, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await work(tx, await accounts.lock_account(tx, account_id), *args, **kwargs)

    return _service(locked, is_long=False)


def _service(
    work: Callable[Concatenate[Transaction, int, P], _Result[T]], *, is_long: bool
) -> _Service[P, T]:
    @wraps(work)
    async def service(db: Database, account_id: int, /, *args: P.args, **kwargs: P.kwargs) -> T:
        async def write(tx: Transaction) -> T:
            return await work(tx, account_id, *args, **kwargs)

        return await db.write(write, account_id=account_id, is_long=is_long)

    return service
