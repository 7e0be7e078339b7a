"""Change the stages of reminders, and test them."""

from collections.abc import Collection
from datetime import timedelta

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.terms import require_settings
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import Addressee, LetterChannel
from masthead.model.reminders.due import OverdueInvoice, PlannedReminder, ReminderItem
from masthead.model.reminders.stages import (
    MAX_STAGES,
    ReminderSettings,
    ReminderStage,
    check_settings,
    check_stage,
)
from masthead.model.reminders.texts import default_stages, placeholders
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.enums import Salutation
from masthead.model.types.money import money_text
from masthead.services.emails.messages import require_real_address, subject_of_test
from masthead.services.reminders.plan import ReminderPlan, plan_reminders
from masthead.services.reminders.write import compose
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.background import outbox
from masthead.store.billing import settings as billing_store
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.reminders import stages as store
from masthead.store.reminders.records import StoredReminder


@with_locked_account
async def adopt_defaults(tx: Transaction, account: Account, *, by: Actor) -> int:
    """Give an account without stages the three that come with masthead; returns how many.

    Raises: Invalid without settings for invoices.
    """
    require_settings(await billing_store.find_settings(tx, account.id))
    if await store.list_stages(tx, account.id):
        return 0
    with in_language(account.locale):
        stages = default_stages()
    for each in stages:
        await store.save_stage(tx, account.id, each)
    after = {"stages": ", ".join(each.name for each in stages)}
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_REMINDERS, account.id, None, after)
    await trail.record(tx, account.id, by, [entry])
    return len(stages)


@with_locked_account
async def save_stage(tx: Transaction, account: Account, stage: ReminderStage, *, by: Actor) -> None:
    """Change a stage, or add one after the last. Raises: Invalid."""
    checked = check_stage(stage, placeholders())
    known = await store.list_stages(tx, account.id)
    if not 1 <= checked.stage <= min(len(known) + 1, MAX_STAGES):
        raise Invalid(
            _("There can be {most} stages, one after the other.").format(most=MAX_STAGES),
            field="stage",
            value=checked.stage,
        )
    is_new = checked.stage > len(known)
    old = {} if is_new else _shown(known[checked.stage - 1], account.currency)
    new = _shown(checked, account.currency)
    changed = [name for name in new if new[name] != old.get(name)]
    if not changed:
        return
    await store.save_stage(tx, account.id, checked)
    entry = NewEntry(
        EntryType.ACCOUNT_UPDATE_REMINDERS,
        account.id,
        None if is_new else {name: old[name] for name in changed},
        {"reminder": checked.name, **{name: new[name] for name in changed}}
        | _currency_of(changed, account),
    )
    await trail.record(tx, account.id, by, [entry])


def _currency_of(changed: Collection[str], account: Account) -> dict[str, object]:
    """The currency of the amounts that changed; empty if none did."""
    return {"currency": account.currency} if {"fee", "least_amount"} & set(changed) else {}


def _shown(stage: ReminderStage, currency: str) -> dict[str, object]:
    """A stage as the audit trail has it."""
    return {**structs.asdict(stage), "fee": money_text(stage.fee, currency)}


@with_locked_account
async def delete_last_stage(tx: Transaction, account: Account, stage: int, *, by: Actor) -> None:
    """Delete the last stage. Reminders that were sent stay. Raises: Invalid."""
    known = await store.list_stages(tx, account.id)
    if not known or stage != known[-1].stage:
        raise Invalid(_("Only the last stage can be deleted."), field="stage", value=stage)
    await store.delete_stage(tx, account.id, stage)
    settings = await store.get_settings(tx, account.id)
    if settings.hold_stage == stage:
        await store.save_settings(tx, account.id, structs.replace(settings, hold_stage=0))
    entry = NewEntry(
        EntryType.ACCOUNT_UPDATE_REMINDERS, account.id, {"reminder": known[-1].name}, None
    )
    await trail.record(tx, account.id, by, [entry])


@with_locked_account
async def save_settings(
    tx: Transaction, account: Account, settings: ReminderSettings, *, by: Actor
) -> None:
    """Store the smallest amount, and the stage that holds copies. Raises: Invalid."""
    check_settings(settings, await store.list_stages(tx, account.id))
    known = await store.get_settings(tx, account.id)
    old, new = (
        {
            "least_amount": money_text(each.least_amount, account.currency),
            "hold_stage": each.hold_stage,
        }
        for each in (known, settings)
    )
    changed = [name for name in new if new[name] != old[name]]
    if changed:
        await store.save_settings(tx, account.id, settings)
        entry = NewEntry(
            EntryType.ACCOUNT_UPDATE_REMINDERS,
            account.id,
            {name: old[name] for name in changed},
            {name: new[name] for name in changed} | _currency_of(changed, account),
        )
        await trail.record(tx, account.id, by, [entry])


async def preview_stage(
    db: Connection, account: Account, stage: ReminderStage, *, plan: ReminderPlan | None = None
) -> StoredReminder:
    """The reminder of a stage as the first payer gets it today, or a sample payer.

    plan: of today; without one it is made, at the cost of `plan_reminders`.
    Raises: Invalid without settings for invoices, or for its texts.
    """
    settings = require_settings(await billing_store.find_settings(db, account.id))
    checked = check_stage(stage, placeholders())
    plan = plan or await plan_reminders(db, account, account.daily_date)
    found = plan.of_stage(stage.stage)
    letter = found[0] if found else _sample(account, checked)
    return await compose(db, account, settings, structs.replace(letter, stage=checked))


def _sample(account: Account, stage: ReminderStage) -> PlannedReminder:
    """A made-up reminder of two invoices, as an example."""
    today = account.daily_date
    to = Addressee(
        id="",
        email="",
        first_name="Ada",
        last_name="Lovelace",
        company=None,
        salutation=Salutation.MS,
        is_placeholder=True,
        is_unsubscribed=False,
        has_bounced=False,
    )
    owed = [
        OverdueInvoice(
            id=str(place),
            number=f"{today.year}-0000{place}",
            payer_id="",
            payer_name=to.full_name,
            issue_date=today - timedelta(days=28 + stage.days),
            due_date=today - timedelta(days=14 + stage.days),
            currency=account.currency,
            open_amount=6_000 if place == 1 else 4_200,
            stage=stage.stage - 1,
        )
        for place in (1, 2)
    ]
    return PlannedReminder(
        payer_id="",
        stage=stage,
        currency=account.currency,
        items=[ReminderItem(each, stage.stage) for each in owed],
        open_fees=0,
        fee=stage.fee,
        to=to,
        channel=LetterChannel.PRINT,
    )


@with_locked_account
async def send_test(
    tx: Transaction,
    account: Account,
    stage: ReminderStage,
    *,
    recipient: str,
    placeholder_domain: str,
    by: Actor,
) -> None:
    """Send the text of a stage to a user, without saving it or its PDF. Raises: Invalid."""
    require_real_address(recipient, placeholder_domain)
    ready = await preview_stage(tx, account, stage)
    await outbox.insert_email(
        tx,
        account.id,
        recipient=recipient,
        subject=subject_of_test(ready.subject),
        body=ready.body,
        domain=placeholder_domain,
    )
    after = {"reminder": stage.name, "recipient": recipient}
    entry = NewEntry(EntryType.ACCOUNT_TEST_REMINDER, account.id, None, after)
    await trail.record(tx, account.id, by, [entry])
