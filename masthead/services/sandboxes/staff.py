"""What staff do when it is due, and a sandbox by itself: letters, reminders, direct debits.

Each function does what is due on the day of an account in one transaction, by the services of the
desk. What was done is not due any more, so that a repetition does nothing.
"""

from datetime import date

from masthead.model.actors import Actor
from masthead.model.debits.bank_days import next_bank_day
from masthead.model.debits.rules import MAX_DEBITS
from masthead.model.emails import Site
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.billing.returned import take_back
from masthead.services.debits.book import book_collection
from masthead.services.debits.collect import create_collections, mark_sent
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters import printing
from masthead.services.letters.recipients import plan_letters
from masthead.services.letters.write import write_planned
from masthead.services.reminders import rounds
from masthead.services.reminders.plan import MOST, plan_reminders
from masthead.services.reminders.write import send_round
from masthead.store import accounts
from masthead.store.billing import payments
from masthead.store.debits import collections, records as debits, settings as debit_settings
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.wrapped import OneTransaction
from masthead.store.sandboxes.debits import list_declined

NO_MONEY = "AM04"  # the reason of a return that leaves the mandate as it is


async def send_letters(db: Database, account_id: int, *, site: Site, by: Actor) -> None:
    """Send the renewal letters of all stages that are due, by email and on paper."""
    secret = await get_secret(db)

    async def work(tx: Transaction) -> None:
        account = await accounts.lock_account(tx, account_id)
        for stage in RenewalStage:
            plan = await plan_letters(tx, account, stage)
            for channel in LetterChannel:
                if plan.going_out(channel):
                    made = await write_planned(
                        tx, account, plan, stage, channel, secret=secret, site=site, by=by
                    )
                    if channel is LetterChannel.PRINT:
                        one = OneTransaction(db, tx, is_long=True)
                        await printing.mark_printed(one, account_id, made.id, by=by)

    await db.write(work, account_id=account_id, is_long=True)


async def send_reminders(db: Database, account_id: int, *, site: Site, by: Actor) -> None:
    """Send the reminders that are due, the highest stage first, by email and on paper."""

    async def work(tx: Transaction) -> None:
        account = await accounts.lock_account(tx, account_id)
        plan = await plan_reminders(tx, account, account.daily_date)
        one = OneTransaction(db, tx, is_long=True)
        for stage in reversed(plan.stages):
            keys = [each.key for each in plan.of_stage(stage.stage)]
            for start in range(0, len(keys), MOST):
                chosen = keys[start : start + MOST]
                made = await send_round(one, account_id, stage.stage, chosen, site=site, by=by)
                if made.to_print:
                    await rounds.mark_printed(one, account_id, made.id, by=by)

    await db.write(work, account_id=account_id, is_long=True)


async def collect_debits(db: Database, account_id: int, day: date, *, by: Actor) -> None:
    """Record what the bank credits on a day, and send it what it collects on its next day.

    Direct debits of payers whose email begins with `declined` come back on the same day.
    """

    async def work(tx: Transaction) -> None:
        if await debit_settings.find_settings(tx, account_id) is None:
            return
        account = await accounts.lock_account(tx, account_id)
        one = OneTransaction(db, tx, is_long=True)
        for each in await collections.find_unbooked(tx, account_id, first=date.min, last=day):
            if each.sent_at is None:
                continue
            await book_collection(one, account_id, each.id, by=by)
            for id in await list_declined(tx, account_id, each.id):
                payment = await payments.get_payment(tx, account_id, id)
                await take_back(
                    tx, account, payment, day=day, reason=NO_MONEY, reference="", bank_fee=0, by=by
                )
        goal = next_bank_day(day)
        waiting = await debits.list_waiting(tx, account_id, last_day=goal, limit=MAX_DEBITS)
        ids = [each.id for each in waiting if not each.problem_on(goal)]
        if ids:
            for made in await create_collections(one, account_id, day=goal, debit_ids=ids, by=by):
                await mark_sent(one, account_id, made.id, by=by)

    await db.write(work, account_id=account_id, is_long=True)
