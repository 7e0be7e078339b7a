"""The stages of reminders, and what can be agreed about those of an invoice."""

from datetime import date, timedelta

import pytest
from msgspec import structs

from masthead.model.audit_entries import EntryType
from masthead.model.errors import Invalid
from masthead.model.reminders.stages import ReminderSettings
from masthead.services.reminders.settings import (
    adopt_defaults,
    delete_last_stage,
    save_settings,
    save_stage,
)
from masthead.services.reminders.terms import agree
from masthead.store import accounts
from masthead.store.reminders import stages, terms as store
from masthead.store.reminders.terms import ReminderTerm
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.subscriber_pages import history_of


async def test_a_promised_day_is_today_or_at_most_five_years_ahead(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    async with acme.db.read() as db:
        today = (await accounts.get_account(db, acme.account_id)).daily_date

    async def promise(day: date) -> None:
        term = ReminderTerm(promised_date=day, reason="Called")
        await agree(acme.db, acme.account_id, invoice.id, term, by=BY)

    for days, message in ((-1, "is over"), (5 * 365 + 1, "more than 5 years ahead")):
        with pytest.raises(Invalid, match=message) as refusal:
            await promise(today + timedelta(days))
        assert refusal.value.field == "promised_date"
    for days in (0, 5 * 365):
        await promise(today + timedelta(days))
        async with acme.db.read() as db:
            term = await store.get_term(db, acme.account_id, invoice.id)
        assert term.promised_date == today + timedelta(days)


async def test_what_is_agreed_already_is_not_recorded_again(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    for _time in range(2):
        term = ReminderTerm(is_disputed=True, reason="Damaged")
        await agree(acme.db, acme.account_id, invoice.id, term, by=BY)
    events = [event for _by, event in await history_of(acme, invoice.id)]
    assert events.count(EntryType.INVOICE_AGREE_TERM) == 1


async def test_the_stages_follow_each_other(acme: Cast) -> None:
    await turn_on_billing(acme)
    account = acme.db, acme.account_id
    assert await adopt_defaults(*account, by=BY) == 3
    assert await adopt_defaults(*account, by=BY) == 0
    async with acme.db.read() as db:
        [first, *_] = await stages.list_stages(db, acme.account_id)
    for number in (0, 5, 7):
        with pytest.raises(Invalid, match="There can be 6 stages, one after the other") as refusal:
            await save_stage(*account, structs.replace(first, stage=number), by=BY)
        assert refusal.value.field == "stage"
    with pytest.raises(Invalid, match="Only the last stage can be deleted"):
        await delete_last_stage(*account, 2, by=BY)
    await save_settings(*account, ReminderSettings(hold_stage=3), by=BY)
    await delete_last_stage(*account, 3, by=BY)
    async with acme.db.read() as db:
        assert (await stages.get_settings(db, acme.account_id)).hold_stage == 0
        assert len(await stages.list_stages(db, acme.account_id)) == 2
