"""What becomes due on a day: the reminders that can go out, and why not the others."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from msgspec import Struct, structs

from masthead.model.letters.outcomes import Addressee, LetterChannel
from masthead.model.reminders.due import (
    NotReminded,
    OverdueInvoice,
    PlannedReminder,
    ReminderItem,
    Unreminded,
    group_letters,
)
from masthead.model.reminders.stages import ReminderSettings, ReminderStage
from masthead.store.accounts import Account
from masthead.store.billing.payers import list_with_address
from masthead.store.engine.interface import Connection
from masthead.store.letters.subscribers import find_addressees
from masthead.store.reminders import overdue as store, stages as stage_store

FIRST_BATCH, BATCH = 150, 600  # payers whose reminders are counted together
MOST = 500  # reminders of a round: one page, one PDF, one transaction


class ReminderPlan(Struct, frozen=True):
    """The reminders of a day. stages: of the account; empty if it reminds nobody."""

    stages: Sequence[ReminderStage]
    settings: ReminderSettings
    letters: Sequence[PlannedReminder]
    left_out: Sequence[NotReminded]

    def of_stage(self, stage: int) -> list[PlannedReminder]:
        """The letters of a stage, those that owe most first."""
        found = [each for each in self.letters if each.stage.stage == stage]
        return sorted(found, key=lambda each: (-each.amount, each.payer_id, each.currency))


async def plan_reminders(
    db: Connection, account: Account, day: date, *, has_mail: bool = True
) -> ReminderPlan:
    """The reminders that are due on a day.

    has_mail: whether a mail server is set up; without one, all reminders are on paper.

    Queries: seven at most; 40 µs for each overdue invoice: read aside.
    """
    stages = await stage_store.list_stages(db, account.id)
    settings = await stage_store.get_settings(db, account.id)
    overdue = await store.list_overdue(db, account.id, day) if stages else ()
    return await plan_overdue(db, account, day, overdue, stages, settings, has_mail=has_mail)


async def plan_overdue(
    db: Connection,
    account: Account,
    day: date,
    overdue: Iterable[OverdueInvoice],
    stages: Sequence[ReminderStage],
    settings: ReminderSettings,
    *,
    has_mail: bool,
) -> ReminderPlan:
    """The reminders of overdue invoices: all those of some payers. Queries: three at most."""
    grouped = group_letters(overdue, stages, settings, day)
    payers = {items[0].invoice.payer_id for _stage, items in grouped.letters}
    people = await find_addressees(db, account.id, payers)
    sums = await store.sum_fees(db, account.id, payers) if payers else {}
    by_email = {id for id, person in people.items() if has_mail and _has_email(person)}
    reached = await _list_with_address(db, account.id, grouped.letters, people, by_email)
    letters, left_out = list[PlannedReminder](), list(grouped.left_out)
    for stage, items in grouped.letters:
        first = items[0].invoice
        fees, credit = sums.get((first.payer_id, first.currency), (0, 0))
        letter = PlannedReminder(
            payer_id=first.payer_id,
            stage=stage,
            currency=first.currency,
            items=items,
            open_fees=fees,
            fee=stage.fee if first.currency == account.currency else 0,
            credit=credit,
            to=people[first.payer_id],
        )
        why = Unreminded.CREDIT if credit >= letter.amount else None
        channel = (
            None
            if why
            else _channel_of(
                letter, has_email=first.payer_id in by_email, has_address=first.payer_id in reached
            )
        )
        if why is None and channel is None:
            why = Unreminded.NO_ADDRESS
        if why is not None:
            left_out += _left_out(items, why)
            continue
        letters.append(structs.replace(letter, channel=channel))
    return ReminderPlan(stages, settings, letters, left_out)


def _left_out(items: Sequence[ReminderItem], why: Unreminded) -> list[NotReminded]:
    return [NotReminded(each.invoice, why) for each in items if each.stage]


async def _list_with_address(
    db: Connection,
    account_id: int,
    letters: Iterable[tuple[ReminderStage, Sequence[ReminderItem]]],
    people: Mapping[str, Addressee],
    by_email: Collection[str],
) -> set[str]:
    """The payers who may need paper and have a postal address. Queries: one at most."""
    payers = ((stage, items[0].invoice.payer_id) for stage, items in letters)
    on_paper = {id for stage, id in payers if stage.is_printed or id not in by_email}
    own = {id for id in on_paper if people[id].own_address is not None}
    return own | await list_with_address(db, account_id, on_paper - own)


def _has_email(to: Addressee) -> bool:
    return not (to.is_placeholder or to.has_bounced)


def _channel_of(
    letter: PlannedReminder, *, has_email: bool, has_address: bool
) -> LetterChannel | None:
    """How a letter goes out: by email unless the stage or the payer needs paper."""
    if has_email and not letter.stage.is_printed:
        return LetterChannel.EMAIL
    if has_address:
        return LetterChannel.PRINT
    return LetterChannel.EMAIL if has_email else None


async def count_due(
    db: Connection, account: Account, day: date, *, most: int, has_mail: bool = True
) -> int:
    """How many reminders are due on a day; `most` if there are more.

    has_mail: as for `plan_reminders`.

    Payers are read in batches until `most` are found. Queries: two, and seven for each batch; 40 µs
    for each overdue invoice that is read: read aside.
    """
    stages = await stage_store.list_stages(db, account.id)
    settings = await stage_store.get_settings(db, account.id)
    count, after = 0, ""
    while stages and count < most:
        limit = BATCH if after else FIRST_BATCH
        last = await store.find_last_late_payer(db, account.id, day, after=after, limit=limit)
        if last is None:
            break
        overdue = await store.list_overdue_of(db, account.id, day, after=after, last=last)
        plan = await plan_overdue(db, account, day, overdue, stages, settings, has_mail=has_mail)
        count, after = count + len(plan.letters), last
    return min(count, most)
