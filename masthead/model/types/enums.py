"""The enums: statuses, media, roles, scopes and types."""

from enum import StrEnum


class SubscriptionType(StrEnum):
    """What was bought: a number of issues, or a period of time."""

    SUBSCRIPTION = "subscription"
    MEMBERSHIP = "membership"


class SubscriptionStatus(StrEnum):
    """The status of a subscription."""

    ACTIVE = "Active"
    RENEWALS_STOPPED = "Active - Renewals stopped"
    COMPLETE = "Complete"
    CANCELLED = "Cancelled"
    PAST_DUE = "Past due"


class Medium(StrEnum):
    """The medium of a subscription."""

    PRINT = "Print"
    DIGITAL = "Digital"
    PRINT_AND_DIGITAL = "Print + digital"


class CopyStatus(StrEnum):
    """Whether a copy was sent."""

    SENT = "Sent"
    CANCELLED = "Cancelled"
    NOT_SENT = "Not sent"


class CancelMode(StrEnum):
    """The two ways to cancel a subscription."""

    STOP_RENEWALS = "stop_renewals"
    CANCEL = "cancel"


class Scope(StrEnum):
    """What an API key may do."""

    READ_ONLY = "read_only"
    READ_WRITE = "read_write"


class Role(StrEnum):
    """What a user may do in an account: owners everything, staff all but its settings."""

    OWNER = "owner"
    STAFF = "staff"


class SourceType(StrEnum):
    """Where orders come from; `checkout` is the checkout of masthead."""

    CHECKOUT = "checkout"
    SHOP = "shop"
    IMPORT = "import"


class PaymentMethod(StrEnum):
    """How an order was paid."""

    CHEQUE = "cheque"
    BANK_TRANSFER = "bank transfer"
    CARD = "card"
    CASH = "cash"
    DIRECT_DEBIT = "direct debit"
    OTHER = "other"
