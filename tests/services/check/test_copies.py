"""Copies have no foreign keys to periods and subscribers, so `check` finds those without them."""

import pytest

from masthead.store.engine.interface import Database
from tests.conftest import Cast, Client, make_account
from tests.services.check.test_accounts import AGREES
from tests.support.checks import execute, faults, faults_after
from tests.support.factories import copies_of, make_issue, make_subscription

COPIES_WITHOUT = [
    "UPDATE copy SET period_id = 4294967296 WHERE {own} AND id = :copy",
    "UPDATE copy SET period_id = :other WHERE {own} AND id = :copy",
    "UPDATE copy SET subscriber_id = 'NOSUCH' WHERE {own} AND id = :copy",
    "UPDATE copy SET subscriber_id = :subscriber WHERE {own} AND id = :copy",
]


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they roll back what they break."""
    return await make_account(client, db, "Acme")


@pytest.fixture(scope="module")
async def scene(acme: Cast) -> dict[str, object]:
    """A copy of a subscription, and the period and the subscriber of another one."""
    await make_issue(acme)
    sub, other = await make_subscription(acme), await make_subscription(acme)
    [copy] = await copies_of(acme, sub["id"])
    return {
        "copy": copy["id"],
        "other": other["periods"][0]["id"],
        "subscriber": other["subscriber"]["id"],
    }


@pytest.mark.parametrize("statement", COPIES_WITHOUT)
async def test_a_copy_of_another_period_or_subscriber_is_found(
    acme: Cast, scene: dict[str, object], statement: str
) -> None:
    assert (AGREES, str(scene["copy"])) in await faults_after(acme, statement, **scene)


@pytest.mark.parametrize("column", ["subscription_id", "issue_id"])
async def test_a_copy_without_a_subscription_or_an_issue_is_refused(
    acme: Cast, scene: dict[str, object], column: str
) -> None:
    statement = f"UPDATE copy SET {column} = 'NOSUCH' WHERE {{own}} AND id = :copy"  # noqa: S608 - columns from above
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        await execute(acme, statement, **scene)
    assert await faults(acme) == []


async def test_nothing_is_left_of_a_break_that_was_rolled_back(
    acme: Cast, scene: dict[str, object]
) -> None:
    assert await faults_after(acme, COPIES_WITHOUT[0], **scene)
    assert await faults(acme) == []
