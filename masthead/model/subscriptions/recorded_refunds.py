"""Refunds that were recorded, and what bars deleting one."""

from collections.abc import Collection, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.translations import gettext as _
from masthead.model.types.money import money_in_words


class RefundedPart(Struct, frozen=True, kw_only=True):
    """The refund of one order. amount: in minor units. id: of the refund."""

    id: str
    subscription_id: str
    period_id: int
    order_id: str
    currency: str
    amount: int


class RefundOfOrders(Struct, frozen=True, kw_only=True):
    """What was refunded together, by one form or one request.

    parts: the refund of each order, in one currency. invoice: the number of the one that was
    credited; empty if none was. statement_date: of a revenue statement that counts it.
    """

    parts: Sequence[RefundedPart]
    refund_date: date
    reason: str | None
    invoice: str = ""
    is_of_skipped_issue: bool = False
    statement_date: date | None = None

    @property
    def id(self) -> str:
        """The id by which pages name it."""
        return self.parts[0].id

    @property
    def amount(self) -> int:
        """The sum, in minor units."""
        return sum(each.amount for each in self.parts)

    @property
    def currency(self) -> str:
        """The currency of all parts."""
        return self.parts[0].currency

    def is_of(self, subscription_ids: Collection[str]) -> bool:
        """Whether it is of one of some subscriptions."""
        return any(each.subscription_id in subscription_ids for each in self.parts)

    @property
    def in_words(self) -> str:
        """The sum, such as `€39.75`."""
        return money_in_words(self.amount, self.currency)

    @property
    def can_be_deleted(self) -> bool:
        """Whether nothing else counts it."""
        return not (self.invoice or self.is_of_skipped_issue or self.statement_date)

    def why_not(self, shown_day: str) -> str:
        """Why it cannot be deleted; empty if it can. shown_day: the day of the statement."""
        if self.invoice:
            text = _("It is a credit note of invoice {number}, which cannot be deleted.")
            return text.format(number=self.invoice)
        if self.is_of_skipped_issue:
            return _("It is for a skipped issue: include the issue again, which deletes it.")
        if self.statement_date:
            text = _("It is in the statement of deferred revenue of {day}.")
            return text.format(day=shown_day)
        return ""
