"""Copies have no foreign keys to periods and subscribers, so `check` finds those without them."""

import pytest

from tests.conftest import Cast
from tests.services.maintenance.test_check import AGREES
from tests.services.maintenance.test_check_dispatches import execute, faults
from tests.support.factories import copies_of, make_issue, make_subscription

COPIES_WITHOUT = [
    "UPDATE copy SET period_id = 4294967296 WHERE {own} AND id = :copy",
    "UPDATE copy SET period_id = :other WHERE {own} AND id = :copy",
    "UPDATE copy SET subscriber_id = 'NOSUCH' WHERE {own} AND id = :copy",
    "UPDATE copy SET subscriber_id = :reader WHERE {own} AND id = :copy",
]


@pytest.mark.parametrize("statement", COPIES_WITHOUT)
async def test_a_copy_of_another_period_or_subscriber_is_found(acme: Cast, statement: str) -> None:
    await make_issue(acme)
    sub, other = await make_subscription(acme), await make_subscription(acme)
    [copy] = await copies_of(acme, sub["id"])
    values = {"other": other["periods"][0]["id"], "reader": other["subscriber"]["id"]}
    await execute(acme, statement, copy=copy["id"], **values)
    assert (AGREES, str(copy["id"])) in await faults(acme)


@pytest.mark.parametrize("column", ["subscription_id", "issue_id"])
async def test_a_copy_without_a_subscription_or_an_issue_is_refused(
    acme: Cast, column: str
) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme)
    [copy] = await copies_of(acme, sub["id"])
    statement = f"UPDATE copy SET {column} = 'NOSUCH' WHERE {{own}} AND id = :copy"  # noqa: S608 - columns from above
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        await execute(acme, statement, copy=copy["id"])
    assert await faults(acme) == []
