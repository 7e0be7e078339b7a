"""How many reminders are due on a day, and the first of them, without reading all of them.

Most payers have one overdue invoice, about which nothing was agreed. The database counts them; the
others are planned one by one, as are those that a page names.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from msgspec import Struct

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.reminders.due import NotReminded
from masthead.model.reminders.stages import ReminderSettings, ReminderStage
from masthead.services.reminders.plan import ReminderPlan, plan_reminders
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.reminders import stages as stage_store
from masthead.store.reminders.alike import AlikePayers, count_alike

_CHANNELS = frozenset(LetterChannel)

Payers = set[tuple[str, str]]  # each with a currency


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


async def count_reminders(
    db: Connection, account: Account, day: date, *, most: int, has_mail: bool
) -> DueReminders:
    """Count the reminders of `plan_reminders`, and list at most `most` invoices without one.

    Queries: ten at most; 6 µs for each payer with one overdue invoice, 40 µs for each invoice of
    the others: read aside.
    """
    stages, settings, alike = await _count_alike(db, account, day, most=most, has_mail=has_mail)
    counts: Counter[tuple[int, LetterChannel | None]] = Counter()
    for each in alike:
        if each.way in _CHANNELS and not each.payer_id:
            counts[each.stage + 1, LetterChannel(each.way)] += each.count
    left = sum(each.count for each in alike if each.way == "left" and not each.payer_id)
    others, named = _name_payers(alike)
    ids = {id for id, _currency in others | named}
    plan = await plan_reminders(db, account, day, has_mail=has_mail, payer_ids=ids)
    counts.update(
        (each.stage.stage, each.channel)
        for each in plan.letters
        if (each.payer_id, each.currency) in others
    )
    found = sorted(
        (
            each
            for each in plan.left_out
            if (each.invoice.payer_id, each.invoice.currency) in others | named
        ),
        key=lambda each: each.invoice.payer_id,
    )
    more = len(found) + left - len(named) - len(found[:most])
    return DueReminders(stages, settings, counts, found[:most], more)


async def find_letters(
    db: Connection, account: Account, day: date, stage: int, *, most: int, has_mail: bool
) -> tuple[ReminderPlan, int]:
    """The letters of a stage with the largest amounts, at most `most`, and how many more there are.

    The plan has no others. Queries and cost: as for `count_reminders`.
    """
    stages, settings, alike = await _count_alike(
        db, account, day, most=most, has_mail=has_mail, listed=stage - 1
    )
    single = sum(
        each.count
        for each in alike
        if each.stage == stage - 1 and each.way in _CHANNELS and not each.payer_id
    )
    others, named = _name_payers(alike)
    ids = {id for id, _currency in others | named}
    plan = await plan_reminders(db, account, day, has_mail=has_mail, payer_ids=ids)
    letters = [
        each for each in plan.of_stage(stage) if (each.payer_id, each.currency) in others | named
    ]
    more = single - len(named) + len(letters) - len(letters[:most])
    return ReminderPlan(stages, settings, letters[:most], ()), more


async def _count_alike(
    db: Connection, account: Account, day: date, *, has_mail: bool, most: int, listed: int = -1
) -> tuple[list[ReminderStage], ReminderSettings, list[AlikePayers]]:
    """The stages and settings, and the payers by what becomes of them. Queries: three."""
    stages = await stage_store.list_stages(db, account.id)
    settings = await stage_store.get_settings(db, account.id)
    if not stages:
        return stages, settings, []
    alike = await count_alike(
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
    return stages, settings, alike


def _name_payers(alike: Iterable[AlikePayers]) -> tuple[Payers, Payers]:
    """Those that are planned one by one, and the first or largest of the alike ones."""
    named = [each for each in alike if each.payer_id]
    others = {(each.payer_id, each.currency) for each in named if each.way == "other"}
    return others, {(each.payer_id, each.currency) for each in named} - others
