"""`masthead check` finds changes of addresses that contradict each other."""

from datetime import timedelta
from typing import Any

import pytest

from masthead.store.accounts import update_daily_date
from masthead.store.engine.interface import Database
from tests.conftest import Cast, Client, make_account
from tests.support.addresses import HOME, LATER, TODAY, move
from tests.support.checks import faults, faults_after, rolled_back
from tests.support.factories import make_issue, make_subscription


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they roll back what they break."""
    return await make_account(client, db, "Acme")


@pytest.fixture(scope="module")
async def ada(acme: Cast) -> dict[str, Any]:
    """A subscriber with changes for the issues 2 to 3, and from issue 4 on."""
    await make_issue(acme)
    await make_issue(acme, 4, release_date_actual=LATER)
    subscription = await make_subscription(acme, **HOME)
    await move(acme, subscription, first=2, last=3)
    await move(acme, subscription, first=4)
    return subscription


BROKEN = {
    "the planned changes of an address do not overlap": "SET last_issue = 4 WHERE first_issue = 2",
    "a planned address is of the subscriber of its subscription": "SET subscriber_id = 'X' "
    "WHERE first_issue = 2",
    "a change of address that ended says when": "SET status = 'done' WHERE first_issue = 2",
    "the last issue of a change of address is not before the first, unless its days have none": (
        "SET last_issue = 1 WHERE first_issue = 2"
    ),
    "a planned change of address is divided by another one only": "SET move_first_issue = 1 "
    "WHERE first_issue = 2",
    "a part of a planned change of address has one that stands for it": "SET move_first_issue = 2 "
    "WHERE first_issue = 2",
}


@pytest.mark.usefixtures("ada")
async def test_changes_made_by_the_services_break_no_invariant(acme: Cast) -> None:
    assert await faults(acme) == []


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize("invariant", BROKEN)
async def test_a_broken_change_is_found(acme: Cast, invariant: str) -> None:
    found = await faults_after(acme, f"UPDATE address_change {BROKEN[invariant]} AND {{own}}")
    assert invariant in {broken for broken, _ in found}


@pytest.mark.usefixtures("ada")
async def test_a_change_that_was_not_made_in_time_is_found(acme: Cast) -> None:
    async def work(acme: Cast) -> list[tuple[str, str]]:
        await acme.db.write(
            lambda tx: update_daily_date(tx, acme.account_id, TODAY + timedelta(days=61))
        )
        return await faults(acme)

    found = await rolled_back(acme, work)
    assert "a change of address is made in time" in {invariant for invariant, _ in found}
