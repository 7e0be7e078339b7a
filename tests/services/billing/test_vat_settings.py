"""The exemption of small businesses and the digital part of bundles hold from a day on."""

from datetime import date, timedelta

import pytest
from msgspec import structs

from masthead.model.billing.journal import JournalEntry
from masthead.model.billing.sales import VatLine
from masthead.model.billing.settings import BillingInput
from masthead.model.billing.terms import BillingTerms
from masthead.model.billing.vat import TaxedPart, VatCategory, VatSetting
from masthead.model.errors import Invalid
from masthead.model.revenue.statement_figures import Sums
from masthead.model.validation import decode_input
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.journal import add_up_sales
from masthead.services.billing.settings import delete_vat_setting, save_settings, save_vat_setting
from masthead.services.check.revenue import figures_by_kind, recount_figures
from masthead.services.revenue.statements import work_out
from masthead.store.accounts import get_account
from masthead.store.billing.settings import find_settings
from tests.conftest import BY, Cast
from tests.services.test_audit import trail
from tests.support.billing import RATES, SETTINGS, bill_one, list_journal, turn_on_billing
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.factories import make_subscription
from tests.support.revenue import add_refund

OLD, NEW = date(2025, 12, 31), date(2026, 1, 1)
LOST = VatSetting(first_day=NEW, is_small_business=False, digital_percent=0)
EXEMPT = TaxedPart(VatCategory.EXEMPT, 0)
REDUCED, FULL = TaxedPart(VatCategory.STANDARD, 700), TaxedPart(VatCategory.STANDARD, 1900)


async def set_from_day(cast: Cast, setting: VatSetting) -> None:
    await save_vat_setting(cast.db, cast.account_id, setting, by=BY)


async def figures(cast: Cast, day: date) -> tuple[list[VatLine], list[JournalEntry], Sums]:
    """The VAT, the journal and the statement of a day; the database recounts the statement."""
    async with cast.db.read() as db:
        lines = await add_up_sales(db, cast.account_id, day, day)
        entries = await list_journal(db, cast.account_id, day, day)
    worked_out = await work_out(cast.db, cast.account_id, day)
    assert figures_by_kind(worked_out) == await recount_figures(cast.db, cast.account_id, day)
    found = worked_out.find("EUR")
    return lines, entries, found.total if found else Sums()


def vat_by_tax(lines: list[VatLine]) -> dict[TaxedPart | None, tuple[int, int]]:
    return {each.tax: (each.net, each.vat) for each in lines}


async def test_who_loses_the_exemption_keeps_the_figures_of_last_year(acme: Cast) -> None:
    await turn_on_billing(acme, is_small_business=True)
    await redo_daily_pass(acme.db, acme.account_id, OLD, by=BY)
    await make_subscription(acme, order_id="OLD", price="107.00", order_date=str(OLD))
    await bill_one(acme, order_id="BILLED", price="107.00", order_date=str(OLD))
    before = await figures(acme, OLD)
    assert vat_by_tax(before[0]) == {EXEMPT: (214_00, 0)}

    await set_from_day(acme, LOST)
    assert await figures(acme, OLD) == before
    await pass_on(acme, str(NEW))
    await make_subscription(acme, order_id="NEW", price="107.00", order_date=str(NEW))
    await bill_one(acme, order_id="BILLED-2", price="107.00", order_date=str(NEW))
    lines, _entries, sums = await figures(acme, NEW)
    assert vat_by_tax(lines) == {REDUCED: (200_00, 14_00)}
    assert sums.vat == 14_00
    assert await figures(acme, OLD) == before
    # What goes back has the VAT of its order
    await add_refund(acme, "OLD", str(NEW), 53_50)
    lines, _entries, _sums = await figures(acme, NEW)
    assert vat_by_tax(lines) == {REDUCED: (200_00, 14_00), EXEMPT: (-53_50, 0)}
    assert await faults(acme) == []


async def test_another_digital_part_changes_no_order_of_a_day_before(acme: Cast) -> None:
    await turn_on_billing(acme, digital_percent=50)
    both = {"medium": "Print + digital", "price": "100.00"}
    await redo_daily_pass(acme.db, acme.account_id, OLD, by=BY)
    await make_subscription(acme, order_id="OLD", order_date=str(OLD), **both)
    before = await figures(acme, OLD)
    assert before[2].vat == 3_27 + 7_98  # of 50.00 each, at 7 and 19 %
    await set_from_day(acme, structs.replace(LOST, digital_percent=20))
    await pass_on(acme, str(NEW))
    await make_subscription(acme, order_id="NEW", order_date=str(NEW), **both)
    lines, _entries, sums = await figures(acme, NEW)
    assert vat_by_tax(lines) == {REDUCED: (74_77, 5_23), FULL: (16_81, 3_19)}
    assert sums.vat == 3_27 + 7_98 + 5_23 + 3_19
    assert await figures(acme, OLD) == before
    assert await faults(acme) == []


async def test_an_invoice_is_replaced_with_what_held_on_its_day(acme: Cast) -> None:
    await turn_on_billing(acme, is_small_business=True)
    await redo_daily_pass(acme.db, acme.account_id, OLD, by=BY)
    invoice = await bill_one(acme, price="107.00", order_date=str(OLD))
    await set_from_day(acme, LOST)
    await pass_on(acme, str(NEW))
    await correct_invoice(acme.db, acme.account_id, invoice.id, BillingTerms(), reason="x", by=BY)
    lines, _entries, _sums = await figures(acme, NEW)
    assert vat_by_tax(lines) in ({}, {EXEMPT: (0, 0)})


async def test_the_settings_of_invoices_change_it_from_today_on_if_they_name_it(acme: Cast) -> None:
    await turn_on_billing(acme, digital_percent=50)
    await set_from_day(acme, LOST)
    today = (await get_account(acme.db, acme.account_id)).daily_date
    assert today > NEW
    held = structs.replace(LOST, first_day=date.min, digital_percent=50)
    changes: list[tuple[dict[str, object], VatSetting]] = [
        ({"due_days": 7}, LOST),
        ({"due_days": 7, "digital_percent": 0}, LOST),
        ({"is_small_business": True}, VatSetting(first_day=today, is_small_business=True)),
    ]
    for given, on_today in changes:
        asked = decode_input(BillingInput, SETTINGS | given)
        await save_settings(acme.db, acme.account_id, asked, by=BY)
        settings = await find_settings(acme.db, acme.account_id)
        assert settings is not None
        days = (OLD, NEW, today - timedelta(days=1), today)
        assert [settings.vat_on(day) for day in days] == [held, LOST, LOST, on_today]
    noted = await trail(acme, "account", acme.account_id)
    assert [each["action"] for each in noted].count("account.update_vat") == len(RATES) + 2


async def test_changes_are_noted_and_deleted_unless_an_invoice_may_have_them(acme: Cast) -> None:
    await turn_on_billing(acme, digital_percent=50)
    await redo_daily_pass(acme.db, acme.account_id, NEW, by=BY)
    next_year = date(2027, 1, 1)
    await set_from_day(acme, LOST)
    await set_from_day(acme, structs.replace(LOST, first_day=next_year, digital_percent=10))
    await bill_one(acme, order_date=str(NEW))
    account = acme.db, acme.account_id
    with pytest.raises(Invalid, match="Invoices were issued since 2026-01-01"):
        await delete_vat_setting(*account, NEW, by=BY)
    await delete_vat_setting(*account, next_year, by=BY)
    await delete_vat_setting(*account, next_year - timedelta(days=1), by=BY)  # there is none
    settings = await find_settings(*account)
    assert settings is not None
    assert settings.vat_settings == (LOST,)
    changes = [
        (each["before"]["digital_percent"], each["after"]["digital_percent"])
        for each in await trail(acme, "account", acme.account_id)
        if each["action"] == "account.update_vat" and "rate" not in each["after"]
    ]
    assert changes == [(50, 0), (0, 10), (10, 0)]
