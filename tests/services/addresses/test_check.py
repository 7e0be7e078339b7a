"""`masthead check` finds changes of addresses that contradict each other."""

from datetime import timedelta
from typing import Any

import pytest

from masthead.services.maintenance.check import check_account
from masthead.store.accounts import update_daily_date
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.support.addresses import HOME, LATER, TODAY, move
from tests.support.factories import make_issue, make_subscription


@pytest.fixture
async def ada(acme: Cast) -> dict[str, Any]:
    """A reader with changes for the issues 2 to 3, and from issue 4 on."""
    await make_issue(acme)
    await make_issue(acme, 4, release_date_actual=LATER)
    subscription = await make_subscription(acme, **HOME)
    await move(acme, subscription, first=2, last=3)
    await move(acme, subscription, first=4)
    return subscription


async def faults(cast: Cast) -> set[str]:
    return {each.invariant async for each in check_account(cast.db, cast.subdomain)}


BROKEN = {
    "the planned changes of an address do not overlap": "SET last_issue = 4 WHERE first_issue = 2",
    "a change of address is for the subscriber of its subscription": "SET subscriber_id = 'X' "
    "WHERE first_issue = 2",
    "a change of address that ended says when": "SET status = 'done' WHERE first_issue = 2",
    "the last issue of a change of address is not before the first": "SET last_issue = 1 "
    "WHERE first_issue = 2",
}


@pytest.mark.parametrize("invariant", BROKEN)
async def test_a_broken_change_is_found(acme: Cast, ada: dict[str, Any], invariant: str) -> None:
    assert await faults(acme) == set()

    async def work(tx: Transaction) -> None:
        await tx.execute(
            f"UPDATE address_change {BROKEN[invariant]} AND account_id = :account_id",
            {"account_id": acme.account_id},
        )

    await acme.db.write(work)
    assert invariant in await faults(acme)


async def test_a_change_that_was_not_made_in_time_is_found(acme: Cast, ada: dict[str, Any]) -> None:
    async def work(tx: Transaction) -> None:
        await update_daily_date(tx, acme.account_id, TODAY + timedelta(days=61))

    await acme.db.write(work)
    assert "a change of address is made in time" in await faults(acme)
