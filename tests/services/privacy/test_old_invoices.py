"""People on invoices: kept as long as tax law wants them, and then taken off."""

from datetime import date, timedelta

import pytest

from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.billing.printing import PrintedDocument
from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.model.privacy.retention import RetentionKind, RetentionRule, last_day
from masthead.services.billing.balances import pay_back
from masthead.services.billing.emails import email_invoice, email_invoices
from masthead.services.billing.files.invoice_pdf import write_pdf
from masthead.services.billing.new_payers import write_chosen_payer
from masthead.services.billing.payments import ReceivedPayment
from masthead.services.check.accounts import check_account
from masthead.services.privacy.retention import preview_rule, run_retention, save_rules
from tests.conftest import BY, Cast
from tests.support.billing import HOME, bill_one, read_invoice, turn_on_billing
from tests.support.debits import debit_one, make_debtor, turn_on_debits
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.privacy import erase
from tests.support.subscribers import make_subscriber

SITE = Site("https://masthead.test", "masthead.test")


async def make_agency(cast: Cast) -> str:
    """A payer who subscribes to nothing."""
    entry = PayerEntry(
        payer_company="Lesezirkel AG",
        payer_email="agency@x.test",
        **{f"payer_{name}": value for name, value in HOME.items()},
    )
    return await write_chosen_payer(
        cast.db,
        cast.account_id,
        "",
        new_payer=entry,
        vat_id="",
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )


async def apply(cast: Cast, day: date, *kinds: RetentionKind) -> dict[RetentionKind, int]:
    """Apply rules as of a day, with their default months but one for former subscribers."""
    rules = [
        RetentionRule(
            kind=kind, months=1 if kind == "ended_subscribers" else 120, is_automatic=True
        )
        for kind in kinds
    ]
    await save_rules(cast.db, cast.account_id, rules, by=BY)
    return await run_retention(
        cast.db, cast.account_id, day, placeholder_domain=PLACEHOLDER_DOMAIN, by=BY
    )


def test_the_year_of_an_invoice_counts_as_a_whole() -> None:
    rule = RetentionRule(kind=RetentionKind.INVOICES, months=120, is_automatic=True)
    assert last_day(rule, date(2036, 12, 31)) == date(2026, 1, 1)
    assert last_day(rule, date(2037, 1, 1)) == date(2027, 1, 1)


async def test_a_payer_is_kept_as_long_as_the_invoice_and_then_erased(acme: Cast) -> None:
    await turn_on_billing(acme)
    agency = await make_agency(acme)
    invoice = await bill_one(acme, payer_id=agency, first_name="Grace", last_name="Hopper")
    await acme.post("/v1/payments/", {"amount": "60.00", "payer": agency})
    year = invoice.document.issue_date.year
    former, invoices = RetentionKind.ENDED_SUBSCRIBERS, RetentionKind.INVOICES
    assert await apply(acme, date(year + 10, 12, 31), former, invoices) == {}
    async with acme.db.read(is_long=True) as db:
        rule = RetentionRule(kind=invoices, months=120, is_automatic=True)
        found = await preview_rule(db, acme.account_id, rule, day=date(year + 11, 1, 1))
    assert [(each.label, each.page) for each in found.examples] == [
        (invoice.document.number, ("money", "invoices", invoice.id))
    ]
    assert await apply(acme, date(year + 11, 1, 1), former, invoices) == {former: 1, invoices: 1}
    kept = (await read_invoice(acme, invoice.id)).document
    assert (kept.payer.address, kept.payer.email, kept.lines[0].detail) == ("", "", "")
    assert "Hopper" not in str(kept)
    assert (kept.number, kept.total, kept.vat) == (
        invoice.document.number,
        invoice.document.total,
        invoice.document.vat,
    )
    assert write_pdf([PrintedDocument(kept)]).startswith(b"%PDF")
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []
    assert await apply(acme, date(year + 12, 1, 1), former, invoices) == {}


async def test_an_open_invoice_keeps_its_people_and_its_payer(acme: Cast) -> None:
    await turn_on_billing(acme)
    agency = await make_agency(acme)
    invoice = await bill_one(acme, payer_id=agency)
    later = invoice.document.issue_date + timedelta(days=365 * 20)
    kinds = RetentionKind.ENDED_SUBSCRIBERS, RetentionKind.INVOICES
    assert await apply(acme, later, *kinds) == {}


async def test_a_payer_who_has_a_credit_is_not_erased_by_a_rule(acme: Cast) -> None:
    """Otherwise nobody could pay it back."""
    await turn_on_billing(acme)
    agency = await make_agency(acme)
    await acme.post("/v1/payments/", {"amount": "60.00", "payer": agency})
    later = date(2050, 1, 1)
    assert await apply(acme, later, RetentionKind.ENDED_SUBSCRIBERS) == {}
    back = ReceivedPayment(
        payer_id=agency, payment_date=date(2026, 1, 2), amount=60_00, currency="EUR"
    )
    await pay_back(acme.db, acme.account_id, back, by=BY)
    assert await apply(acme, later, RetentionKind.ENDED_SUBSCRIBERS) == {"ended_subscribers": 1}


async def test_the_mandate_is_taken_off_with_the_people(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    assert invoice.document.debit is not None
    await acme.post("/v1/payments/", {"amount": "60.00", "payer": invoice.payer_id})
    done = await apply(acme, date(2050, 1, 1), RetentionKind.INVOICES)
    assert done == {RetentionKind.INVOICES: 1}
    kept = (await read_invoice(acme, invoice.id)).document
    assert kept.debit is None
    assert write_pdf([PrintedDocument(kept)]).startswith(b"%PDF")


async def test_the_audit_log_forgets_who_got_an_invoice(acme: Cast) -> None:
    """Its entries name the payer, and the address to which the invoice was emailed."""
    await turn_on_billing(acme)
    payer = await make_subscriber(acme, "ada@x.test", first_name="Ada", last_name="Byron", **HOME)
    invoice = await bill_one(acme, subscriber_id=payer)
    await email_invoice(
        acme.db, acme.account_id, invoice.id, recipient="ada@x.test", site=SITE, by=BY
    )
    assert "Byron" in (before := await audit_of(acme, invoice.id))
    assert "ada@x.test" in before
    done = await apply(acme, date(2050, 1, 1), RetentionKind.AUDIT_DETAILS)
    assert done[RetentionKind.AUDIT_DETAILS] > 0
    after = await audit_of(acme, invoice.id)
    assert "Byron" not in after
    assert "ada@x.test" not in after
    assert invoice.document.number in after


async def audit_of(cast: Cast, id: str) -> str:
    """What the audit log says of a record."""
    rows = await cast.db.fetch_all(
        "SELECT after FROM audit WHERE account_id = :account_id AND subject_id = :id",
        {"account_id": cast.account_id, "id": id},
    )
    return " ".join(row["after"] for row in rows)


async def test_the_invoice_of_an_erased_payer_is_not_emailed(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await make_subscriber(acme, "ada@x.test", **HOME)
    invoice = await bill_one(acme, payer_id=payer)
    await erase(acme, payer)
    with pytest.raises(Invalid, match="was erased, so it is not emailed"):
        await email_invoice(
            acme.db, acme.account_id, invoice.id, recipient="a@x.test", site=SITE, by=BY
        )
    sent = await email_invoices(acme.db, acme.account_id, [invoice.id], site=SITE, by=BY)
    assert sent == 0
