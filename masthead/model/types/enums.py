"""The enums: statuses, media, roles, scopes and types."""

from enum import StrEnum
from typing import Self

from masthead.model.translations import gettext as _, gettext_noop


class LabelledEnum(StrEnum):
    """An enumeration for pages: besides its value, each member has a label, in English."""

    label: str

    def __new__(cls, value: str, label: str = "") -> Self:
        """Attach the label to the member."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label
        return member

    @property
    def words(self) -> str:
        """The label in the current language."""
        return _(self.label)


class SubscriptionType(StrEnum):
    """What was bought: a number of issues, or a period of time."""

    SUBSCRIPTION = "subscription"
    MEMBERSHIP = "membership"


class SubscriptionStatus(StrEnum):
    """The status of a subscription."""

    ACTIVE = gettext_noop("Active")
    RENEWALS_STOPPED = gettext_noop("Active - Renewals stopped")
    COMPLETE = gettext_noop("Complete")
    CANCELLED = gettext_noop("Cancelled")
    PAST_DUE = gettext_noop("Past due")


class Medium(StrEnum):
    """The medium of a subscription."""

    PRINT = gettext_noop("Print")
    DIGITAL = gettext_noop("Digital")
    PRINT_AND_DIGITAL = gettext_noop("Print + digital")


class CopyStatus(StrEnum):
    """Whether a copy was sent."""

    SENT = "Sent"
    CANCELLED = "Cancelled"
    NOT_SENT = "Not sent"


class CancelMode(StrEnum):
    """The two ways to cancel a subscription."""

    STOP_RENEWALS = "stop_renewals"
    CANCEL = "cancel"


class Scope(LabelledEnum):
    """What an API key may do."""

    READ_ONLY = "read_only", gettext_noop("Read-only")
    READ_WRITE = "read_write", gettext_noop("Read-write")


class Role(StrEnum):
    """What a user may do in an account: owners everything, staff all but its settings."""

    OWNER = gettext_noop("owner")
    STAFF = gettext_noop("staff")


class SourceType(StrEnum):
    """Where orders come from; `checkout` is the checkout of masthead."""

    CHECKOUT = gettext_noop("checkout")
    SHOP = gettext_noop("shop")
    IMPORT = gettext_noop("import")


class Salutation(StrEnum):
    """How a person is addressed in letters. A person without one has none of them."""

    MS = "ms"
    MR = "mr"


class PaymentMethod(StrEnum):
    """How an order was paid."""

    CHEQUE = gettext_noop("cheque")
    BANK_TRANSFER = gettext_noop("bank transfer")
    CARD = gettext_noop("card")
    CASH = gettext_noop("cash")
    DIRECT_DEBIT = gettext_noop("direct debit")
    OTHER = gettext_noop("other")
