"""Each invariant of bank lines is broken by a statement, and `check` reports it."""

import pytest

from masthead.services.billing.bank_lines import confirm_line, confirm_return
from masthead.store.check.billing import BANK_INVARIANTS
from tests.conftest import BY, Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import bill_one, turn_on_billing
from tests.support.checks import faults, faults_after

HAS, ONCE, COUNTS = BANK_INVARIANTS
BREAKS = [
    (HAS, "UPDATE bank_line SET status = 'open' WHERE {own} AND id = :matched", "matched"),
    (HAS, "UPDATE bank_line SET payment_id = NULL WHERE {own} AND id = :matched", "matched"),
    (HAS, "UPDATE bank_line SET status = 'matched' WHERE {own} AND id = :open", "open"),
    (HAS, "UPDATE bank_line SET amount = 1 WHERE {own} AND id = :matched", "matched"),
    (HAS, "UPDATE payment SET payment_date = '2020-01-01' WHERE {own}", "matched"),
    (ONCE, "UPDATE bank_line SET payment_id = :payment WHERE {own}", "payment"),
    (COUNTS, "UPDATE bank_statement SET known = 1 WHERE {own} AND id = :statement", "statement"),
]


@pytest.mark.parametrize("invariant, sql, culprit", BREAKS)
async def test_a_broken_line_is_reported_with_its_invariant(
    acme: Cast, invariant: str, sql: str, culprit: str
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await import_lines(acme, bank_line(text=invoice.document.number), bank_line(1))
    open_line, line = sorted(await list_lines(acme), key=lambda each: each.amount)
    paid = await confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    scene = {
        "matched": line.id,
        "open": open_line.id,
        "payment": paid,
        "statement": line.statement_id,
    }
    assert (invariant, scene[culprit]) in await faults_after(acme, sql, **scene)


async def test_a_payment_that_came_back_breaks_nothing(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await import_lines(acme, bank_line())
    [line] = await list_lines(acme)
    paid = await confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    await import_lines(acme, bank_line(-6000, return_reason="AC04"))
    [line] = await list_lines(acme, status="open")
    await confirm_return(acme.db, acme.account_id, line.id, paid, by=BY)
    assert await faults(acme) == []


def test_every_invariant_is_broken() -> None:
    assert {invariant for invariant, _, _ in BREAKS} == {*BANK_INVARIANTS}
