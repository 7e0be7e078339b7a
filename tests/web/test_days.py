"""Records have a day of the account on pages and in files, and one in UTC in the API."""

import csv
import io
from datetime import UTC, datetime

import pytest

from masthead.services import accounts
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.factories import make_claim, make_issue, make_subscription
from tests.web.conftest import Person

NOON = datetime(2026, 3, 5, 12, 30, tzinfo=UTC)


async def create_at_noon(tx: Transaction, account_id: int) -> None:
    """Let all subscribers and claims of an account be created then."""
    for table in ("subscriber", "claim"):
        await tx.execute(
            f"UPDATE {table} SET created_at = :moment WHERE account_id = :account_id",  # noqa: S608
            {"moment": NOON, "account_id": account_id},
        )


@pytest.mark.parametrize(
    "zone, day",
    [("Pacific/Kiritimati", "2026-03-06"), ("Pacific/Pago_Pago", "2026-03-05")],
)
async def test_a_record_was_created_on_a_day_of_the_account(
    owner: Person, acme: Cast, zone: str, day: str
) -> None:
    await make_issue(acme)
    one, other = [await make_subscription(acme, email=f"{name}@x.test") for name in ("one", "two")]
    claim = await make_claim(acme, one)
    await acme.db.write(lambda tx: create_at_noon(tx, acme.account_id))
    await accounts.update_account(acme.db, acme.account_id, time_zone=zone, by=BY)
    id = one["subscriber"]["id"]
    shown = f"{int(day[-2:])} March 2026"
    assert f"<dt>Added on</dt> <dd>{shown}</dd>" in await owner.text("subscribers", id)
    assert shown in await owner.text("subscribers", id, "merge", other["subscriber"]["id"])
    assert shown.replace("March", "Mar") in await owner.text("claims")
    for name in ("subscribers", "claims"):
        found = await owner.see("downloads", name, "csv")
        rows = [*csv.DictReader(io.StringIO(found.content.decode("utf-8-sig")))]
        assert {row["date_created"] for row in rows} == {day}
    for path in (f"subscribers/{id}", f"claims/{claim['id']}"):
        assert (await acme.get(f"/v1/{path}/")).json()["date_created"] == "2026-03-05"
