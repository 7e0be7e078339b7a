"""Each invariant of reminders and holds is broken by a statement, and `check` reports it."""

from datetime import date

import pytest

from masthead.services.background.daily import redo_daily_pass
from masthead.store.check.billing import REMINDER_INVARIANTS
from masthead.store.holds import records as holds
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, newest_invoices
from tests.support.checks import faults, faults_after
from tests.support.days import pass_on
from tests.support.reminders import remind, turn_on_reminders

HELD, FEE, LAST = REMINDER_INVARIANTS
BREAKS = [
    (HELD, "UPDATE invoice SET open_amount = 0 WHERE {own} AND id = :invoice", "hold"),
    (FEE, "UPDATE reminder SET fee_id = NULL WHERE {own}", "fee"),
    (FEE, "UPDATE reminder SET total = 99 WHERE {own}", "fee"),
    (LAST, "UPDATE reminder SET status = 'skipped' WHERE {own}", "invoice"),
    (LAST, "UPDATE invoice SET reminder_stage = 2 WHERE {own} AND id = :invoice", "invoice"),
    (LAST, "UPDATE invoice SET reminded_date = NULL WHERE {own} AND id = :invoice", "invoice"),
]


@pytest.mark.parametrize("invariant, sql, culprit", BREAKS)
async def test_a_broken_row_is_reported_with_its_invariant(
    acme: Cast, invariant: str, sql: str, culprit: str
) -> None:
    await turn_on_reminders(acme, fees=(100, 0, 0), hold_stage=1)
    await redo_daily_pass(acme.db, acme.account_id, date(2026, 6, 1), by=BY)
    invoice = await bill_one(acme, due_days=1, email="ada@example.org")
    await pass_on(acme, "2026-06-09")
    await remind(acme, 1)
    async with acme.db.read() as db:
        [hold] = await holds.list_of_invoice(db, acme.account_id, invoice.id)
    scene = {
        "invoice": invoice.id,
        "hold": hold.id,
        "fee": (await newest_invoices(acme))[0].id,
    }
    assert await faults(acme) == []
    assert (invariant, scene[culprit]) in await faults_after(acme, sql, **scene)


def test_every_invariant_is_broken() -> None:
    assert {invariant for invariant, _, _ in BREAKS} == {*REMINDER_INVARIANTS}
