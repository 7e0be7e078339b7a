"""Which invoices a payer is reminded of on a day, and why not of others. Pure rules.

Amounts are minor units.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from enum import StrEnum

from msgspec import Struct

from masthead.model.letters.outcomes import Addressee, LetterChannel
from masthead.model.reminders.stages import ReminderSettings, ReminderStage
from masthead.model.translations import format_day, gettext as _


class Unreminded(StrEnum):
    """Why a payer is not reminded of an overdue invoice."""

    PROMISED = "promised"
    STOPPED = "stopped"
    DISPUTED = "disputed"
    PAYER_STOPPED = "payer_stopped"
    SMALL = "small"
    ERASED = "erased"
    DEBITED = "debited"
    CREDIT = "credit"
    NO_ADDRESS = "no_address"
    ALL_STAGES = "all_stages"


class OverdueInvoice(Struct, frozen=True, kw_only=True):
    """An invoice that is not paid on its due day.

    stage: the last one of which a reminder was written, 0 for none, on `reminded_date`.
    promised_date: until when the payer has promised to pay. reason: why reminders are stopped.
    payer_reason: why the payer gets none at all; None if they do. is_debited: whether it waits for
    a direct debit, or for the bank's answer to one.
    """

    id: str
    number: str
    payer_id: str
    payer_name: str
    issue_date: date
    due_date: date
    currency: str
    open_amount: int
    stage: int = 0
    reminded_date: date | None = None
    promised_date: date | None = None
    is_stopped: bool = False
    is_disputed: bool = False
    reason: str = ""
    payer_reason: str | None = None
    is_erased: bool = False
    is_debited: bool = False

    @property
    def payable_on(self) -> date:
        """The day by which it is to be paid: a day that was agreed later counts."""
        return max(self.due_date, self.promised_date or self.due_date)

    def days_overdue(self, day: date) -> int:
        """How many days after its due day a day is."""
        return (day - self.due_date).days

    def next_due(self, stages: Sequence[ReminderStage]) -> date | None:
        """The day on which its next reminder is due; None after the last stage."""
        if self.stage >= len(stages):
            return None
        days = timedelta(days=stages[self.stage].days)
        start = self.payable_on
        if self.reminded_date is not None:
            start = max(self.reminded_date, self.promised_date or self.reminded_date)
        return start + days

    def why_not(self, settings: ReminderSettings, day: date) -> Unreminded | None:
        """Why nobody is reminded of it; None if a reminder may go out as soon as it is due."""
        if self.is_erased:
            return Unreminded.ERASED
        if self.is_debited:
            return Unreminded.DEBITED
        if self.is_disputed:
            return Unreminded.DISPUTED
        if self.is_stopped:
            return Unreminded.STOPPED
        if self.payer_reason is not None:
            return Unreminded.PAYER_STOPPED
        if self.promised_date is not None and self.promised_date >= day:
            return Unreminded.PROMISED
        return Unreminded.SMALL if self.open_amount < settings.least_amount else None


class ReminderItem(Struct, frozen=True):
    """An invoice of a reminder. stage: what it counts as for it; 0 if it is listed only."""

    invoice: OverdueInvoice
    stage: int


class PlannedReminder(Struct, frozen=True, kw_only=True):
    """A letter to a payer about their overdue invoices in one currency.

    open_fees: of earlier reminders. fee: of this one. credit: what the payer has paid too much, or
    was credited, and no invoice is settled with yet. channel: None if there is no address.
    """

    payer_id: str
    stage: ReminderStage
    currency: str
    items: Sequence[ReminderItem]
    open_fees: int
    fee: int
    credit: int = 0
    to: Addressee
    channel: LetterChannel | None = None

    @property
    def amount(self) -> int:
        """What is open of the invoices."""
        return sum(each.invoice.open_amount for each in self.items)

    @property
    def total(self) -> int:
        """What is to pay, with all fees, less the credit of the payer."""
        return self.amount + self.open_fees + self.fee - self.credit

    @property
    def key(self) -> str:
        """A text that is the same only as long as the letter says the same."""
        parts = [self.payer_id, self.currency, self.stage.stage, self.open_fees, self.fee]
        parts += [self.credit] if self.credit else []
        parts += [self.channel or "", self.stage.subject, self.stage.text]
        for each in self.items:
            parts += [each.invoice.id, each.stage, each.invoice.open_amount]
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


class NotReminded(Struct, frozen=True):
    """An overdue invoice of which nobody is reminded, and why."""

    invoice: OverdueInvoice
    why: Unreminded


def describe_unreminded(why: Unreminded, invoice: OverdueInvoice) -> str:
    """Why nobody is reminded of an invoice, in words."""
    return {
        Unreminded.PROMISED: _("promised for {day}: {reason}").format(
            day=format_day(invoice.promised_date) if invoice.promised_date else "",
            reason=invoice.reason,
        ),
        Unreminded.STOPPED: _("stopped: {reason}").format(reason=invoice.reason),
        Unreminded.DISPUTED: _("disputed: {reason}").format(reason=invoice.reason),
        Unreminded.PAYER_STOPPED: _("no reminders to this payer: {reason}").format(
            reason=invoice.payer_reason
        ),
        Unreminded.SMALL: _("less than the smallest amount"),
        Unreminded.ERASED: _("the payer was erased"),
        Unreminded.DEBITED: _("it is collected by direct debit"),
        Unreminded.CREDIT: _("the payer has credit that covers it"),
        Unreminded.NO_ADDRESS: _("neither an email address nor a postal address"),
        Unreminded.ALL_STAGES: _("all stages are over"),
    }[why]


class Grouped(Struct, frozen=True):
    """The invoices of each letter with its stage, by payer and currency; and what is left out."""

    letters: Sequence[tuple[ReminderStage, Sequence[ReminderItem]]]
    left_out: Sequence[NotReminded]


def group_letters(
    overdue: Iterable[OverdueInvoice],
    stages: Sequence[ReminderStage],
    settings: ReminderSettings,
    day: date,
) -> Grouped:
    """The letters that are due on a day: one for each payer and currency.

    A letter is of the highest stage that is due. It lists all overdue invoices of the payer of the
    same or a lower stage; those whose own reminder is not due yet do not move to their next stage.
    """
    left_out = list[NotReminded]()
    of_payer: dict[tuple[str, str], list[tuple[OverdueInvoice, bool]]] = {}
    for each in overdue:
        if why := each.why_not(settings, day):
            left_out.append(NotReminded(each, why))
        elif (next_due := each.next_due(stages)) is None:
            left_out.append(NotReminded(each, Unreminded.ALL_STAGES))
        else:
            of_payer.setdefault((each.payer_id, each.currency), []).append((each, next_due <= day))
    letters = []
    for owed in of_payer.values():
        highest = max((each.stage for each, is_due in owed if is_due), default=None)
        if highest is not None:
            items = [
                ReminderItem(each, each.stage + 1 if is_due else 0)
                for each, is_due in owed
                if each.stage <= highest
            ]
            letters.append((stages[highest], items))
    return Grouped(letters, left_out)
