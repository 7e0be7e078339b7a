"""The credit notes that Home names until they are paid back or used."""

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.model.validation import decode_input
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.payments import create_payment
from masthead.store.billing.invoices import StoredInvoice
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.web.conftest import Person
from tests.web.revenue.test_takings import rows_of
from tests.web.test_rights import give


async def pay(cast: Cast, invoice: StoredInvoice, amount: str) -> None:
    numbers = [{"number": invoice.document.number}]
    asked = {"amount": amount, "payer": invoice.payer_id, "invoices": numbers}
    await create_payment(cast.db, cast.account_id, decode_input(PaymentCreate, asked), by=BY)


async def credit(cast: Cast, invoice: StoredInvoice) -> None:
    await credit_invoice(cast.db, cast.account_id, invoice.id, amount=None, reason="", by=BY)


async def test_home_names_credit_notes_until_they_are_paid_back(
    acme: Cast, owner: Person, staff: Person
) -> None:
    await turn_on_billing(acme)
    unpaid, paid = await bill_one(acme, price="49.00"), await bill_one(acme, price="60.00")
    await pay(acme, paid, "60.00")
    assert "credit note" not in await owner.text()
    for invoice in (unpaid, paid):
        await credit(acme, invoice)
    page = " ".join((await owner.text()).split())
    address = owner.address("money", "invoices") + "?show=credit"
    credit_notes = "Credit notes to pay back or use</span> <strong>1 credit note: €60.00</strong>"
    assert f'{credit_notes} <a href="{address}"' in page
    _heading, listed = rows_of(await owner.text("money", "invoices", show="credit"))
    assert "−€60.00" in listed  # that of the unpaid invoice settled it
    number = paid.document.number
    found = await owner.text("money", "invoices", show="credit", search=number)
    assert "No invoices match." in found  # the invoice itself is settled
    await give(acme.db, acme, staff, STAFF_RIGHTS - {Right.SEE_MONEY})
    assert "credit note" not in await staff.text()
    back = owner.address("subscribers", paid.payer_id, "account", "pay-back")
    assert (await owner.send(f"{back}?currency=EUR")).is_redirect
    assert "credit note" not in await owner.text()
