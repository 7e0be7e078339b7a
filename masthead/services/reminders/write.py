"""Send the reminders that a user has looked at: one round of a stage, all in one transaction."""

from collections.abc import Collection

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.terms import require_settings
from masthead.model.clock import account_now
from masthead.model.dispatch.address_layout import address_lines, build_layout
from masthead.model.emails import Site, filled
from masthead.model.errors import Invalid
from masthead.model.ids import new_id, new_ids
from masthead.model.letters.outcomes import LetterChannel, LetterStatus
from masthead.model.reminders.due import PlannedReminder
from masthead.model.reminders.texts import reminder_words, stage_in
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.money import money_text
from masthead.services.billing.fees import charge_fee
from masthead.services.holds.invoices import hold_invoice
from masthead.services.reminders.plan import MOST, ReminderPlan, plan_reminders
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.background import outbox
from masthead.store.billing import invoices, settings as settings_store
from masthead.store.billing.payers import find_letter_address
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.reminders import records as store
from masthead.store.reminders.outcomes import update_status
from masthead.store.reminders.records import ReminderRound, StoredReminder

EVERY_CHANNEL = frozenset(LetterChannel)


class SentRound(Struct, frozen=True):
    """A round that was written. by_email, to_print: its letters. held: new held subscriptions."""

    id: str
    by_email: int
    to_print: int
    held: int


@in_long_transaction
async def send_round(
    tx: Transaction,
    account_id: int,
    stage: int,
    keys: Collection[str],
    *,
    channels: Collection[LetterChannel] = EVERY_CHANNEL,
    site: Site | None,
    by: Actor,
) -> SentRound:
    """Write the reminders of a stage that a user ticked, or those of them in some channels.

    keys: of the planned reminders that the page showed. Emails are in the outbox afterwards, and
    printed letters can be downloaded. site: None without a mail server: all are printed. Raises:
    Invalid if a letter would not say what the page showed, or if there is nothing to send; nothing
    is written then.
    """
    account = await accounts.lock_account(tx, account_id)
    plan = await plan_reminders(tx, account, account.daily_date, has_mail=site is not None)
    chosen = [each for each in plan.of_stage(stage) if each.key in keys]
    if len(chosen) < len(set(keys)):
        raise Invalid(
            _(
                "Something has changed since you opened the page, such as a payment. Nothing "
                "has been sent. Please check the names and send again."
            ),
            code="changed_meanwhile",
        )
    chosen = [each for each in chosen if each.channel in channels]
    return await _write(tx, account, plan, chosen, site, by)


async def _write(
    tx: Transaction,
    account: Account,
    plan: ReminderPlan,
    chosen: list[PlannedReminder],
    site: Site | None,
    by: Actor,
) -> SentRound:
    if not chosen:
        raise Invalid(_("No reminder is chosen. Tick the boxes of some payers."))
    if len(chosen) > MOST:
        raise Invalid(_("Send at most {most} reminders at a time.").format(most=MOST))
    settings = require_settings(await settings_store.find_settings(tx, account.id))
    stage = chosen[0].stage
    made = ReminderRound(
        id=new_id(account.id),
        stage=stage.stage,
        name=stage.name,
        letters=len(chosen),
        created_at=account_now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    await store.insert_round(tx, account.id, made)
    ids = new_ids(account.id, len(chosen), after="")
    reminders, items = list[StoredReminder](), list[Row]()
    for id, letter in zip(ids, chosen, strict=True):
        fee_id = await _charge(tx, account, settings, letter, by) if letter.fee else None
        reminder = await compose(
            tx, account, settings, letter, id=id, round_id=made.id, fee_id=fee_id
        )
        reminders.append(reminder)
        items += [
            {
                "reminder_id": id,
                "invoice_id": each.invoice.id,
                "stage": each.stage,
                "due_date": each.invoice.due_date,
                "open_amount": each.invoice.open_amount,
            }
            for each in letter.items
        ]
    await store.insert_reminders(tx, account.id, reminders, items)
    written = {"reminder": made.name, "letters": made.letters}
    entries = [NewEntry(EntryType.REMINDER_ROUND_WRITE, made.id, None, written)]
    held = 0
    for letter, reminder in zip(chosen, reminders, strict=True):
        if reminder.channel is LetterChannel.EMAIL:
            assert site is not None
            await outbox.insert_email(
                tx,
                account.id,
                recipient=letter.to.email,
                subject=reminder.subject,
                body=reminder.body,
                domain=site.domain,
                subscriber_id=letter.payer_id,
                reminder_id=reminder.id,
            )
        for each in letter.items:
            if each.stage:
                after = {"reminder": plan.stages[each.stage - 1].name}
                if letter.fee:
                    after["fee"] = money_text(letter.fee, letter.currency)
                    after["currency"] = letter.currency
                entries.append(NewEntry(EntryType.INVOICE_REMIND, each.invoice.id, None, after))
            if plan.settings.hold_stage and each.stage >= plan.settings.hold_stage:
                held += await hold_invoice(
                    tx, account.id, each.invoice.id, each.invoice.number, by=by
                )
    await trail.record(tx, account.id, by, entries)
    emailed = [each.id for each in reminders if each.channel is LetterChannel.EMAIL]
    if account.is_sandbox:  # their emails are kept, and count as sent
        await update_status(tx, account.id, emailed, LetterStatus.SENT)
    by_email = len(emailed)
    return SentRound(made.id, by_email, len(reminders) - by_email, held)


async def compose(
    db: Connection,
    account: Account,
    settings: BillingSettings,
    letter: PlannedReminder,
    *,
    id: str = "",
    round_id: str = "",
    fee_id: str | None = None,
) -> StoredReminder:
    """A reminder with its text and address, as it is stored. Queries: one or two.

    Of a sample payer, who has no id, the address is the name alone.
    """
    to_id = letter.payer_id
    address = await find_letter_address(db, account.id, to_id) if to_id else None
    wanted = account.locale_for(letter.to.language, address.country if address else None)
    stage, locale = stage_in(letter.stage, account.locale, wanted)
    with in_language(locale):
        words = reminder_words(
            letter, settings.seller, day=account.daily_date, magazine=account.name, locale=locale
        )
    lines = [letter.to.full_name]
    if address is not None:
        lines = address_lines(address, build_layout([address.country], settings.country))
    is_email = letter.channel is LetterChannel.EMAIL
    return StoredReminder(
        id=id,
        round_id=round_id,
        payer_id=letter.payer_id,
        stage=letter.stage.stage,
        reminded_date=account.daily_date,
        channel=LetterChannel.EMAIL if is_email else LetterChannel.PRINT,
        status=LetterStatus.QUEUED if is_email else LetterStatus.TO_PRINT,
        reason=None,
        currency=letter.currency,
        total=letter.total,
        fee_id=fee_id,
        encloses_invoices=letter.stage.encloses_invoices,
        subject=filled(stage.subject, words),
        body=filled(stage.text, words),
        locale=locale,
        address="\n".join(lines),
        created_at=account_now(),
        ended_at=None,
    )


async def _charge(
    tx: Transaction, account: Account, settings: BillingSettings, letter: PlannedReminder, by: Actor
) -> str:
    """Charge the fee of a reminder; returns its id. Its newest invoice says who the payer is."""
    newest = letter.items[-1].invoice.id
    document = (await invoices.get_invoice(tx, account.id, newest)).document
    stage, _locale = stage_in(letter.stage, account.locale, document.language)
    return await charge_fee(
        tx,
        account,
        settings,
        invoice_id=newest,
        payer_id=letter.payer_id,
        amount=letter.fee,
        text=stage.name,
        detail=", ".join(each.invoice.number for each in letter.items),
        by=by,
    )
