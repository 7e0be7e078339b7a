"""An import writes its rows in batches; the end of a batch does not change the result."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support import order_lines as imports
from tests.support.days import pass_on
from tests.support.factories import import_options, make_issues

PERSON = {"first_name": "Ada", "country": "DE", "price": "42.00", "order_date": "2026-01-15"}
ISSUES = {"start_issue": "1", "length": "1"}
DAYS = {"type": "membership", "interval_months": "12"}
ENDED = {**DAYS, "period_start": "2098-01-01", "period_end": "2098-12-31"}
STOPPED = {"is_recurring": "yes", "status": "Active - Renewals stopped"}

FIRSTS = {
    "delivered": {**ISSUES, "sent_issues": "1"},
    "delivered, recurring": {**ISSUES, "sent_issues": "1", "is_recurring": "yes"},
    "delivered, renewals stopped": {**ISSUES, "sent_issues": "1", **STOPPED},
    "waiting, renewals stopped": {**ISSUES, **STOPPED},
    "past due": {**ISSUES, "is_recurring": "yes", "status": "Past due"},
    "ended": ENDED,
    "ended, recurring": {**ENDED, "is_recurring": "yes"},
    "ended, renewals stopped": {**ENDED, **STOPPED},
}


async def imported(cast: Cast, rows: list[dict[str, str]], *, together: bool) -> dict[str, Any]:
    """The subscription that rows create, written together or one by one."""
    how = import_options(cast)
    lines = [imports.OrderLine(number, row) for number, row in enumerate(rows, 2)]
    for batch in [lines] if together else [[line] for line in lines]:
        summary = await imports.import_lines(cast.db, batch, how)
        assert summary.imported == len(batch)
    (shown,) = (await cast.get("/v1/subscriptions/")).json()["items"]
    names = ("status", "issue_list", "next_charge_date", "total_length")
    periods = [period["is_complete"] for period in shown["periods"]]
    return {**{name: shown[name] for name in names}, "periods": periods}


@pytest.mark.parametrize("renewals", [1, 2])
@pytest.mark.parametrize("first", FIRSTS)
async def test_renewals_have_the_same_result_in_one_batch_and_in_many(
    acme: Cast, rival: Cast, first: str, renewals: int
) -> None:
    rows = [{**PERSON, **FIRSTS[first], "order_id": "0"}]
    rows += [
        {**PERSON, "order_id": str(number), "renews": str(number - 1)}
        for number in range(1, renewals + 1)
    ]
    for cast in (acme, rival):
        await make_issues(cast, 1, 2)
        await pass_on(cast, "2099-06-01")
    together = await imported(acme, rows, together=True)
    assert together == await imported(rival, rows, together=False)
