"""A payment while reminders are sent, and a mailing that is prepared while copies are held."""

import asyncio
from datetime import date

import pytest

from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.errors import Invalid
from masthead.services.background.daily import redo_daily_pass
from masthead.services.dispatch.runs import freeze_dispatch
from masthead.services.holds.by_hand import hold
from masthead.services.reminders.write import SentRound, send_round
from masthead.store.dispatch import lines
from masthead.store.holds import records as holds
from tests.conftest import BY, Cast
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS, repeat, run
from tests.support.billing import bill_one, read_invoice
from tests.support.days import pass_on
from tests.support.factories import make_issue, make_subscription
from tests.support.protections import REFUSED_OR_BROKEN
from tests.support.reminders import SITE, due, turn_on_reminders

pytestmark = pytest.mark.races


async def pay_while_reminding(one: Cast, two: Cast, number: int) -> None:
    """Either the payment is first and nothing is sent, or it releases what the reminder held."""
    if number == 10:
        await turn_on_reminders(one, fees=(100, 0, 0), hold_stage=1)
        await redo_daily_pass(one.db, one.account_id, date(2026, 6, 1), by=BY)
        await pass_on(one, "2026-06-20")
    await redo_daily_pass(one.db, one.account_id, date(2026, 6, 1), by=BY)
    invoice = await bill_one(one, order_id=f"R{number}", due_days=1, email=f"r{number}@example.org")
    await pass_on(one, "2026-06-20")
    keys = [each.key for each in await due(one, 1) if each.payer_id == invoice.payer_id]
    assert len(keys) == 1

    async def remind() -> SentRound | Invalid:
        try:
            return await send_round(two.db, two.account_id, 1, keys, site=SITE, by=BY)
        except Invalid as reason:
            return reason

    body = {"amount": "60", "invoices": [{"number": invoice.document.number}]}
    sent, paid = await asyncio.gather(remind(), one.post("/v1/payments/", body))
    assert paid.status_code == 201, paid.text
    assert (await read_invoice(one, invoice.id)).open_amount == 0
    async with one.db.read() as db:
        known = await holds.list_of_invoice(db, one.account_id, invoice.id)
    assert not any(each.is_open for each in known)
    assert len(known) == (1 if isinstance(sent, SentRound) else 0)


async def hold_while_freezing(one: Cast, two: Cast, number: int) -> None:
    """A copy is in the mailing, or held before it was prepared; never both left out and free."""
    issue = await make_issue(one, number)
    made = await make_subscription(one, start_issue=number, length=1)
    other = await make_subscription(one, start_issue=number, length=1)
    made_run, held = await asyncio.gather(
        freeze_dispatch(one.db, one.account_id, issue["id"], DispatchSelection(), by=BY),
        hold(two.db, two.account_id, made["id"], reason="Late", by=BY),
    )
    assert held == 1
    found = await lines.list_lines(one.db, one.account_id, made_run.id, after=0, limit=9)
    ids = {each.subscription_id for each in found}
    assert other["id"] in ids
    async with one.db.read() as db:
        [known] = await holds.list_of_subscriptions(db, one.account_id, [made["id"]])
    assert (made["id"] in ids) == (known.created_at > made_run.created_at)


@pytest.mark.parametrize("race", [pay_while_reminding, hold_while_freezing])
async def test_the_data_is_correct_after_every_race(race: Race, pair: tuple[Cast, Cast]) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
async def test_without_its_protection_a_race_fails(unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(pay_while_reminding, unlocked_url, CONTROL_ROUNDS)
