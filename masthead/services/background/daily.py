"""The daily pass: apply the changes of a new day, or revert those of a wrong clock."""

from contextlib import nullcontext
from datetime import date

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.services.addresses.apply import apply_due_changes
from masthead.services.background.guard import Guard
from masthead.services.debits.renew import renew_due
from masthead.services.subscriptions.status_updates import reopen_memberships, update_statuses
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.subscriptions import periods


class RepeatedPass(Struct, frozen=True):
    """A repeated daily pass. before: the account's previous date.

    reopened: how many memberships were reverted.
    """

    before: date
    reopened: int


async def run_daily_pass(
    db: Database, account_id: int, day: date, *, by: Actor, guard: Guard = nullcontext
) -> bool:
    """Move an account to a day: membership periods end, statuses and addresses change.

    Returns False, without a change, if the day is before the account's date. A second pass on the
    same day changes nothing. After days without a pass, the next pass makes their changes. Then,
    recurring subscriptions that are paid by direct debit are renewed, each in its own transaction.
    guard: the context of each of these renewals.
    """

    async def work(tx: Transaction) -> bool:
        account = await accounts.lock_account(tx, account_id)
        if day < account.daily_date:
            return False
        await accounts.update_daily_date(tx, account_id, day)
        ended = await periods.find_ended_memberships(tx, account_id, day)
        account = structs.replace(account, daily_date=day)
        await update_statuses(tx, account, ended, by=by)
        await apply_due_changes(tx, account, by=by)
        return True

    if not await db.write(work, account_id=account_id, is_long=True):
        return False
    await renew_due(db, account_id, by=by, guard=guard)
    return True


@in_long_transaction
async def redo_daily_pass(
    tx: Transaction, account_id: int, day: date, *, by: Actor
) -> RepeatedPass:
    """Move an account to a day, which may be earlier, and revert the changes of later days.

    Membership periods that have not ended by that day become open again, and statuses follow.
    """
    account = await accounts.lock_account(tx, account_id)
    before, account = account.daily_date, structs.replace(account, daily_date=day)
    await accounts.update_daily_date(tx, account_id, day)
    wrong = await periods.find_open_memberships(tx, account_id, day)
    reopened = await reopen_memberships(tx, account, wrong, by=by)
    ended = await periods.find_ended_memberships(tx, account_id, day)
    await update_statuses(tx, account, ended, by=by)
    days = {"daily_date": before}, {"daily_date": day}
    entry = NewEntry(EntryType.ACCOUNT_REDO_DAILY_PASS, account_id, *days)
    await trail.record(tx, account_id, by, [entry])
    return RepeatedPass(before, reopened)
