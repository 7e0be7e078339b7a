"""The year's end, and a rate that changes tomorrow."""

from datetime import date

from masthead.model.billing.terms import BillingTerms
from masthead.model.billing.vat import VatRate
from masthead.model.types.enums import Medium
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.settings import save_rate
from masthead.services.billing.waiting import issue_waiting
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, bill_together, read_invoice, turn_on_billing
from tests.support.checks import faults
from tests.support.days import pass_on


async def test_each_year_has_its_own_numbers(acme: Cast) -> None:
    await turn_on_billing(acme)
    await pass_on(acme, "2099-12-31")
    last = await bill_one(acme)
    await pass_on(acme, "2100-01-01")
    first = await bill_one(acme)
    done = await correct_invoice(
        acme.db, acme.account_id, last.id, BillingTerms(), reason="Name", by=BY
    )
    note, new = [await read_invoice(acme, id) for id in (done.credit_note_id, *done.invoice_ids)]
    numbers = [each.document.number for each in (last, first, note, new)]
    assert numbers == ["2099-00001", "2100-00001", "2100-00002", "2100-00003"]
    assert note.document.corrects == "2099-00001"
    assert await faults(acme) == []


async def test_a_rate_of_tomorrow_is_for_invoices_of_tomorrow(acme: Cast) -> None:
    await turn_on_billing(acme)
    await pass_on(acme, "2099-06-30")
    await bill_together(acme)  # waits, so that the day of its invoice decides
    new = VatRate(first_day=date(2099, 7, 1), place="home", rate=2100)
    await save_rate(acme.db, acme.account_id, new, by=BY)
    dear = VatRate(first_day=date(2099, 7, 1), place="home", medium=Medium.PRINT, rate=1000)
    await save_rate(acme.db, acme.account_id, dear, by=BY)
    assert (await bill_one(acme)).document.lines[0].rate == 700
    await pass_on(acme, "2099-07-01")
    assert (await bill_one(acme)).document.lines[0].rate == 1000
    assert (await issue_waiting(acme.db, acme.account_id, by=BY)).count == 1
    rows = await acme.db.fetch_all(
        "SELECT rate FROM invoice_line WHERE account_id = :account_id ORDER BY invoice_id",
        {"account_id": acme.account_id},
    )
    assert [row["rate"] for row in rows] == [700, 1000, 1000]


async def test_an_invoice_that_replaces_another_keeps_the_rate_of_the_first(acme: Cast) -> None:
    await turn_on_billing(acme)
    await pass_on(acme, "2099-06-30")
    first = await bill_one(acme)
    dear = VatRate(first_day=date(2099, 7, 1), place="home", medium=Medium.PRINT, rate=1000)
    await save_rate(acme.db, acme.account_id, dear, by=BY)
    id = first.id
    for day in ("2099-07-01", "2099-07-02"):  # also a second time
        await pass_on(acme, day)
        done = await correct_invoice(
            acme.db, acme.account_id, id, BillingTerms(), reason="Address", by=BY
        )
        [id] = done.invoice_ids
        new, note = await read_invoice(acme, id), await read_invoice(acme, done.credit_note_id)
        assert str(new.document.issue_date) == day
        assert (new.document.vat, note.document.vat) == (first.document.vat, first.document.vat)
        assert new.document.lines[0].rate == 700
    assert await faults(acme) == []
