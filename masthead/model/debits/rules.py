"""Direct debits: what is collected from whom, and what becomes of it. Amounts are minor units."""

from collections.abc import Collection as Ids, Iterable
from datetime import date, datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from masthead.model.billing.documents import Payer
from masthead.model.debits.bank_days import bank_day_from, next_bank_day
from masthead.model.debits.bank_text import can_be_written
from masthead.model.debits.mandates import Mandate, MandateStatus, masked
from masthead.model.ids import ID
from masthead.model.translations import gettext as _, gettext_noop

CURRENCY = "EUR"  # the only one that SEPA collects
RETURNED_WITHIN = timedelta(weeks=8)  # by SEPA Core
B2B_RETURNS = 3  # bank days
MAX_DEBITS = 10_000  # of a collection

# Reasons of returns after which the mandate cannot be used again. Too little money, a technical
# reason, or none is not one of them
STOPPING = frozenset(
    {"AC01", "AC04", "AC06", "AC13", "AG01", "MD01", "MD02", "MD06", "MD07", "MS02", "SL01"}
)


class DebitStatus(StrEnum):
    """What became of a direct debit, in the words of the page."""

    WAITING = gettext_noop("waiting")
    COLLECTED = gettext_noop("collected")
    PAID = gettext_noop("paid")
    RETURNED = gettext_noop("returned")
    CANCELLED = gettext_noop("cancelled")


IN_PROGRESS = frozenset({DebitStatus.WAITING, DebitStatus.COLLECTED})


IN_FILE = gettext_noop("in the file for the bank")
NOT_COLLECTED = gettext_noop("cancelled before it was collected")


def status_words(status: DebitStatus, *, is_unsent: bool) -> str:
    """A status on pages, not translated: nothing is collected before the file is at the bank."""
    if status is DebitStatus.CANCELLED:
        return NOT_COLLECTED
    return IN_FILE if is_unsent and status is DebitStatus.COLLECTED else status.value


class SequenceType(StrEnum):
    """The place of a debit among those of a mandate.

    Since November 2016 (rulebook 9.2 of SDD Core), the first one of a series may be `RCUR`, too.
    Some banks still want `FRST`: a setting of the account says so. `FNAL` is optional, and nobody
    knows which debit is the last one: it is not used.
    """

    FIRST = "FRST"
    RECURRING = "RCUR"
    ONE_OFF = "OOFF"


class Debit(Struct, frozen=True, kw_only=True):
    """A direct debit of an invoice.

    collect_date: the day that the payer was told. amount: what was collected; None before. line_id:
    the bank line that booked it, alone or with the whole collection. fee_id: what the payer owes
    for its return. is_unsent: whether its collection did not go to the bank yet.
    """

    id: str
    invoice_id: str
    mandate_id: str
    collect_date: date
    status: DebitStatus
    collection_id: str | None
    sequence_type: str
    amount: int | None
    payment_id: str | None
    line_id: str | None
    return_reason: str
    returned_date: date | None
    created_at: datetime
    fee_id: str | None = None
    is_unsent: bool = False

    @property
    def words(self) -> str:
        """Its status on pages, not translated."""
        return status_words(self.status, is_unsent=self.is_unsent)


class DueDebit(Struct, frozen=True, kw_only=True):
    """A debit that waits, with its invoice and its mandate.

    payer: as the invoice names them, if the mandate needs their address.
    """

    id: str
    invoice_id: str
    number: str
    payer_id: str
    payer_name: str
    currency: str
    open_amount: int
    collect_date: date
    mandate: Mandate
    payer: Payer | None = None

    def problem_on(self, day: date) -> str:
        """Why it cannot be collected on a day; empty if it can."""
        status = self.mandate.status_on(day)
        is_free = self.mandate.is_free(day, invoice_id=self.invoice_id)
        if status is MandateStatus.VALID and not is_free:
            return _("The mandate is for one debit, and another invoice waits for it.")
        if status is MandateStatus.VALID and not can_be_written(self.mandate.holder):
            return _(
                "A bank cannot read the account holder of mandate {reference}. Revoke the mandate, "
                "and add one with the name in Latin letters."
            ).format(reference=self.mandate.reference)
        if status is MandateStatus.VALID and self.payer and not can_be_written(self.payer.city):
            return _(
                "A bank in {country} needs the town of the payer in Latin letters, and the invoice "
                "has none. Correct the address, credit the invoice, and issue it again."
            ).format(country=self.mandate.iban[:2])
        return {
            MandateStatus.REVOKED: _("The mandate is revoked."),
            MandateStatus.EXPIRED: _("The mandate expired: it was not used for 36 months."),
            MandateStatus.USED: _("The mandate was for one debit, and is used up."),
        }.get(status, "")


class ReturnedDebit(Struct, frozen=True, kw_only=True):
    """An open invoice whose debit came back."""

    invoice_id: str
    number: str
    payer_id: str
    payer_name: str
    currency: str
    open_amount: int
    return_reason: str
    returned_date: date


class Collection(Struct, frozen=True, kw_only=True):
    """Direct debits that go to the bank together. number: counts from 1 in an account.

    is_b2b: whether they are between companies. No file has both kinds.
    """

    id: str
    number: int
    collect_date: date
    currency: str
    debits: int
    total: int
    created_at: datetime
    sent_at: datetime | None
    cancelled_at: datetime | None
    is_b2b: bool = False

    @property
    def returned_until(self) -> date:
        """The last day on which a debit can come back that its payer has allowed.

        By SEPA Core, the payer can ask for it back for eight weeks without a reason. By SEPA B2B
        they cannot; the bank returns what it could not book within three days of business.
        """
        if not self.is_b2b:
            return self.collect_date + RETURNED_WITHIN
        day = self.collect_date
        for _day in range(B2B_RETURNS):
            day = next_bank_day(day)
        return day


class CollectedDebit(Struct, frozen=True, kw_only=True):
    """A debit of a collection, as the page of the collection shows it."""

    id: str
    invoice_id: str
    number: str
    payer_id: str
    payer_name: str
    reference: str
    iban: str
    amount: int
    status: DebitStatus
    return_reason: str
    payment_id: str | None

    @property
    def masked(self) -> str:
        """The IBAN as pages show it."""
        return masked(self.iban)


def sequence_types(debits: Iterable[DueDebit], *, used: Ids[str] | None) -> dict[str, SequenceType]:
    """The sequence type of each debit of a collection, by its id.

    used: the ids of mandates by which something was collected before; None if first debits are not
    marked. Of several by one new mandate, the first one is.
    """
    seen = set(used or ())
    found = {}
    for each in debits:
        type = SequenceType.RECURRING if each.mandate.is_recurring else SequenceType.ONE_OFF
        if used is not None and each.mandate.is_recurring and each.mandate.id not in seen:
            type = SequenceType.FIRST
        seen.add(each.mandate.id)
        found[each.id] = type
    return found


def announced_day(issue_date: date, due_date: date, notice_days: int) -> date:
    """The day of the collection that an invoice names: not before it is due, on a bank day."""
    return bank_day_from(max(due_date, issue_date + timedelta(days=notice_days)))


def group_id(collection_id: str, sequence_type: SequenceType) -> str:
    """The id of the debits of a collection with one sequence type, at most 35 characters."""
    return f"{collection_id}-{sequence_type.value[:3]}"


def ids_in(texts: Iterable[str]) -> set[str]:
    """The ids of masthead in the texts of a bank line: of debits, or of collections."""
    return {found for text in texts for found in ID.findall("".join(text.split()))}
