"""Payers without an email address are told of a direct debit by letter."""

from datetime import date
from io import BytesIO

import pytest
from pypdf import PdfReader

from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.services.debits.mark import mark_invoice
from masthead.services.debits.notice import email_notice
from masthead.services.debits.notice_letters import list_to_print, print_notices
from tests.conftest import BY, Cast
from tests.services.emails.test_notices import SITE, emails_of
from tests.support.billing import HOME, bill_one
from tests.support.checks import execute
from tests.support.debits import debit_one, make_debtor, turn_on_debits


def pages_of(content: bytes) -> list[str]:
    """The text of each page."""
    return [page.extract_text() for page in PdfReader(BytesIO(content)).pages]


async def test_only_what_no_invoice_and_no_email_says_goes_by_letter(acme: Cast) -> None:
    await turn_on_debits(acme)
    with pytest.raises(Invalid, match="There is no notice to print"):
        await print_notices(acme.db, acme.account_id)
    by_letter = await make_debtor(acme, **HOME)
    by_email = await make_debtor(acme, email="payer@x.test", **HOME)
    marked = {}
    for payer in (by_letter, by_email):
        await debit_one(acme, payer)  # its invoice says it
        invoice = await bill_one(acme, subscriber_id=payer)
        marked[payer] = invoice
        day = date(2026, 1, 5)
        await mark_invoice(acme.db, acme.account_id, invoice.id, notified=day, by=BY)
    async with acme.db.read() as db:
        listed = await list_to_print(db, acme.account_id)
    assert [each.invoice_id for each in listed] == [marked[by_letter].id]
    [page] = pages_of(await print_notices(acme.db, acme.account_id))
    for text in ("Ada", "1 Mill Lane", "Acme Verlag GmbH", "60.00", "DE98ZZZ09999999999"):
        assert text in page
    assert marked[by_letter].document.number in page
    assert listed[0].mandate.reference in page
    assert "DE02120300000000202051" not in page
    assert listed[0].mandate.masked in page
    [other] = pages_of(await print_notices(acme.db, acme.account_id, marked[by_email].id))
    assert marked[by_email].document.number in other
    await execute(acme, "UPDATE subscription SET address1 = NULL, city = NULL WHERE {own}")
    [page] = pages_of(await print_notices(acme.db, acme.account_id))
    assert "1 Mill Lane" in page  # as on the invoice


async def test_a_notice_goes_by_email_if_there_is_a_mail_server(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme, email="payer@x.test", **HOME))
    notice = invoice.document.debit
    assert notice is not None

    async def send(site: Site | None) -> None:
        await email_notice(acme.db, acme.account_id, invoice.id, notice, site=site)

    with pytest.raises(Invalid, match="No mail server"):
        await send(None)
    assert await emails_of(acme) == []
    await send(SITE)
    [email] = await emails_of(acme)
    number = invoice.document.number
    assert email["recipient"] == "payer@x.test"
    assert email["subject"] == f"Direct debit for invoice {number} of {acme.name}"
    for text in (notice.reference, notice.creditor_id, "€60.00", "DE** **** … 2051"):
        assert text in email["body"]
