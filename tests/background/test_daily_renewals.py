"""A renewal by direct debit that has to wait is tried again on the same day."""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TypeVar

import pytest

from masthead.background import daily as daily_passes, failures
from masthead.background.clock import TrustedClock
from masthead.background.daily import DailyPass
from masthead.background.lease import HeldLease
from masthead.background.worker import LEASE
from masthead.model.errors import Busy
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.wrapped import WrappedDatabase
from tests.support.billing import bill, newest_invoices
from tests.support.debits import make_debtor, turn_on_debits
from tests.support.factories import make_issue
from tests.support.own_service import OwnService

T = TypeVar("T")
NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)


class _BusyOnce(WrappedDatabase):
    """A database of which an import has locked the account when the first renewal is due."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self.is_free = False

    async def write(
        self,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        account_id: int | None = None,
        is_long: bool = False,
        is_durable: bool = True,
    ) -> T:
        """The result of `work`. Raises: Busy the first time."""
        if account_id is not None and not is_long and not self.is_free:
            self.is_free = True
            raise Busy("An import is running.")
        return await super().write(
            work, account_id=account_id, is_long=is_long, is_durable=is_durable
        )


class _Noon(TrustedClock):
    """A clock that is trusted, on the day of the renewal."""

    async def now(self) -> datetime | None:
        """Always the same."""
        return NOON


async def test_a_renewal_that_waited_is_done_by_the_next_attempt_of_the_day(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await turn_on_debits(own.cast, has_issue=True)
    await make_issue(own.cast, 2, recurring_charge_date="2026-02-01")
    payer = await make_debtor(own.cast)
    asked = {"length": 1, "start_issue": 1, "is_recurring": True, "is_debited": True}
    await bill(own.cast, subscriber_id=payer, **asked)
    lease, db = HeldLease(own.cast.db, LEASE), _BusyOnce(own.cast.db)
    assert await lease.renew()
    daily = DailyPass(db, lease, _Noon(own.cast.db))
    await daily.run_once()
    [account] = await own.cast.db.fetch_all(
        "SELECT daily_date FROM account_state WHERE account_id = :id", {"id": own.cast.account_id}
    )
    assert account["daily_date"] == NOON.date()
    assert (db.is_free, len(await newest_invoices(own.cast))) == (True, 1)
    later = time.monotonic() + 3600
    for module in (failures, daily_passes):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: later))
    await daily.run_once()
    assert len(await newest_invoices(own.cast)) == 2
    await lease.release()
