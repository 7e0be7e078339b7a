"""Accounts that remind of overdue invoices, and rounds of reminders."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import structs

from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.ids import new_id
from masthead.model.letters.outcomes import LetterChannel, LetterStatus
from masthead.model.reminders.due import PlannedReminder
from masthead.model.reminders.stages import ReminderSettings
from masthead.services.reminders.counts import count_reminders, find_letters
from masthead.services.reminders.plan import ReminderPlan, plan_reminders
from masthead.services.reminders.settings import adopt_defaults, save_settings, save_stage
from masthead.services.reminders.terms import agree, stop_payer
from masthead.services.reminders.write import SentRound, send_round
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.reminders import records, stages
from masthead.store.reminders.records import ReminderRound, StoredReminder
from masthead.store.reminders.terms import ReminderTerm
from tests.conftest import BY, Cast
from tests.support.billing import turn_on_billing

SITE = Site("https://desk.test", "desk.test")


async def turn_on_reminders(
    cast: Cast, *, fees: Sequence[int] = (0, 250, 500), **settings: Any
) -> None:
    """Let an account write invoices, and remind in three stages: after 7, 14 and 14 days."""
    await turn_on_billing(cast)
    await adopt_defaults(cast.db, cast.account_id, by=BY)
    async with cast.db.read() as db:
        known = await stages.list_stages(db, cast.account_id)
    for stage, fee in zip(known, fees, strict=True):
        changed = structs.replace(stage, fee=fee)
        await save_stage(cast.db, cast.account_id, changed, by=BY)
    await save_settings(cast.db, cast.account_id, ReminderSettings(**settings), by=BY)


async def plan(cast: Cast) -> ReminderPlan:
    """What is due today; the pages count and list the same."""
    async with cast.db.read(aside=True) as db:
        account = await accounts.get_account(db, cast.account_id)
        await require_counts(db, account, has_mail=False)
        return await require_counts(db, account, has_mail=True)


async def require_counts(db: Connection, account: Account, *, has_mail: bool) -> ReminderPlan:
    """The reminders that are due; fails unless the pages count and list the same."""
    day = account.daily_date
    planned = await plan_reminders(db, account, day, has_mail=has_mail)
    counted = await count_reminders(db, account, day, most=2, has_mail=has_mail)
    assert counted.counts == Counter((each.stage.stage, each.channel) for each in planned.letters)
    assert len(counted.left_out) == min(2, len(planned.left_out))
    assert len(counted.left_out) + counted.others == len(planned.left_out)
    everything = await count_reminders(db, account, day, most=500, has_mail=has_mail)
    assert not everything.others
    by_id = {each.invoice.id: each for each in planned.left_out}
    assert {each.invoice.id: each for each in everything.left_out} == by_id
    assert counted.left_out == everything.left_out[:2]
    for stage in planned.stages:
        letters = planned.of_stage(stage.stage)
        found, more = await find_letters(db, account, day, stage.stage, most=2, has_mail=has_mail)
        assert (list(found.letters), more) == (letters[:2], len(letters[2:]))
    return planned


async def due(cast: Cast, stage: int) -> list[PlannedReminder]:
    """The letters of a stage that are due today."""
    return (await plan(cast)).of_stage(stage)


async def remind(cast: Cast, stage: int) -> SentRound:
    """Send all reminders of a stage that are due today."""
    keys = [each.key for each in await due(cast, stage)]
    return await send_round(cast.db, cast.account_id, stage, keys, site=SITE, by=BY)


async def insert_reminder(cast: Cast, invoice: StoredInvoice) -> None:
    """Three stages, and a reminder of an invoice with its fee, as if it were overdue."""
    await adopt_defaults(cast.db, cast.account_id, by=BY)
    settings = ReminderSettings(least_amount=500, hold_stage=2)
    await save_settings(cast.db, cast.account_id, settings, by=BY)
    term = ReminderTerm(is_disputed=True, reason="=1")
    await agree(cast.db, cast.account_id, invoice.id, term, by=BY)
    await stop_payer(cast.db, cast.account_id, invoice.payer_id, reason="=1", by=BY)
    made = ReminderRound(
        id=new_id(cast.account_id),
        stage=1,
        name="=Notice",
        letters=1,
        created_at=now(),
        actor_kind=BY.kind,
        actor_id=BY.id,
    )
    reminder = StoredReminder(
        id=new_id(cast.account_id),
        round_id=made.id,
        payer_id=invoice.payer_id,
        stage=1,
        reminded_date=invoice.document.due_date,
        channel=LetterChannel.PRINT,
        status=LetterStatus.PRINTED,
        reason=None,
        currency=invoice.document.currency,
        total=invoice.open_amount,
        fee_id=None,
        encloses_invoices=False,
        subject="Notice",
        body="Please pay",
        address="Ada\nUlm",
        created_at=now(),
        ended_at=now(),
    )
    item = {"reminder_id": reminder.id, "invoice_id": invoice.id, "stage": 1}
    item |= {"due_date": invoice.document.due_date, "open_amount": invoice.open_amount}

    async def work(tx: Transaction) -> None:
        await records.insert_round(tx, cast.account_id, made)
        await records.insert_reminders(tx, cast.account_id, [reminder], [item])

    await cast.db.write(work, account_id=cast.account_id)
