"""Bank statements that were imported, and their lines."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated

from msgspec import Meta, Struct

from masthead.model.billing.bank_lines import BankFormat, BankLine
from masthead.model.inputs import ListQuery
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum


class BankLineStatus(LabelledEnum):
    """What became of a bank line."""

    TO_DO = "open", gettext_noop("To do")
    RECORDED = "matched", gettext_noop("Recorded")
    LEFT_OUT = "ignored", gettext_noop("Left out")


class StoredStatement(Struct, frozen=True, kw_only=True):
    """An imported statement.

    iban: of the publisher's account, masked. opening, closing: balances in minor units; None if the
    file does not have them. lines: in the file. kept: those about money that came in or came back.
    known: those of them that another statement had. pending: those that were not booked yet.
    """

    id: str
    name: str
    format: BankFormat
    iban: str
    currency: str
    opening: int | None
    closing: int | None
    first_date: date | None
    last_date: date | None
    lines: int
    kept: int
    known: int
    pending: int
    created_at: datetime


class StoredLine(Struct, frozen=True, kw_only=True):
    """A line of an imported statement.

    amount: minor units; negative for a return. name, iban: of the other party, the IBAN masked.
    ultimate_name: on whose behalf that party pays; empty if it is the same.
    reason: why it was left out. payment_id: of the payment that was recorded for it, or of the one
    that took money back. decided_at, actor_kind, actor_id: when, and by whom.
    """

    id: str
    statement_id: str
    booking_date: date
    value_date: date | None
    amount: int
    currency: str
    name: str
    ultimate_name: str
    iban: str
    reference: str
    text: str
    return_reason: str
    original_amount: int | None
    status: BankLineStatus
    payment_id: str | None
    reason: str
    decided_at: datetime | None
    actor_kind: str
    actor_id: str

    @property
    def is_return(self) -> bool:
        """Whether a payment came back. What the publisher paid and gets back is a payment."""
        return self.bank_line.is_return

    @property
    def is_batch(self) -> bool:
        """Whether it booked direct debits of a collection as one sum."""
        return self.status is BankLineStatus.RECORDED and self.payment_id is None

    @property
    def bank_line(self) -> BankLine:
        """The line as it was read, with the masked IBAN."""
        return BankLine(
            booking_date=self.booking_date,
            value_date=self.value_date,
            amount=self.amount,
            currency=self.currency,
            name=self.name,
            ultimate_name=self.ultimate_name,
            iban=self.iban,
            reference=self.reference,
            text=self.text,
            return_reason=self.return_reason,
            original_amount=self.original_amount,
        )


class BankLineQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the bank lines."""

    status: Annotated[BankLineStatus, Meta(description="status of the lines")] | None = None
    statement: Annotated[str, Meta(description="id of a statement", max_length=64)] | None = None


class ImportedFile(Struct, frozen=True, kw_only=True):
    """What an import has done.

    is_known: whether the same file was imported before; then nothing was done. lines: in the file.
    new: lines that were stored. known: lines that another statement had. outgoing: payments to
    others, which are left out. pending: lines that are not booked yet, which are left out. returns:
    those of the new lines that came back.
    """

    statements: Sequence[str]
    is_known: bool = False
    lines: int = 0
    new: int = 0
    known: int = 0
    outgoing: int = 0
    pending: int = 0
    returns: int = 0
