"""The enums: statuses, media, roles, scopes and types."""

from enum import StrEnum


class SubscriptionType(StrEnum):
    """What was bought: a number of issues, or a span of the calendar."""

    SUBSCRIPTION = "subscription"
    MEMBERSHIP = "membership"


class SubscriptionStatus(StrEnum):
    """Where a subscription stands; `lifecycle` has the rules."""

    ACTIVE = "Active"
    RENEWALS_STOPPED = "Active - Renewals stopped"
    COMPLETE = "Complete"
    CANCELLED = "Cancelled"
    PAST_DUE = "Past due"


class Medium(StrEnum):
    """How a subscription is read."""

    PRINT = "Print"
    DIGITAL = "Digital"
    PRINT_AND_DIGITAL = "Print + digital"


class CopyStatus(StrEnum):
    """Whether a copy went out."""

    SENT = "Sent"
    CANCELLED = "Cancelled"
    NOT_SENT = "Not sent"


class CancelMode(StrEnum):
    """The two ways of cancelling."""

    STOP_RENEWALS = "stop_renewals"
    CANCEL = "cancel"


class Scope(StrEnum):
    """What an API key may do."""

    READ_ONLY = "read_only"
    READ_WRITE = "read_write"


class Role(StrEnum):
    """What a person may do in an account: owners everything, staff all but its settings."""

    OWNER = "owner"
    STAFF = "staff"


class SourceType(StrEnum):
    """Where orders come from; `checkout` is masthead's own."""

    CHECKOUT = "checkout"
    SHOP = "shop"
    IMPORT = "import"
