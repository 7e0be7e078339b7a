"""The journal: every sale, payment and write-off as an entry with two accounts.

It is made from the records and stores nothing, so it always agrees with them. Orders that were paid
at once have an entry for each day, source, product, medium and country; everything else has one for
each document. An issue that is not sent yet counts as sold: what is deferred on a day is in the
statement of that day. Amounts are minor units; a negative amount takes an entry back.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct

from masthead.model.billing.vat import TaxedPart, vat_in
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.money import share_out


class Ledger(StrEnum):
    """An account of the journal. That of sales, and that of VAT, are one for each rate."""

    RECEIVABLES = gettext_noop("receivables")
    PAID_AT_ONCE = gettext_noop("orders paid at once")
    BANK = gettext_noop("bank")
    CASH = gettext_noop("cash")
    SALES = gettext_noop("sales")
    VAT = gettext_noop("VAT")
    WRITTEN_OFF = gettext_noop("written off")
    REMINDER_FEES = gettext_noop("reminder fees")
    CLEARING = gettext_noop("clearing")


class JournalEntry(Struct, frozen=True, kw_only=True):
    """An entry of the journal: an amount from one account to another.

    document: number of the invoice or id of the payment; empty for orders paid at once.
    tax: of sales, write-offs and their VAT; None for the others. customer: number of the payer.
    settles: what it clears: the number of the invoice that a payment settles or a credit note
    corrects, or the id of the payment that is paid back or used later; empty for what clears none.
    """

    day: date
    document: str
    text: str
    debit: Ledger
    credit: Ledger
    amount: int
    currency: str
    tax: TaxedPart | None = None
    country: str = ""
    customer: int | None = None
    settles: str = ""


class JournalSale(Struct, frozen=True, kw_only=True):
    """What was sold: lines of an invoice, or the orders of a day that were paid at once.

    tax: None if no rate is known. net, vat: negative for a credit note or a refund. is_fee: whether
    it is the fee of a reminder, which is no sale and has no VAT. settles: the number of the
    invoice that a credit note corrects.
    """

    day: date
    document: str
    text: str
    currency: str
    country: str
    tax: TaxedPart | None
    net: int
    vat: int
    customer: int | None = None
    is_fee: bool = False
    settles: str = ""

    @property
    def is_billed(self) -> bool:
        """Whether it is on an invoice or a credit note."""
        return self.customer is not None

    @property
    def entries(self) -> Iterator[JournalEntry]:
        """Its entries: the sale, and its VAT."""
        debit = Ledger.RECEIVABLES if self.is_billed else Ledger.PAID_AT_ONCE
        sales = Ledger.REMINDER_FEES if self.is_fee else Ledger.SALES
        for credit, amount in ((sales, self.net), (Ledger.VAT, self.vat)):
            if amount:
                yield JournalEntry(
                    day=self.day,
                    document=self.document,
                    text=self.text,
                    debit=debit,
                    credit=credit,
                    amount=amount,
                    currency=self.currency,
                    tax=None if self.is_fee else self.tax,
                    country=self.country,
                    customer=self.customer,
                    settles=self.settles,
                )


class TaxedAmount(Struct, frozen=True, kw_only=True):
    """What an invoice has for a country at a rate."""

    country: str
    tax: TaxedPart
    net: int
    vat: int


class WriteOff(Struct, frozen=True, kw_only=True):
    """What was written off of an invoice. left: what was left of it before, by country and rate.

    amount: negative if a credit note took it back.
    is_fee: whether it is the fee of a reminder that was waived, which has no VAT.
    """

    day: date
    document: str
    text: str
    customer: int
    currency: str
    amount: int
    left: Sequence[TaxedAmount]
    is_fee: bool = False

    @property
    def entries(self) -> Iterator[JournalEntry]:
        """Its entries: for each rate, what is lost without VAT, and the VAT that is not owed.

        More than what was left has no VAT: credit notes took it back before, as when their credit
        was paid back, and then the payment of the invoice came back.
        """
        left = [max(each.net + each.vat, 0) for each in self.left]
        parts = share_out(min(abs(self.amount), sum(left)), left)
        for each, part in zip(self.left, parts, strict=True):
            vat = vat_in(part, each.tax.rate)
            tax = None if self.is_fee else each.tax
            yield from self._entry(self._lost, part - vat, tax, each.country)
            yield from self._entry(Ledger.VAT, vat, tax, each.country)
        yield from self._entry(self._lost, abs(self.amount) - sum(parts))

    @property
    def _lost(self) -> Ledger:
        return Ledger.REMINDER_FEES if self.is_fee else Ledger.WRITTEN_OFF

    def _entry(
        self, debit: Ledger, amount: int, tax: TaxedPart | None = None, country: str = ""
    ) -> Iterator[JournalEntry]:
        """An entry, unless it is of nothing. amount: not negative."""
        if amount:
            yield JournalEntry(
                day=self.day,
                document=self.document,
                text=self.text or _(self._lost),
                debit=debit,
                credit=Ledger.RECEIVABLES,
                amount=-amount if self.amount < 0 else amount,
                currency=self.currency,
                tax=tax,
                country=country,
                customer=self.customer,
            )


class UsedCredit(Struct, frozen=True, kw_only=True):
    """What was left of a payment or a credit note, and settled an invoice later.

    document: number of the credit note, or id of the payment. source: what the credit stands under
    in the journal: the number of the invoice that the credit note corrects, or `document`.
    invoice: the number of what it settled. owner, customer: numbers of who had the credit (None if
    that is not known), and of who owed the invoice.
    """

    day: date
    document: str
    source: str
    owner: int | None
    invoice: str
    customer: int
    currency: str
    amount: int

    @property
    def entries(self) -> Iterator[JournalEntry]:
        """Its entries: off the credit, and onto the invoice.

        There are two, by way of an account that is 0 afterwards, because a line for DATEV names
        one document only.
        """
        used = _("Credit used for {number}").format(number=self.invoice)
        source = _("Credit of {number}").format(number=self.document)
        for debit, credit, settles, customer, text in (
            (Ledger.RECEIVABLES, Ledger.CLEARING, self.source, self.owner, used),
            (Ledger.CLEARING, Ledger.RECEIVABLES, self.invoice, self.customer, source),
        ):
            yield JournalEntry(
                day=self.day,
                document=self.document,
                text=text,
                debit=debit,
                credit=credit,
                amount=self.amount,
                currency=self.currency,
                customer=customer,
                settles=settles,
            )


class Receivables(Struct, frozen=True, kw_only=True):
    """What payers owe at the end of a day, in one currency, and how it came to be.

    paid: less what was paid back. fees: of reminders, of which `waived` were taken back.
    """

    currency: str
    invoiced: int
    credited: int
    paid: int
    written_off: int
    fees: int = 0
    waived: int = 0

    @property
    def owed(self) -> int:
        """What is owed; negative if payers have more credit than debts."""
        fees = self.fees - self.waived
        return self.invoiced + fees - self.credited - self.paid - self.written_off


class OwedChange(Struct, frozen=True, kw_only=True):
    """How what payers owe changed over some days, in one currency.

    before: what was owed before the first day. fees: of reminders, less those that were taken back.
    paid: less what was paid back.
    """

    currency: str
    before: int
    invoiced: int
    credited: int
    fees: int
    paid: int
    written_off: int

    @property
    def owed(self) -> int:
        """What is owed at the end of the last day."""
        added = self.invoiced + self.fees
        return self.before + added - self.credited - self.paid - self.written_off
