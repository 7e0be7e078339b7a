"""What lists of invoices and payments are limited to, and their rows. Amounts are minor units."""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct

from masthead.model.billing.documents import DocumentKind
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import PaymentMethod


class Shown(StrEnum):
    """Which invoices a list shows."""

    ALL = ""
    OPEN = "open"
    OVERDUE = "overdue"
    UNSENT = "unsent"  # open ones that were neither emailed nor marked as sent by post
    CREDIT = "credit"  # credit notes that are not used or paid back


class InvoiceItem(Struct, frozen=True, kw_only=True):
    """An invoice, or a credit note, in a list. open_amount: negative for a credit note."""

    id: str
    kind: DocumentKind
    number: str
    payer_id: str
    payer_name: str
    issue_date: date
    due_date: date
    currency: str
    net: int
    vat: int
    total: int
    open_amount: int

    @property
    def key(self) -> str:
        """The place in the order of due dates."""
        return f"{self.due_date}/{self.id}"


class SettledDocument(Struct, frozen=True):
    """An invoice that a payment is for, or a credit note that it pays back."""

    id: str
    number: str


class PaymentItem(Struct, frozen=True, kw_only=True):
    """A payment in a list. amount: negative if it went back."""

    id: str
    payer_id: str | None
    payer_name: str | None
    payment_date: date
    amount: int
    currency: str
    method: PaymentMethod
    reference: str
    unused_amount: int
    is_undone: bool


# How late open invoices are: the label, and the days after the due date with which it ends
AGES: Sequence[tuple[str, int | None]] = (
    (gettext_noop("not due"), 0),
    (gettext_noop("1–30 days late"), 30),
    (gettext_noop("31–60 days late"), 60),
    (gettext_noop("61–90 days late"), 90),
    (gettext_noop("over 90 days late"), None),
)


def age_days(today: date) -> dict[str, date]:
    """The due dates at which the ages begin, as parameters: what was due before is later."""
    ages = [end for _label, end in AGES[1:] if end]
    days = [date.fromordinal(max(today.toordinal() - end, 1)) for end in ages]
    return {"today": today, **{f"ago_{end}": day for end, day in zip(ages, days, strict=True)}}


class OpenSums(Struct, frozen=True, kw_only=True):
    """What is open in one currency: invoices by age, and what is credited to payers.

    late_30: due 1 to 30 days ago, and so on. credit_notes, payments: what of them is not used, 0 or
    more. payer_id, payer_name: of whom, in a list by payer; empty if it is not known.
    """

    currency: str
    not_due: int = 0
    late_30: int = 0
    late_60: int = 0
    late_90: int = 0
    later: int = 0
    credit_notes: int = 0
    payments: int = 0
    payer_id: str = ""
    payer_name: str = ""

    @property
    def key(self) -> str:
        """The place in a list by payer."""
        return f"{self.invoices}/{self.payer_id}/{self.currency}"

    @property
    def ages(self) -> list[int]:
        """The amounts in the order of `AGES`."""
        return [self.not_due, self.late_30, self.late_60, self.late_90, self.later]

    @property
    def invoices(self) -> int:
        """What is open of invoices."""
        return sum(self.ages)

    @property
    def overdue(self) -> int:
        """What is late."""
        return self.invoices - self.not_due

    @property
    def credit(self) -> int:
        """What payers have too much."""
        return self.credit_notes + self.payments

    @property
    def balance(self) -> int:
        """What payers owe after all; negative if they have too much."""
        return self.invoices - self.credit


class DocumentSum(Struct, frozen=True):
    """How many documents a list has. amount: open of those in one currency. others: in others."""

    count: int = 0
    amount: int = 0
    others: int = 0


class OpenEntry(Struct, frozen=True, kw_only=True):
    """A document or a payment of which something was open at the end of a day.

    kind: `invoice`, `credit_note`, `fee` or `payment`. text: the number of a document, or the
    reference of a payment. day: of issue, or of the payment. customer: the customer number.
    total, open_amount: negative if it is credit of the payer.
    """

    id: str
    kind: str
    text: str
    payer_id: str
    payer_name: str
    customer: int | None
    day: date
    due_date: date | None
    currency: str
    total: int
    open_amount: int

    @property
    def key(self) -> str:
        """The place in a list, by the day on which it was due, or on which money came."""
        return f"{self.due_date or self.day}/{self.id}"

    def days_late(self, day: date) -> int:
        """How many days ago it was due on a day; 0 if it was not due, or is credit."""
        if self.due_date is None or self.open_amount < 0:
            return 0
        return max((day - self.due_date).days, 0)


class AccountEntry(Struct, frozen=True, kw_only=True):
    """What changed the balance of a payer, in their account.

    kind: `invoice`, `credit_note`, `fee`, `payment`, `payback`, `write_off`, `waived`; or
    `paid_for_other`, `paid_by_other` if a payment settled the invoice of another payer.
    text: the number of a document, the reference of a payment, or the reason. amount: positive if
    more is owed. balance: what was owed after it.
    """

    kind: str
    id: str
    day: date
    text: str
    currency: str
    amount: int
    balance: int
    open_amount: int
    due_date: date | None = None

    @property
    def key(self) -> str:
        """The place in the account: entries of one day are in the order of their ids."""
        return f"{self.day}/{self.id}"


class BilledOrder(Struct, frozen=True, kw_only=True):
    """The invoice of an order. invoice_id: None while the order waits for one."""

    period_id: int
    payer_id: str
    invoice_id: str | None
    number: str | None
    due_date: date | None
    currency: str | None
    open_amount: int | None


class WaitingPayer(Struct, frozen=True, kw_only=True):
    """A payer with orders that are on no invoice yet. amount: of all of them."""

    payer_id: str
    payer_name: str
    orders: int
    currency: str
    amount: int
