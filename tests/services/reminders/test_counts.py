"""What the pages of reminders count is what would be sent, after any writes."""

import random
from datetime import date, timedelta

import pytest
from msgspec import structs

from masthead.services.background.daily import redo_daily_pass
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.reminders.rounds import stop_round
from masthead.services.reminders.settings import save_stage
from masthead.services.reminders.terms import agree, stop_payer
from masthead.store.reminders import stages as stage_store
from masthead.store.reminders.terms import ReminderTerm
from tests.conftest import BY, Cast
from tests.services.billing.test_payments import pay
from tests.support.billing import bill_one
from tests.support.days import pass_on
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.letters import execute
from tests.support.reminders import due, plan, remind, turn_on_reminders
from tests.support.subscribers import merge

FIRST = date(2026, 6, 1)


@pytest.mark.parametrize("seed", range(2))
async def test_counts_are_those_of_the_plan(acme: Cast, seed: int) -> None:
    chance = random.Random(seed)
    await turn_on_reminders(acme, least_amount=700)
    await redo_daily_pass(acme.db, acme.account_id, FIRST, by=BY)
    invoices = []
    for number in range(14):
        payer = number if number < 10 else chance.randrange(10)
        invoices.append(
            await bill_one(
                acme,
                order_id=f"{number}",
                due_days=chance.choice((7, 14)),
                email=f"{payer}@example.org",
                price=chance.choice(("6", "60", "80")),
            )
        )
    for column, value in (("bounced_at", invoices[0].created_at), ("is_placeholder", True)):
        for each in chance.sample(invoices, 3):
            await execute(
                acme,
                f"UPDATE subscriber SET {column} = :value"  # noqa: S608 - a constant
                " WHERE account_id = :account_id AND id = :id",
                value=value,
                id=each.payer_id,
            )
    for each in chance.sample(invoices, 3):
        await execute(
            acme,
            "UPDATE subscription SET city = NULL, postcode = NULL"
            " WHERE account_id = :account_id AND subscriber_id = :id",
            id=each.payer_id,
        )
    async with acme.db.read() as db:
        [*_, last] = await stage_store.list_stages(db, acme.account_id)
    await save_stage(acme.db, acme.account_id, structs.replace(last, is_printed=True), by=BY)
    day, found = FIRST + timedelta(days=14), 0
    erased, merged = set[str](), set[str]()
    for _step in range(12):
        day += timedelta(days=chance.randrange(3, 12))
        await pass_on(acme, day.isoformat())
        found += len((await plan(acme)).letters)
        stage = chance.choice((1, 1, 2, 3))
        if await due(acme, stage):
            made = await remind(acme, stage)
            if chance.random() < 0.3:
                await stop_round(acme.db, acme.account_id, made.id, by=BY)
            await plan(acme)
        invoice = chance.choice(invoices)
        if invoice.payer_id in erased | merged:
            continue
        match chance.randrange(5):
            case 0:
                promised = day + timedelta(days=chance.randrange(9))
                is_stopped = chance.random() < 0.3
                term = ReminderTerm(promised_date=promised, is_stopped=is_stopped, reason="Said")
                await agree(acme.db, acme.account_id, invoice.id, term, by=BY)
            case 1:
                reason = chance.choice(("Friend", None))
                await stop_payer(acme.db, acme.account_id, invoice.payer_id, reason=reason, by=BY)
            case 2:
                amount = chance.choice(("5.00", "55.00", "90.00"))
                await pay(acme, amount=amount, payer=invoice.payer_id)
            case 3:
                erased.add(invoice.payer_id)
                await erase_subscriber(
                    acme.db,
                    acme.account_id,
                    invoice.payer_id,
                    is_cancelling=True,
                    placeholder_domain=PLACEHOLDER_DOMAIN,
                    by=BY,
                )
            case _:
                other = chance.choice(invoices).payer_id
                if other not in {*erased, *merged, invoice.payer_id}:
                    merged.add(other)
                    await merge(acme, invoice.payer_id, other)
        await plan(acme)
    assert found
