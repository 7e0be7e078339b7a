"""The accounts of a user, in which what happens to their sign-in is recorded.

On Citus, each account is on one node. While a node is away, its accounts are left out, so that the
user can still sign in to those on other nodes.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import TypeVar

import structlog

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Busy, Unavailable
from masthead.model.identity.memberships import UserAccount
from masthead.store import users
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.moments import get_daily_date

T = TypeVar("T")
_left_out: ContextVar[frozenset[int]] = ContextVar("_left_out", default=frozenset())

log = structlog.get_logger()


async def write_own(db: Database, user_id: str, work: Callable[[Transaction], Awaitable[T]]) -> T:
    """The result of a write about a user's sign-in.

    If the accounts on a node that is away keep it from being recorded, it is done without them,
    and logged. Raises: Unavailable if no account of the user can be written to.
    """
    accounts = [each.account_id for each in await users.list_user_accounts(db, user_id)]
    try:
        return await db.write(work, account_id=accounts[0] if len(accounts) == 1 else None)
    except Busy:
        raise
    except Unavailable:
        away = await _list_away(db, accounts)
        if len(away) in (0, len(accounts)):
            raise
    log.warning("not in the audit log of accounts that are away", user=user_id, accounts=away)
    before = _left_out.set(frozenset(away))
    try:
        return await db.write(work)
    finally:
        _left_out.reset(before)


async def _list_away(db: Database, account_ids: list[int]) -> list[int]:
    """The accounts whose node does not answer."""
    answers = set[int]()
    for account_id in account_ids:
        with suppress(Unavailable):
            await get_daily_date(db, account_id)
            answers.add(account_id)
    return [each for each in account_ids if each not in answers]


async def list_own_accounts(tx: Transaction, user_id: str) -> list[UserAccount]:
    """The accounts of a user by id, without those that `write_own` leaves out."""
    found = await users.list_user_accounts(tx, user_id)
    left_out = _left_out.get()
    return sorted(
        (each for each in found if each.account_id not in left_out),
        key=lambda each: each.account_id,
    )


async def record_by(tx: Transaction, user_id: str, by: Actor, entry: NewEntry) -> None:
    """Record an event about a user's sign-in in each of their accounts."""
    for account in await list_own_accounts(tx, user_id):
        await trail.record(tx, account.account_id, by, [entry])


async def record_own(
    tx: Transaction, user_id: str, type: EntryType, after: Mapping[str, object] | None = None
) -> None:
    """Record what a user did to their own sign-in, in each of their accounts."""
    by = Actor(kind="user", id=user_id)
    await record_by(tx, user_id, by, NewEntry(type, user_id, None, after))


async def record_own_later(
    db: Database, user_id: str, type: EntryType, after: Mapping[str, object] | None = None
) -> None:
    """Like `record_own`, in a separate write after the change; skipped if an account stays busy."""
    with suppress(Unavailable):
        await write_own(db, user_id, lambda tx: record_own(tx, user_id, type, after))
