"""What can be agreed about the reminders of an invoice."""

from datetime import date, timedelta

import pytest

from masthead.model.errors import Invalid
from masthead.services.reminders.terms import agree
from masthead.store import accounts
from masthead.store.reminders import terms as store
from masthead.store.reminders.terms import ReminderTerm
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, turn_on_billing


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
