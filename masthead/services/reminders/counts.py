"""How many reminders are due on a day, and the first of them, without reading all of them.

The database counts them. Payers for whom that is not enough are planned one by one, and so are
those that a page names.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import Struct

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.reminders.due import NotReminded
from masthead.model.reminders.stages import ReminderSettings, ReminderStage
from masthead.services.reminders.plan import ReminderPlan, plan_overdue
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.reminders import stages as stage_store
from masthead.store.reminders.overdue import list_overdue
from masthead.store.reminders.payers import OverduePayers, count_overdue

_CHANNELS = frozenset(LetterChannel)


class DueReminders(Struct, frozen=True):
    """The reminders that are due on a day. stages: those of the account; empty if there are none.

    counts: letters by stage and channel. left_out: the first invoices without a reminder, by payer;
    others: how many more there are.
    """

    stages: Sequence[ReminderStage]
    settings: ReminderSettings
    counts: Counter[tuple[int, LetterChannel | None]]
    left_out: Sequence[NotReminded]
    others: int


class _Counted(Struct, frozen=True):
    """The payers with overdue invoices. groups: those that the database has counted.

    plan: of the payers that it names. others: those of them that it has not counted.
    """

    groups: Sequence[OverduePayers]
    plan: ReminderPlan
    others: set[tuple[str, str]]


async def count_reminders(
    db: Connection, account: Account, day: date, *, most: int, has_mail: bool
) -> DueReminders:
    """Count the reminders of `plan_reminders`, and list at most `most` invoices without one.

    Queries: eight at most; 3 µs for each overdue invoice, 40 µs for those of named payers: read
    aside.
    """
    found = await _count(db, account, day, most=most, has_mail=has_mail)
    counts: Counter[tuple[int, LetterChannel | None]] = Counter()
    for each in found.groups:
        if each.way in _CHANNELS:
            counts[each.stage + 1, LetterChannel(each.way)] += each.count
    counts.update(
        (each.stage.stage, each.channel)
        for each in found.plan.letters
        if (each.payer_id, each.currency) in found.others
    )
    named = sorted(found.plan.left_out, key=lambda each: each.invoice.payer_id)
    others = sum((each.invoice.payer_id, each.invoice.currency) in found.others for each in named)
    more = sum(each.left_out for each in found.groups) + others - len(named[:most])
    return DueReminders(found.plan.stages, found.plan.settings, counts, named[:most], more)


async def find_letters(
    db: Connection, account: Account, day: date, stage: int, *, most: int, has_mail: bool
) -> tuple[ReminderPlan, int]:
    """The letters of a stage with the largest amounts, at most `most`, and how many more there are.

    Queries and cost: as for `count_reminders`.
    """
    found = await _count(db, account, day, most=most, has_mail=has_mail, listed=stage - 1)
    letters = found.plan.of_stage(stage)
    others = sum((each.payer_id, each.currency) in found.others for each in letters)
    counted = sum(each.count for each in found.groups if each.way in _CHANNELS)
    more = counted + others - len(letters[:most])
    return ReminderPlan(found.plan.stages, found.plan.settings, letters[:most], ()), more


async def _count(
    db: Connection, account: Account, day: date, *, has_mail: bool, most: int, listed: int = -1
) -> _Counted:
    """Count the payers, and plan the reminders to those that are named. Queries: eight at most."""
    stages = await stage_store.list_stages(db, account.id)
    settings = await stage_store.get_settings(db, account.id)
    if not stages:
        return _Counted((), ReminderPlan(stages, settings, (), ()), set())
    found = await count_overdue(
        db,
        account.id,
        day,
        latest=[day - timedelta(days=each.days) for each in stages],
        printed=[number for number, each in enumerate(stages) if each.is_printed],
        least=settings.least_amount,
        has_mail=has_mail,
        listed=listed,
        most=most,
    )
    named = [each for each in found if each.payer_id]
    ids = {each.payer_id for each in named}
    overdue = await list_overdue(db, account.id, day, payer_ids=ids)
    plan = await plan_overdue(db, account, day, overdue, stages, settings, has_mail=has_mail)
    others = {(each.payer_id, each.currency) for each in named if each.way == "other"}
    return _Counted([each for each in found if not each.payer_id], plan, others)
