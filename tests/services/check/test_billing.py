"""Broken invoices and payments, which `masthead check` finds."""

from datetime import timedelta

import pytest

from masthead.services.billing.daily_sums import refresh_daily_sums
from masthead.store.check.billing import BILLING_INVARIANTS
from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.checks import faults, faults_after

DOCUMENT = "an invoice has the number and the amounts of its document"

GAP, OPEN, LEFT, SUM, ORDERS, DOCUMENTS, PAYMENTS, BILLED = BILLING_INVARIANTS
# Each invariant, a statement that breaks it, and the row that is named
BREAKS = [
    (GAP, "UPDATE number_series SET last_number = 9 WHERE {own} AND series <> :customers", "2026-"),
    (GAP, "UPDATE invoice SET series_number = 9 WHERE {own} AND id = :invoice", "2026-"),
    (OPEN, "UPDATE invoice SET open_amount = 1 WHERE {own} AND id = :invoice", "invoice"),
    (OPEN, "UPDATE settlement SET amount = 1 WHERE {own} AND payment_id = :payment", "invoice"),
    (LEFT, "UPDATE payment SET unused_amount = 1 WHERE {own} AND id = :payment", "payment"),
    (SUM, "UPDATE invoice_line SET vat = vat + 1 WHERE {own} AND invoice_id = :invoice", "invoice"),
    (DOCUMENT, "UPDATE invoice SET number = 'X' WHERE {own} AND id = :invoice", "invoice"),
    (ORDERS, "UPDATE period SET refunded = refunded + 1 WHERE {own} AND id = :period", "period"),
    (DOCUMENTS, "UPDATE billed_sum SET net = net + 1 WHERE {own} AND kind = 'invoice'", "day"),
    (PAYMENTS, "UPDATE paid_sum SET amount = amount - 1 WHERE {own}", "day"),
    (BILLED, "UPDATE period SET is_billed = :no WHERE {own} AND id = :period", "period"),
]


@pytest.mark.parametrize("invariant, sql, named", BREAKS)
async def test_a_broken_row_is_found(acme: Cast, invariant: str, sql: str, named: str) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    path = f"/v1/invoices/{invoice.id}/credit/"
    assert (await acme.post(path, {"reason": "Late", "amount": "10"})).status_code == 201
    paid = await acme.post(
        "/v1/payments/", {"amount": "70", "invoices": [{"number": invoice.document.number}]}
    )
    settled = timedelta(hours=-1)
    await refresh_daily_sums(acme.db, acme.account_id, settled=settled)
    ids = {
        "day": invoice.document.issue_date,
        "invoice": invoice.id,
        "payment": paid.json()["id"],
        "period": invoice.document.lines[0].period_id,
    }
    assert await faults(acme) == []
    values = {"customers": "customer numbers", "no": False, **ids}
    used = {name: value for name, value in values.items() if f":{name}" in sql}
    found = await faults_after(acme, sql, **used)
    assert (invariant, str(ids.get(named, f"{invoice.document.issue_date.year}-"))) in found


def test_each_invariant_is_broken_once() -> None:
    assert {each[0] for each in BREAKS} == {*BILLING_INVARIANTS, DOCUMENT}
