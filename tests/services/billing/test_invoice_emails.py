"""The texts of the emails of invoices: they ask for what is still open."""

from datetime import date

import pytest
from msgspec import structs

from masthead.model.billing.documents import DebitNotice, Document
from masthead.services.billing.emails import compose_email
from masthead.store.billing.invoices import StoredInvoice
from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing

DEBIT = DebitNotice(
    reference="M-1",
    creditor_id="DE98ZZZ09999999999",
    iban="DE89 … 00",
    day=date(2026, 12, 1),
)


def text_of(invoice: StoredInvoice, *, open_amount: int, **changes: object) -> str:
    """The email of an invoice of 60.00 of which so much is open, in one line."""
    document: Document = structs.replace(invoice.document, **changes)
    changed = structs.replace(invoice, open_amount=open_amount, document=document)
    email = compose_email(changed, "Acme", placeholder_domain="none.test")
    return " ".join(email.text.split())


@pytest.fixture
async def invoice(acme: Cast) -> StoredInvoice:
    await turn_on_billing(acme)
    return await bill_one(acme)


def test_it_asks_for_the_whole_amount_if_nothing_is_paid(invoice: StoredInvoice) -> None:
    text = text_of(invoice, open_amount=6000)
    assert "Please pay €60.00 by" in text
    assert "settled" not in text


def test_it_names_what_is_paid_and_asks_for_the_rest(invoice: StoredInvoice) -> None:
    text = text_of(invoice, open_amount=4000)
    assert "Of €60.00, €20.00 is already settled, and €40.00 is still open." in text
    assert "The attached file has the whole amount. Please pay only €40.00 by" in text
    text = text_of(invoice, open_amount=4000, language="de_DE")
    assert "Von 60,00 € sind 20,00 € bereits beglichen und 40,00 € noch offen." in text
    assert "Bitte zahlen Sie nur 40,00 € bis zum" in text


def test_it_asks_for_nothing_if_nothing_is_open(invoice: StoredInvoice) -> None:
    for debit in (None, DEBIT):
        text = text_of(invoice, open_amount=0, debit=debit)
        assert "about €60.00. It is settled, so there is nothing to pay." in text
        assert "Please pay" not in text
        assert "collect" not in text


def test_a_direct_debit_takes_the_rest(invoice: StoredInvoice) -> None:
    text = text_of(invoice, open_amount=6000, debit=DEBIT)
    assert "for Acme. We collect €60.00 by SEPA direct debit" in text
    text = text_of(invoice, open_amount=4000, debit=DEBIT)
    assert "The attached file has the whole amount. We collect €40.00 by SEPA" in text
