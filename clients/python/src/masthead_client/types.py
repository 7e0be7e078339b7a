"""The records of the API, as dictionaries with types.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

# In requests, dates and moments can be text, or objects of `datetime`
Date = str | datetime.date
Moment = str | datetime.datetime


# The two ways to cancel a subscription.
CancelMode = Literal["cancel", "stop_renewals"]

# What a carrier says of a copy.
CarrierReportKind = Literal["moved", "shipped", "undeliverable"]

# What became of a report in a request.
CarrierReportOutcome = Literal[
    "already_sent", "marked", "outdated", "recorded", "unchanged", "unmatched"
]

# What became of a change. planned: it applies to its issues. done: it was made for good, or its
# issues are sent. cancelled: somebody cancelled it; copies that a run holds keep the address.
ChangeStatus = Literal["cancelled", "done", "planned"]

# What is wrong with the copy.
ClaimReason = Literal["damaged", "never_arrived", "other", "wrong_issue"]

# What became of the replacement. open: it waits for the next run. held: a frozen run has it. sent:
# it was sent. closed: the claim was withdrawn, or no replacement was wanted.
ClaimStatus = Literal["closed", "held", "open", "sent"]

# Whether a copy was sent.
CopyStatus = Literal["Cancelled", "Not sent", "Sent"]

# ISO 3166-1 alpha-2 country code, or `XK` for Kosovo; case does not matter.
CountryCode = str

# The three groups of countries for which postage differs.
CountryGroup = Literal["europe", "home", "rest"]

# ISO 4217 currency code; case does not matter.
CurrencyCode = str

# Why a webhook is disabled: by a change, by the answer 410, or after days of failures.
DisabledReason = Literal["failing", "gone", "request"]

# The status of a run. The copies of a discarded run are free for the next one.
DispatchStatus = Literal["discarded", "frozen", "marked"]

# What a document is.
DocumentKind = Literal["credit_note", "fee", "invoice"]

# The kind of an error.
ErrorCode = Literal[
    "invalid_json",
    "unsupported_media_type",
    "unknown_field",
    "unknown_parameter",
    "validation_error",
    "invalid_cursor",
    "invalid_idempotency_key",
    "invalid_source",
    "unknown_start_issue",
    "duplicate_order_id",
    "duplicate_issue_number",
    "wrong_key_length",
    "wrong_key_character",
    "wrong_check_digit",
    "unknown_issue",
    "nothing_to_send",
    "already_marked",
    "already_discarded",
    "already_shipped",
    "not_open",
    "no_new_address",
    "not_marked",
    "undo_expired",
    "cancelled",
    "email_taken",
    "merged_meanwhile",
    "clock_is_moving",
    "not_recurring",
    "unknown_copy",
    "copy_not_sent",
    "copy_cancelled",
    "copy_digital",
    "claim_exists",
    "claim_held",
    "claim_sent",
    "invoice_credited",
    "not_cancelled",
    "same_subscriber",
    "address_planned",
    "in_collection",
    "is_on_invoice",
    "costs_more",
    "less_than_refunded",
    "unknown_order",
    "refund_too_high",
    "already_sent",
    "copy_in_run",
    "issue_skipped",
    "copy_in_use",
    "unknown_product",
    "unknown_subscriber",
    "unknown_subscription",
    "address_change_overlaps",
    "temporary_address_planned",
    "issues_are_over",
    "unknown_release_dates",
    "no_issue_in_span",
    "same_address",
    "already_cancelled",
    "already_done",
    "invalid_url",
    "too_many_webhooks",
    "webhook_disabled",
    "unknown_event",
    "billing_off",
    "nothing_to_bill",
    "debits_off",
    "no_mandate",
    "no_address",
    "missing_rate",
    "missing_exchange_rate",
    "missing_vat_id",
    "not_an_invoice",
    "credited",
    "more_than_left",
    "unknown_invoice",
    "other_currency",
    "more_than_open",
    "more_than_paid",
    "booked_together",
    "paid_back",
    "changed_meanwhile",
    "missing_right",
    "not_a_sandbox",
    "read_only_key",
    "not_found",
    "method_not_allowed",
    "request_in_progress",
    "answer_deleted",
    "cursor_expired",
    "erased",
    "precondition_failed",
    "payload_too_large",
    "unsupported_encoding",
    "idempotency_key_reused",
    "rate_limited",
    "internal_error",
    "unavailable",
]

# Whether an invoice is paid. A credit note is open until it is used up.
InvoiceStatus = Literal["open", "overdue", "settled"]

# Why a line left its run. marked: its copy was marked as sent outside the run. cancelled: its
# subscription was cancelled. changed: after marking, the date of its copy was changed outside the
# run. discarded: its run was discarded.
LeftReason = Literal["cancelled", "changed", "discarded", "marked"]

# What a line of a run is. A copy, the replacement of one that did not arrive, or a grace copy after
# the last paid issue.
LineKind = Literal["copy", "grace", "replacement"]

# Whether a line is still part of its run, and whether its copy is sent.
LineStatus = Literal["held", "left", "sent"]

# The rules of SEPA for a mandate.
MandateScheme = Literal["b2b", "core"]

# The medium of a subscription.
Medium = Literal["Digital", "Print", "Print + digital"]

# What became of a message: it waits for an attempt, was accepted, or is not tried again.
MessageStatus = Literal["delivered", "failed", "waiting"]

# What becomes of the invoice of a subscription that moves to another subscriber.
MovedInvoice = Literal["keep", "replace"]

# How an order was paid.
PaymentMethod = Literal["bank transfer", "card", "cash", "cheque", "direct debit", "other"]

# What becomes of the invoice of an order whose price changes.
PricedInvoice = Literal["credit", "replace"]

# The type of an event. description: what happened, in the words of the documentation. record_type:
# of its record.
PublicEventType = Literal[
    "claim.closed",
    "claim.created",
    "claim.updated",
    "copy.sent",
    "delivery_report.closed",
    "delivery_report.created",
    "dispatch.created",
    "dispatch.discarded",
    "dispatch.sent",
    "dispatch.undone",
    "dispatch.updated",
    "import.completed",
    "import.failed",
    "import.started",
    "import.undone",
    "invoice.created",
    "invoice.reminded",
    "invoice.updated",
    "issue.created",
    "issue.deleted",
    "issue.updated",
    "payment.created",
    "payment.undone",
    "refund.created",
    "subscriber.bounce_cleared",
    "subscriber.bounced",
    "subscriber.created",
    "subscriber.deleted",
    "subscriber.erased",
    "subscriber.merge_undone",
    "subscriber.merged",
    "subscriber.resubscribed",
    "subscriber.unsubscribed",
    "subscriber.updated",
    "subscription.cancelled",
    "subscription.completed",
    "subscription.created",
    "subscription.deleted",
    "subscription.past_due",
    "subscription.renewals_stopped",
    "subscription.renewed",
    "subscription.reopened",
    "subscription.updated",
]

# What the carrier says. A copy of a moved subscriber has a new address; others are on hold.
ReportKind = Literal["moved", "undeliverable"]

# What became of a report. open: it needs a decision; an undeliverable address is on hold. accepted:
# the subscription has the new address. corrected: its address was changed, so the hold ended.
# dismissed: somebody decided to keep the address. outdated: the subscriber changed the address in
# the meantime.
ReportStatus = Literal["accepted", "corrected", "dismissed", "open", "outdated"]

# How a person is addressed in letters. A person without one has none of them.
Salutation = Literal["mr", "ms"]

# The next day to which a clock can move: of an issue that is out, or of a charge.
SandboxNext = Literal["charge", "issue"]

# What an API key may do.
Scope = Literal["read_only", "read_write"]

# Where orders come from; `checkout` is the checkout of masthead.
SourceType = Literal["checkout", "import", "shop"]

# The status of a subscription.
SubscriptionStatus = Literal[
    "Active", "Active - Renewals stopped", "Cancelled", "Complete", "Past due"
]

# What was bought: a number of issues, or a period of time.
SubscriptionType = Literal["membership", "subscription"]

# What becomes of an address for some issues when the change for good around it is cancelled. keep:
# its issues go there, and the others to the present address. cancel: it ends, too.
TemporaryAddresses = Literal["cancel", "keep"]

# Why a line has its rate. The e-invoice has a code for each: see `CODES`.
VatCategory = Literal[
    "exempt", "export", "intra_community", "outside", "reverse_charge", "standard", "zero"
]

# Whether events are sent to a webhook.
WebhookStatus = Literal["disabled", "enabled"]

# The answers; of several subscriptions, the first in this order answers for the subscriber.
WhyCode = Literal[
    "address_on_hold",
    "after_end",
    "before_start",
    "cancelled",
    "claimed",
    "digital_only",
    "excluded_by_filter",
    "frozen",
    "grace_copy",
    "held",
    "late_order",
    "moved",
    "no_copy",
    "no_issue",
    "no_release_date",
    "no_subscription",
    "not_out",
    "outside_membership",
    "replaced",
    "replacement_frozen",
    "replacement_waiting",
    "returned",
    "run_discarded",
    "sent",
    "sent_outside_run",
    "skipped",
    "unknown_subscriber",
    "waiting",
]


class AccountRef(TypedDict):
    """The account of an API key."""

    name: str
    """Its name."""
    subdomain: str
    """Short name of the account in addresses."""


class AddressChangeCancel(TypedDict):
    """What else ends; the body can be left out."""

    temporary_addresses: NotRequired[TemporaryAddresses | None]
    """Required if an address for some issues is planned within this change for good. `keep` sends
    its issues there, and all others to the present address; `cancel` cancels it, too.
    """


class AddressChangeCreate(TypedDict):
    """A change of address of subscriptions of one subscriber: all of them, or none."""

    subscriptions: Sequence[str]
    """Ids of the subscriptions."""
    first_issue: NotRequired[int | None]
    """Number of the first issue that goes to the new address; without it, the address changes now.
    """
    last_issue: NotRequired[int | None]
    """Number of the last one; without it, the address changes for good."""
    first_day: NotRequired[Date | None]
    """Instead of `first_issue`: the first issue that comes out on this day or later."""
    last_day: NotRequired[Date | None]
    """Instead of `last_issue`: the last one that comes out by this day."""
    first_name: NotRequired[str | None]
    """Without names, those of the subscription stay."""
    last_name: NotRequired[str | None]
    """Last name of the recipient."""
    company: NotRequired[str | None]
    """Name of the company."""
    address1: str
    """First line of the address, such as street and number."""
    address2: NotRequired[str | None]
    """Second line of the address, such as a floor."""
    city: NotRequired[str | None]
    """Town or city."""
    state: NotRequired[str | None]
    """State, province or county."""
    postcode: NotRequired[str | None]
    """Postal code; as text, which keeps leading zeros."""
    country: CountryCode
    """ISO 3166-1 alpha-2 country code."""
    phone: NotRequired[str | None]
    """Phone number with country code; without it, that of the subscription stays."""


class AddressChangeResource(TypedDict):
    """A change of the address of a subscription."""

    id: str
    """Id of the record."""
    subscriber_id: str
    """Id of the subscriber."""
    subscription_id: str
    """Id of the subscription."""
    first_issue: int
    """Number of the first issue that goes to the new address."""
    last_issue: int | None
    """Number of the last one; null for a change for good. It is the one before `first_issue` while
    no issue comes out in the days of the change.
    """
    status: ChangeStatus | str
    """`planned`, `done` (it was made for good, or its issues are sent) or `cancelled`."""
    address: PlannedAddress
    """The new address."""
    created_at: str
    """When it was planned."""
    ended_at: str | None
    """When it was done or cancelled; null while it is planned."""


class AddressChangeResult(TypedDict):
    """What a change of address did."""

    changed: int
    """Number of subscriptions that have the new address now."""
    items: list[AddressChangeResource]
    """The changes that are planned, one for each subscription."""


class ApiError(TypedDict):
    """An error."""

    error: Literal[True]
    """Always true for an error, and false otherwise."""
    message: str
    """What is wrong and how to correct it, for people; the wording may change."""
    code: ErrorCode | str
    """The kind of error, for programs."""
    id: NotRequired[str]
    """Of the record that the message names, such as the subscription that has an order id already;
    only if it names one.
    """
    field: NotRequired[str]
    """The field or parameter that is wrong, such as `start_issue`, `ids[7]` or `reports[3].key`;
    only if it is one.
    """
    errors: NotRequired[list[FieldError]]
    """All fields and parameters that are wrong, up to 20; the first one is `field` with its
    `message` and `code`. Only together with `field`.
    """


class CarrierReportResult(TypedDict):
    """The result of one report, in the order of the request."""

    result: CarrierReportOutcome | str
    """`recorded`: an undeliverable address is on hold, or a new one waits to be accepted; `marked`:
    the shipped copy is Sent now; `already_sent`: it was Sent before; `outdated`: only recorded,
    because the address was changed since; `unchanged`: it was recorded before; `unmatched`: nothing
    was changed, and `message` says why.
    """
    id: str | None
    """Of the delivery report that was added, null if none was."""
    message: str | None
    """Null unless the result is `unmatched`."""


class CarrierReportResults(TypedDict):
    """The results of a request."""

    error: bool
    """Always false."""
    items: list[CarrierReportResult]
    """One for each report, in the same order."""


class Claim(TypedDict):
    """A claim: a subscriber says that a copy never came, or was damaged."""

    id: str
    """Use it in paths."""
    copy_id: int
    """Id of the copy."""
    issue: IssueRef
    """The issue."""
    subscriber_id: str
    """Id of the subscriber."""
    subscription_id: str
    """Id of the subscription."""
    country: str
    """ISO 3166-1 alpha-2 code of the country to which the copy was sent."""
    reason: ClaimReason | str
    """What is wrong with the copy."""
    notes: str | None
    """Internal notes; subscribers do not see them."""
    status: ClaimStatus | str
    """`open`: the replacement waits for the next run; `held`: it is in a frozen run; `sent`;
    `closed`: the claim was withdrawn, or no replacement was wanted.
    """
    replacement: bool
    """Whether the subscriber gets a replacement."""
    dispatch_id: str | None
    """The dispatch run that has the replacement; null if it is in none."""
    date_sent: str | None
    """Date on which the replacement was sent; null if it was not or the date is unknown."""
    date_created: str
    """Date of the claim in UTC."""


class ClaimCreate(TypedDict):
    """A claim, for a copy that was sent."""

    copy: NotRequired[int | None]
    """Id of the copy; leave it out if you send `key`."""
    key: NotRequired[str | None]
    """The key printed on the label of the copy or of its replacement, in place of `copy`."""
    reason: ClaimReason
    """What is wrong with the copy."""
    notes: NotRequired[str | None]
    """Internal notes; subscribers do not see them."""
    replacement: NotRequired[bool | None]
    """Whether the subscriber gets a replacement; by default, yes."""


class Copy(TypedDict):
    """A copy: one issue for one subscription."""

    id: int
    """Use it to mark the copy as sent, and for claims."""
    date_sent: str | None
    """Date on which the copy was sent; null if it was not sent or the date is unknown."""
    status: CopyStatus | str
    """Whether the copy was sent."""
    country: str
    """ISO 3166-1 alpha-2 code of the current country of its subscription."""
    issue: IssueRef
    """The issue."""
    subscriber_id: str
    """Id of the subscriber."""
    subscription_id: str
    """Id of the subscription."""


class CreatedClaim(TypedDict):
    """A new claim."""

    id: str
    """Use it in paths."""
    copy_id: int
    """Id of the copy."""
    issue: IssueRef
    """The issue."""
    subscriber_id: str
    """Id of the subscriber."""
    subscription_id: str
    """Id of the subscription."""
    country: str
    """ISO 3166-1 alpha-2 code of the country to which the copy was sent."""
    reason: ClaimReason | str
    """What is wrong with the copy."""
    notes: str | None
    """Internal notes; subscribers do not see them."""
    status: ClaimStatus | str
    """`open`: the replacement waits for the next run; `held`: it is in a frozen run; `sent`;
    `closed`: the claim was withdrawn, or no replacement was wanted.
    """
    replacement: bool
    """Whether the subscriber gets a replacement."""
    dispatch_id: str | None
    """The dispatch run that has the replacement; null if it is in none."""
    date_sent: str | None
    """Date on which the replacement was sent; null if it was not or the date is unknown."""
    date_created: str
    """Date of the claim in UTC."""
    warnings: list[str]
    """For people: the limit on replacements is exceeded, or the address is on hold."""


class CreditCreate(TypedDict):
    """A credit note for an invoice."""

    reason: str
    """Why; it is on the credit note."""
    amount: NotRequired[str | None]
    """Of the whole invoice; by default all that is not credited yet."""


class DeliveryReportCreate(TypedDict):
    """What the carrier says of one copy. Give `key` or `copy`."""

    key: NotRequired[str | None]
    """Copy key, as it is printed on the label; case, `#` and blanks do not matter."""
    copy: NotRequired[int | None]
    """Id of the copy."""
    kind: CarrierReportKind
    """`moved` needs the new address, at least `address1` and `city` or `postcode`."""
    date: NotRequired[Date | None]
    """Date of shipping or of the report, from 2000 to 31 days after today; shipped copies are sent
    today if it is absent.
    """
    reason: NotRequired[str | None]
    """In the carrier's words."""
    address1: NotRequired[str | None]
    """First line of the new address."""
    address2: NotRequired[str | None]
    """Second line of the new address."""
    city: NotRequired[str | None]
    """Of the new address."""
    state: NotRequired[str | None]
    """Of the new address."""
    postcode: NotRequired[str | None]
    """Of the new address."""
    country: NotRequired[CountryCode | None]
    """Of the new address; defaults to that of the old one."""


class DeliveryReportResource(TypedDict):
    """What a carrier said of a copy."""

    id: str
    """Use it in paths."""
    kind: ReportKind | str
    """What it is."""
    status: ReportStatus | str
    """`open`: it needs a decision, and an undeliverable address is on hold; `accepted`: the
    subscription has the new address; `corrected`: its address was changed, which ended the hold;
    `dismissed`: the address is kept; `outdated`: the address was changed before.
    """
    key: str | None
    """Copy key on the label, null if the copy was in no dispatch run."""
    copy_id: int
    """Id of the copy."""
    issue_number: int
    """Number of the issue."""
    subscription_id: str
    """Id of the subscription."""
    subscriber_id: str
    """Id of the subscriber."""
    reason: str | None
    """In the carrier's words."""
    date: str | None
    """Date of the report, null if the carrier gave none."""
    old_address: PostalAddress
    """The address that the copy was sent to."""
    new_address: PostalAddress | None
    """Null unless the subscriber moved."""
    created_at: str
    """Moment at which it was recorded, in UTC."""
    resolved_at: str | None
    """Moment at which it was closed, in UTC; null while it is open."""


class DeliveryReportsCreate(TypedDict):
    """Reports on copies; each has its own result."""

    reports: Sequence[DeliveryReportCreate]
    """One for each copy."""


class DispatchCreate(TypedDict):
    """The run to freeze. It takes all free copies of the issue, unless choices are given."""

    issue: str
    """Id of the issue."""
    countries: NotRequired[Sequence[CountryCode] | None]
    """Only copies that are shipped to these countries."""
    media: NotRequired[Sequence[Medium] | None]
    """Only copies of subscriptions with these media."""
    sources: NotRequired[Sequence[str] | None]
    """Only copies of subscriptions from the sources with these ids."""
    only_replacements: NotRequired[bool | None]
    """Whether to take replacements only, and no copies."""


class DispatchRef(TypedDict):
    """A dispatch run, in brief. number: within its issue."""

    id: str
    """Id of the record."""
    number: int
    """Number of the issue; unique in the account, and cannot change."""
    status: DispatchStatus | str
    """Its present status."""
    date_frozen: str
    """Date in UTC on which it was frozen."""
    date_sent: str | None
    """Date with which it was marked as sent; null if it is not marked, or without a date."""


class DispatchRun(TypedDict):
    """A dispatch run: the copies of one issue that go out together, at frozen addresses."""

    id: str
    """Use it in paths."""
    issue: IssueRef
    """The issue."""
    number: int
    """1 for the first run of its issue."""
    status: DispatchStatus | str
    """Its present status."""
    copies: int
    """Number of copies that the run took when it was frozen."""
    replacements: int
    """Number of replacements that it took."""
    grace_copies: int
    """Number of grace copies that it took: issues after the last paid one."""
    lines: int
    """`copies`, `replacements` and `grace_copies` together."""
    countries: list[str]
    """ISO codes of the countries that it was frozen for; empty for all."""
    media: list[Medium | str]
    """The media that it was frozen for; empty for all."""
    sources: list[str]
    """Ids of the sources that it was frozen for; empty for all."""
    only_replacements: bool
    """Whether it was frozen for replacements only."""
    fingerprint: str
    """SHA-256 of the frozen lines; it never changes."""
    date_sent: str | None
    """Date on which its copies were sent; null if it is not marked, or has no date."""
    created_at: str
    """When it was frozen, in UTC."""
    marked_at: str | None
    """When it was marked as sent; null if it is not marked."""
    undo_until: str | None
    """Until then the marking can be undone in any case; later, only until a later run of the issue
    is marked. Null if the run is not marked.
    """
    discarded_at: str | None
    """When it was discarded; null if it was not."""


class DispatchRunDetail(TypedDict):
    """A dispatch run, with counts of its lines."""

    id: str
    """Use it in paths."""
    issue: IssueRef
    """The issue."""
    number: int
    """1 for the first run of its issue."""
    status: DispatchStatus | str
    """Its present status."""
    copies: int
    """Number of copies that the run took when it was frozen."""
    replacements: int
    """Number of replacements that it took."""
    grace_copies: int
    """Number of grace copies that it took: issues after the last paid one."""
    lines: int
    """`copies`, `replacements` and `grace_copies` together."""
    countries: list[str]
    """ISO codes of the countries that it was frozen for; empty for all."""
    media: list[Medium | str]
    """The media that it was frozen for; empty for all."""
    sources: list[str]
    """Ids of the sources that it was frozen for; empty for all."""
    only_replacements: bool
    """Whether it was frozen for replacements only."""
    fingerprint: str
    """SHA-256 of the frozen lines; it never changes."""
    date_sent: str | None
    """Date on which its copies were sent; null if it is not marked, or has no date."""
    created_at: str
    """When it was frozen, in UTC."""
    marked_at: str | None
    """When it was marked as sent; null if it is not marked."""
    undo_until: str | None
    """Until then the marking can be undone in any case; later, only until a later run of the issue
    is marked. Null if the run is not marked.
    """
    discarded_at: str | None
    """When it was discarded; null if it was not."""
    held: int
    """Number of lines that are in the run, but not sent."""
    sent: int
    """Number of lines that are sent."""
    left: int
    """Number of lines that are no longer in the run, for example because a subscription was
    cancelled.
    """
    by_country: dict[str, int]
    """Number of frozen lines by ISO code of the country, most first; as in its files."""
    by_medium: dict[str, int]
    """Number of frozen lines by medium, most first."""


class DispatchRunLine(TypedDict):
    """A line of a run: a copy, a replacement or a grace copy, at its frozen address."""

    id: int
    """Id of the record."""
    sequence: int
    """Position in the run, from 1; the number in its files."""
    key: str
    """The key that is printed on the label, without the `#` around it."""
    kind: LineKind | str
    """What it is."""
    copy_id: int
    """Id of the copy; for a replacement, of the copy that did not arrive. No copy has the id of a
    grace copy, until the subscription is renewed and pays for the issue.
    """
    claim_id: str | None
    """Id of the claim that a replacement answers; null for others."""
    subscription_id: str
    """Id of the subscription."""
    subscriber_id: str
    """Id of the subscriber."""
    name: str
    """First and last name; without names, the company."""
    first_name: str | None
    """First name of the recipient."""
    last_name: str | None
    """Last name of the recipient."""
    company: str | None
    """Name of the company."""
    address1: str | None
    """First line of the address, such as street and number."""
    address2: str | None
    """Second line of the address, such as a floor."""
    city: str | None
    """Town or city."""
    state: str | None
    """State, province or county."""
    postcode: str | None
    """Postal code; as text, which keeps leading zeros."""
    country: str
    """ISO code of the country."""
    country_name: str
    """English name of the country."""
    address_lines: list[str]
    """Name and address as the country writes them, one element a line."""
    medium: Medium | str
    """`Digital` lines do not go by post."""
    status: LineStatus | str
    """Its present status."""
    left_reason: LeftReason | str | None
    """Why the line left the run; null if it is still in the run."""
    left_at: str | None
    """When it left the run; null if it is still in the run."""
    shipped_date: str | None
    """Date on which the carrier reported it as shipped; null if it did not."""
    salutation: Salutation | str | None
    """Of the subscriber, if the line has their name."""
    title: str | None
    """Of the subscriber, if the line has their name."""


class Event(TypedDict):
    """Something that happened to a record of the account."""

    id: int
    """Id of the event; no two events have the same."""
    number: int
    """The position of the event in the account, from 1 and without gaps. Of two events about a
    record, the one with the higher number is later.
    """
    type: PublicEventType | str
    """What happened."""
    happened_at: str
    """When the change was made, in UTC."""
    actor: EventActor
    """Who made the change."""
    record: EventRecord
    """The record that changed; for `copy.sent`, the issue of the copies."""
    data: dict[str, Any] | None
    """The record as the change left it, in the shape of its own endpoint; null if it was deleted,
    or if its personal data was erased since then.
    """


class EventActor(TypedDict):
    """Who made the change."""

    kind: Literal["command", "key", "user"] | str
    """Kind of the actor."""
    id: str
    """Id of the API key or of the user, or name of the command."""


class EventRecord(TypedDict):
    """The record that an event is about."""

    type: (
        Literal[
            "claim",
            "delivery_report",
            "dispatch",
            "import",
            "invoice",
            "issue",
            "payment",
            "refund",
            "subscriber",
            "subscription",
        ]
        | str
    )
    """Kind of the record."""
    id: str
    """Id of the record."""


class FieldError(TypedDict):
    """One of the errors of a request."""

    field: str
    """The field or parameter that is wrong, such as `start_issue`, `ids[7]` or `reports[3].key`."""
    message: str
    """What is wrong and how to correct it, for people; the wording may change."""
    code: str
    """The kind of error, for programs."""


class GifterRef(TypedDict):
    """The person who gave a gift subscription."""

    full_name: str
    """First and last name; without names, the company; without a company, the email address."""
    email: str
    """Email address."""


class InvoiceLineResource(TypedDict):
    """A line of an invoice."""

    order_id: str
    """Id of the order."""
    text: str
    """What it is."""
    detail: str
    """For whom, and which issues or days."""
    vat_category: VatCategory | str
    """Why it has its rate."""
    vat_rate: str
    """In percent, such as `7.00`."""
    net: str
    """Amount without VAT."""
    vat: str
    """VAT."""
    total: str
    """Both together."""


class InvoicePart(TypedDict):
    """An invoice that a payment settles."""

    number: str
    """Number of the invoice."""
    amount: NotRequired[str | None]
    """How much of it; by default what is open, as far as the payment is enough."""


class InvoiceResource(TypedDict):
    """An invoice or a credit note. It never changes, except for what is open."""

    id: str
    """Id of the invoice."""
    kind: DocumentKind | str
    """What it is; the amounts of a credit note are positive, too."""
    number: str
    """As it is printed."""
    status: InvoiceStatus | str
    """`overdue` after the day on which it was due."""
    payer: PayerRef
    """Who pays."""
    issue_date: str
    """Date of the invoice."""
    due_date: str
    """Day by which it is to be paid."""
    currency: str
    """ISO 4217 currency code."""
    net: str
    """Amount without VAT."""
    vat: str
    """VAT."""
    total: str
    """Both together."""
    vat_converted: str | None
    """VAT in the currency of the publisher's country; null if the invoice is in it."""
    vat_currency: str | None
    """ISO 4217 code of that currency; null if the invoice is in it."""
    exchange_rate: str | None
    """By which the VAT was converted; null if it was not."""
    open_amount: str
    """What is owed still; for a credit note, what is not used or paid back yet."""
    order_reference: str | None
    """The payer's own order number; null if there is none."""
    corrects: str | None
    """Number of the invoice that a credit note corrects; else null."""
    mandate_reference: str | None
    """Of the mandate by which it is collected; null if the payer pays it."""
    mandate_scheme: MandateScheme | str | None
    """Of SEPA, by which it is collected; null if the payer pays it."""
    collect_date: str | None
    """Day on which it is collected; null if the payer pays it."""
    lines: list[InvoiceLineResource]
    """In the order in which they are printed."""
    created_at: str
    """Moment at which it was issued."""


class Issue(TypedDict):
    """An issue of the magazine."""

    id: str
    """Use it in paths, in the filter `issue`, and to freeze a run."""
    number: int
    """Number of the issue; unique in the account, and cannot change."""
    name: str
    """Name of the issue; `Issue {number}` if none was given."""
    release_date_actual: str | None
    """Date of release; memberships with a period that includes this date get a copy."""
    release_date_fuzzy: str | None
    """Date of release in words, such as `early summer`."""
    date_as_start_issue: str | None
    """Date from which new subscriptions start with this issue."""
    recurring_charge_date: str | None
    """Date on which subscriptions that renew with this issue are charged."""
    newsstand_ean: str | None
    """EAN bar code of the newsstand edition."""


class IssueAddress(TypedDict):
    """The address of a printed copy that is not sent and that no run holds."""

    copy_id: int
    """Id of the copy."""
    subscription_id: str
    """Id of the subscription."""
    subscriber_id: str
    """Id of the subscriber."""
    medium: Medium | str
    """Medium of the subscription."""
    name: str
    """First and last name; without names, the company."""
    first_name: str | None
    """First name of the recipient."""
    last_name: str | None
    """Last name of the recipient."""
    company: str | None
    """Name of the company."""
    address1: str | None
    """First line of the address, such as street and number."""
    address2: str | None
    """Second line of the address, such as a floor."""
    city: str | None
    """Town or city."""
    state: str | None
    """State, province or county."""
    postcode: str | None
    """Postal code; as text, which keeps leading zeros."""
    country: str
    """ISO code of the country."""
    country_name: str
    """English name of the country."""
    address_lines: list[str]
    """Name and address as the country writes them, one element a line."""
    salutation: Salutation | str | None
    """Of the subscriber, if the copy goes to them by their name."""
    title: str | None
    """Of the subscriber, if the copy goes to them by their name."""


class IssueAnswer(TypedDict):
    """Whether a subscriber got an issue, and why not."""

    code: WhyCode | str
    """Of the subscription that says most; a copy that was sent comes first."""
    sentence: str
    """The answer for all subscriptions in words, for people; the wording may change."""
    issue_number: int
    """Number of the issue."""
    issue: IssueRef | None
    """Null if there is no issue with this number."""
    subscriber: SubscriberRef | None
    """Null if there is no such subscriber."""
    subscriptions: list[SubscriptionAnswer]
    """The answer for each subscription, those that say most first; at most 500."""


class IssueCreate(TypedDict):
    """A new issue. The name defaults to `Issue {number}`."""

    number: int
    """Number of the issue; unique in the account, and cannot change."""
    name: NotRequired[str | None]
    """Its name."""
    release_date_actual: NotRequired[Date | None]
    """Date of release. Memberships with a period that includes this date get a copy."""
    release_date_fuzzy: NotRequired[str | None]
    """Date of release in words."""
    date_as_start_issue: NotRequired[Date | None]
    """Date from which new subscriptions start with this issue; masthead stores it for your shop."""
    recurring_charge_date: NotRequired[Date | None]
    """Date on which you charge subscriptions that renew with this issue."""
    newsstand_ean: NotRequired[str | None]
    """EAN bar code of the newsstand edition; it is not checked."""


class IssueRef(TypedDict):
    """An issue, in brief."""

    id: str
    """Id of the record."""
    number: int
    """Number of the issue; unique in the account, and cannot change."""
    name: str
    """Its name."""


class IssueUpdate(TypedDict):
    """The fields of an issue to change; null clears a field."""

    name: NotRequired[str]
    """Its name."""
    release_date_actual: NotRequired[Date | None]
    """Date of release. Memberships with a period that includes this date get a copy."""
    release_date_fuzzy: NotRequired[str | None]
    """Date of release in words."""
    date_as_start_issue: NotRequired[Date | None]
    """Date from which new subscriptions start with this issue; masthead stores it for your shop."""
    recurring_charge_date: NotRequired[Date | None]
    """Date on which you charge subscriptions that renew with this issue."""
    newsstand_ean: NotRequired[str | None]
    """EAN bar code of the newsstand edition; it is not checked."""


class KeptEmail(TypedDict):
    """An email that a sandbox did not send."""

    id: str
    """Id of the email."""
    recipient: str
    """The address to which it would have been sent."""
    subject: str
    """Its subject."""
    text: str
    """Its text."""
    created_at: str
    """When it would have been sent, at the time of the sandbox."""
    invoice_id: str | None
    """Id of the invoice that would have been attached; null without one."""


class MarkSent(TypedDict):
    """The copies that were sent, and the date."""

    date: NotRequired[Date | None]
    """The date, from 2000 to 31 days after today; null removes it; if it is absent, copies that are
    sent keep theirs.
    """
    ids: Sequence[int]
    """Ids of the copies."""


class MarkSentDate(TypedDict):
    """The date on which copies were sent."""

    date: NotRequired[Date | None]
    """The date, from 2000 to 31 days after today; null removes it; if it is absent, copies that are
    sent keep theirs.
    """


class MarkedSent(TypedDict):
    """The copies that were marked as sent."""

    error: Literal[False]
    """Always true for an error, and false otherwise."""
    updated_count: int
    """Number of copies."""
    items: list[Copy]
    """The copies, in the order of their ids."""


class Me(TypedDict):
    """The user, account and scope of an API key."""

    email: str
    """Email address."""
    account: AccountRef
    """The account that the key gives access to."""
    scope: Scope | str
    """What the key may do: `read_only` keys can send GET requests only."""
    sandbox_day: NotRequired[str]
    """Today in a sandbox; the field is left out for other accounts."""


class NoFields(TypedDict):
    """An empty object; the body can be left out."""


class OfferedProduct(TypedDict):
    """A product of the account. Its id is the `product` of new orders."""

    id: str
    """Id of the record."""
    name: str
    """Name of the product, as subscribers see it."""
    benefits: list[str]
    """What the product includes, in the words of the publisher."""
    is_active: bool
    """Whether new orders can have it."""
    type: SubscriptionType | str
    """`subscription` for a number of issues, `membership` for a period of time."""
    length: int | None
    """Number of issues; null if each order chooses it, and for memberships."""
    interval_months: int | None
    """Months of a membership; null if each order chooses it, and otherwise."""
    prices: list[ProductPrice]
    """The prices that hold today."""
    prices_from: str | None
    """The first day of those prices; null for the first prices of the product."""
    next_prices: list[ProductPrice]
    """The prices that hold next; empty if there are none, or nothing is sold then."""
    next_prices_from: str | None
    """The first day of those prices; null if no others are known."""


class OrderCreate(TypedDict):
    """An order: a subscription, a membership or a gift, of one copy of each issue or of several."""

    source: str
    """Id of an active source of type `shop` or `import`."""
    product: NotRequired[str | None]
    """Id of an active product; by default that of imported subscriptions."""
    type: NotRequired[SubscriptionType | None]
    """By default that of the product."""
    start_issue: NotRequired[int | None]
    """Number of the first issue; not for memberships."""
    length: NotRequired[int | None]
    """Number of issues; by default as many as the product has. Without a product, it is required.
    Not for memberships.
    """
    interval_months: NotRequired[int | None]
    """Months of a membership; by default as many as the product has."""
    period_start: NotRequired[Date | None]
    """First day of a membership; by default the date of the order."""
    subscriber_id: NotRequired[str | None]
    """Id of the subscriber; without it, they are found by `email`, or created."""
    email: NotRequired[str | None]
    """Of the subscriber; without it, a placeholder is created."""
    first_name: NotRequired[str | None]
    """First name of the recipient."""
    last_name: NotRequired[str | None]
    """Last name of the recipient."""
    company: NotRequired[str | None]
    """Required if there is no `first_name`."""
    address1: NotRequired[str | None]
    """First line of the address, such as street and number."""
    address2: NotRequired[str | None]
    """Second line of the address, such as a floor."""
    city: NotRequired[str | None]
    """Town or city."""
    state: NotRequired[str | None]
    """State, province or county."""
    postcode: NotRequired[str | None]
    """Postal code; as text, which keeps leading zeros."""
    country: CountryCode
    """ISO 3166-1 alpha-2 country code."""
    phone: NotRequired[str | None]
    """Phone number with country code."""
    notes: NotRequired[str | None]
    """Internal notes; subscribers do not see them."""
    medium: NotRequired[Medium | None]
    """Defaults to `Print`."""
    copies: NotRequired[int | None]
    """Copies of each issue, each with a subscription of its own; 1 by default."""
    price: str
    """Amount paid for all copies together; `0` with `is_comp`. It can differ from the price of the
    product.
    """
    currency: NotRequired[CurrencyCode | None]
    """Defaults to the currency of the account."""
    discount_amount: NotRequired[str | None]
    """Decimal amount, with at most as many decimals as the currency has."""
    payment_method: NotRequired[PaymentMethod | None]
    """How it was paid."""
    is_comp: NotRequired[bool | None]
    """Whether the subscription is complimentary."""
    is_recurring: NotRequired[bool | None]
    """Whether the subscription renews; masthead itself charges nothing."""
    is_gift: NotRequired[bool | None]
    """Whether somebody else pays; then `gifter_id`, or `gifter_email` and a name of the giver, are
    required.
    """
    gifter_id: NotRequired[str | None]
    """Id of the giver, if they are a subscriber; else they are found by `gifter_email`."""
    gifter_email: NotRequired[str | None]
    """Email address of the giver; required for a gift without `gifter_id`."""
    gifter_first_name: NotRequired[str | None]
    """First name of the giver."""
    gifter_last_name: NotRequired[str | None]
    """Last name of the giver."""
    gifter_company: NotRequired[str | None]
    """Company of the giver; required if there is no `gifter_first_name`."""
    order_id: str
    """Id of the order in the shop; must be unique in the account. Further copies get `-2`, `-3` and
    so on.
    """
    order_date: Date
    """Date of the order."""
    transaction_id: NotRequired[str | None]
    """Id of the payment at the payment provider."""
    promo_code: NotRequired[str | None]
    """Code of the offer or campaign."""
    send_welcome_email: NotRequired[bool | None]
    """Whether the subscriber receives the welcome email."""
    is_billed: NotRequired[bool | None]
    """Whether the payer gets an invoice; then `price` is what they will owe. Without it, `price`
    was paid.
    """
    payer_id: NotRequired[str | None]
    """Id of the subscriber who gets the invoice; by default the giver of a gift, or else the
    subscriber.
    """
    due_days: NotRequired[int | None]
    """Days until the invoice is due; by default those of the settings."""
    order_reference: NotRequired[str | None]
    """The payer's own order number, which is on the invoice."""
    is_debited: NotRequired[bool | None]
    """Whether the invoice is collected by direct debit, with a mandate that the payer has."""


class OrderError(TypedDict):
    """Why an order was refused."""

    message: str
    """What is wrong, and what to do."""
    code: str
    """A code for programs."""
    field: str | None
    """The field that it is about; null if it is about several."""


class OrderResult(TypedDict):
    """What became of an order, in the order of the request."""

    order_id: str
    """That of the order."""
    subscription: str | None
    """Id of the new subscription; null if the order was refused."""
    error: OrderError | None
    """Why it was refused; null if it was placed."""
    waiting: OrderError | None
    """Why an order that is billed waits for its invoice, such as an address or a rate of VAT that
    is missing; null if it does not, or if the payer gets one invoice for all orders.
    """


class OrderResults(TypedDict):
    """The results of a request."""

    error: bool
    """Always false."""
    items: list[OrderResult]
    """One for each order, in the same order."""


class OrdersCreate(TypedDict):
    """Orders to place one after the other. A refused one changes nothing; the others are placed."""

    orders: Sequence[OrderCreate]
    """In the order in which they are placed; `copies` can only be 1."""


class PayerRef(TypedDict):
    """Who pays."""

    id: str
    """Id of the subscriber."""
    number: int
    """Customer number."""
    name: str
    """Name on the invoice."""
    vat_id: str | None
    """VAT id on the invoice; null if there is none."""


class PaymentCreate(TypedDict):
    """A payment that came."""

    amount: str
    """Amount that came; more than 0."""
    currency: NotRequired[CurrencyCode | None]
    """Defaults to the currency of the account."""
    payment_date: NotRequired[Date | None]
    """Day on which it came, at most two years before its invoices were issued; by default today."""
    method: NotRequired[PaymentMethod | None]
    """How it came; by default a bank transfer."""
    reference: NotRequired[str | None]
    """What the payer wrote."""
    payer: NotRequired[str | None]
    """Id of the subscriber who paid; needed without `invoices`."""
    invoices: NotRequired[Sequence[InvoicePart] | None]
    """What it settles; by default the open invoice of the payer with the same amount, or those that
    were due first.
    """


class PaymentResource(TypedDict):
    """A payment that was recorded."""

    id: str
    """Id of the payment."""
    payer: str | None
    """Id of the subscriber who paid; null if it is not known."""
    payment_date: str
    """Day on which it came."""
    amount: str
    """Amount; negative if it was paid back."""
    currency: str
    """ISO 4217 currency code."""
    method: PaymentMethod | str
    """How it came."""
    reference: str
    """What the payer wrote."""
    unused_amount: str
    """What has settled no invoice."""
    is_undone: bool
    """Whether it was recorded by mistake, and undone."""
    invoices: list[SettledInvoice]
    """Numbers of the invoices that it settled, and how much of each."""


class PlacedOrder(TypedDict):
    """What an order has created."""

    order_id: str
    """That of the order."""
    subscriptions: list[Subscription]
    """One for each copy of an issue."""
    invoices: list[str]
    """Ids of the invoices; none if the order was paid, or waits for one."""


class PlannedAddress(TypedDict):
    """An address that issues of a subscription go to."""

    first_name: str | None
    """Null if those of the subscription stay."""
    last_name: str | None
    """Null if those of the subscription stay."""
    company: str | None
    """Null if those of the subscription stay."""
    address1: str | None
    """First line of the address, such as street and number."""
    address2: str | None
    """Second line of the address, such as a floor."""
    city: str | None
    """Town or city."""
    state: str | None
    """State, province or county."""
    postcode: str | None
    """Postal code; as text, which keeps leading zeros."""
    country: str
    """ISO 3166-1 alpha-2 country code."""
    phone: str | None
    """Null if that of the subscription stays."""


class PostalAddress(TypedDict):
    """The parts of an address that a move changes. country: ISO code."""

    address1: str | None
    """First line of the address, such as street and number."""
    address2: str | None
    """Second line of the address, such as a floor."""
    city: str | None
    """Town or city."""
    state: str | None
    """State, province or county."""
    postcode: str | None
    """Postal code; as text, which keeps leading zeros."""
    country: str
    """ISO 3166-1 alpha-2 country code."""


class PriceChange(TypedDict):
    """What an order costs."""

    order_id: str
    """Of an order of the subscription."""
    price: str
    """New price in the currency of the order; with `all_copies`, of all copies together."""
    all_copies: NotRequired[bool | None]
    """Whether the price is for the other copies of the same order and address, too."""
    invoice_action: NotRequired[PricedInvoice | None]
    """Required if the order is on an invoice: `replace` credits it and issues one with the new
    price; `credit` issues a credit note for the difference, if the order costs less.
    """
    reason: NotRequired[str | None]
    """For staff, and for the credit note."""


class Product(TypedDict):
    """The product that was bought."""

    id: str
    """Id of the record."""
    name: str
    """Name of the product, as subscribers see it."""
    benefits: list[str]
    """What the product includes, in the words of the publisher."""


class ProductPrice(TypedDict):
    """What a product costs."""

    medium: Medium | str
    """Of the copies."""
    country_group: CountryGroup | str
    """Where the copies go, as seen from the country of the publisher."""
    price: str
    """For one copy of each issue."""
    currency: str
    """The currency of the account."""


class RefundCreate(TypedDict):
    """Money that went back for an order; masthead itself pays nothing."""

    order_id: str
    """Of an order of the subscription."""
    amount: str
    """In the currency of the order; at most what is left of its price."""
    refund_date: NotRequired[Date | None]
    """By default today; not before the order, and not in the future."""
    reason: NotRequired[str | None]
    """For staff."""


class RefundList(TypedDict):
    """All refunds of a subscription."""

    items: list[RefundResource]
    """By date."""


class RefundResource(TypedDict):
    """A refund of an order."""

    order_id: str
    """Id of the order."""
    amount: str
    """Amount that went back."""
    currency: str
    """ISO 4217 currency code of the order."""
    refund_date: str
    """Date of the refund."""
    reason: str | None
    """For staff; null if none was given."""


class RenewalCreate(TypedDict):
    """A renewal that you sold elsewhere: an order that adds a period to a subscription."""

    source: str
    """Id of an active source of type `shop` or `import`."""
    order_id: str
    """Id of the order in the shop; must be unique in the account."""
    order_date: Date
    """Date of the order, from 1900 to 31 days after today."""
    price: str
    """Amount paid; `0` for a complimentary subscription."""
    currency: NotRequired[CurrencyCode | None]
    """Defaults to the currency of the account."""
    discount_amount: NotRequired[str | None]
    """Decimal amount, with at most as many decimals as the currency has."""
    length: NotRequired[int | None]
    """Number of issues; by default as many as in the period before. Not for memberships."""
    interval_months: NotRequired[int | None]
    """Of a membership; by default as many as in the period before."""
    period_start: NotRequired[Date | None]
    """First day of a membership; by default the day after the period before."""
    payment_method: NotRequired[PaymentMethod | None]
    """How it was paid."""
    transaction_id: NotRequired[str | None]
    """Id of the payment at the payment provider."""
    is_billed: NotRequired[bool | None]
    """Whether the payer gets an invoice; then `price` is what they will owe. Without it, `price`
    was paid.
    """
    payer_id: NotRequired[str | None]
    """Id of the subscriber who gets the invoice; by default who got that of the order before, or
    else the giver of a gift or the subscriber.
    """
    due_days: NotRequired[int | None]
    """Days until the invoice is due; by default those of the settings."""
    order_reference: NotRequired[str | None]
    """The payer's own order number, which is on the invoice."""
    is_debited: NotRequired[bool | None]
    """Whether the invoice is collected by direct debit, with a mandate that the payer has."""


class SandboxClock(TypedDict):
    """The clock of a sandbox."""

    day: str
    """Today in the sandbox."""
    first_day: str
    """The day to which a reset leads."""
    is_automatic: bool
    """Whether the sandbox sends letters and reminders by itself, and collects direct debits. Staff
    do that in other accounts.
    """


class SandboxMove(TypedDict):
    """Where the clock of a sandbox moves to: a day, or the next issue or charge."""

    to: NotRequired[Date | None]
    """The day, after today of the sandbox, at most three years ahead."""
    next: NotRequired[SandboxNext | None]
    """`issue` for the next release date of an issue, or `charge` for the next charge."""
    is_automatic: NotRequired[bool | None]
    """Whether the sandbox sends letters and reminders by itself, and collects direct debits, from
    now on; without `to` and `next`, the clock stays.
    """


class SettledInvoice(TypedDict):
    """What a payment has settled of an invoice."""

    id: str
    """Id of the invoice."""
    number: str
    """As it is printed."""
    amount: str
    """How much."""


class ShippingAddress(TypedDict):
    """The shipping address of a subscription."""

    company: str | None
    """Name of the company."""
    address1: str | None
    """First line of the address, such as street and number."""
    address2: str | None
    """Second line of the address, such as a floor."""
    city: str | None
    """Town or city."""
    state: str | None
    """State, province or county."""
    postcode: str | None
    """Postal code; as text, which keeps leading zeros."""
    country: str | None
    """ISO 3166-1 alpha-2 country code."""
    country_name: str | None
    """English name of the country."""
    phone: str | None
    """Phone number with country code."""


class Source(TypedDict):
    """A source of orders, such as a shop."""

    id: str
    """Use it as the `source` of new subscriptions, and in the filter `source`."""
    name: str
    """Its name."""
    type: SourceType | str
    """Kind of the source; `checkout` is masthead's own checkout."""
    is_active: bool
    """Whether it accepts new orders."""


class SourceRef(TypedDict):
    """The source, in brief."""

    id: str
    """Id of the record."""
    name: str
    """Its name."""


class Subscriber(TypedDict):
    """A subscriber, with totals of all their subscriptions."""

    id: str
    """Use it in paths, and in the filter `subscriber`."""
    first_name: str | None
    """From the order that created the subscriber."""
    last_name: str | None
    """From the order that created the subscriber."""
    full_name: str
    """First and last name; else the company; else the email address."""
    email: str
    """Email address; a placeholder if the orders have none."""
    latest_country: str | None
    """Country of the newest order, including renewals."""
    latest_order_date: str | None
    """Date of the newest order, including renewals."""
    has_active_subscription: bool
    """Whether any subscription is neither `Complete` nor `Cancelled`."""
    subscription_count: int
    """Number of subscriptions with any status."""
    ltv: str
    """Lifetime value: the prices of all orders in `ltv_currency`, paid or not, less refunds."""
    ltv_currency: str
    """The currency of the account."""
    date_created: str | None
    """Date of creation in UTC; never null so far."""


class SubscriberRef(TypedDict):
    """The subscriber, in brief."""

    id: str
    """Id of the record."""
    full_name: str
    """First and last name; without names, the company; without a company, the email address."""
    email: str
    """Email address."""


class SubscriberUpdate(TypedDict):
    """The fields of a subscriber to change; null clears a field."""

    salutation: NotRequired[Salutation | None]
    """`ms` or `mr`; null for none."""
    title: NotRequired[str | None]
    """Before the name, such as `Prof. Dr.`."""
    first_name: NotRequired[str | None]
    """One of the names, the company or the email address must remain."""
    last_name: NotRequired[str | None]
    """Last name of the recipient."""
    company: NotRequired[str | None]
    """Name of the company; it is shown as `full_name` if there are no names."""
    email: NotRequired[str | None]
    """Without one, the subscriber gets a placeholder address, which receives no emails."""
    address1: NotRequired[str | None]
    """Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
    needs a street, a town or postcode, and a country.
    """
    address2: NotRequired[str | None]
    """Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
    needs a street, a town or postcode, and a country.
    """
    city: NotRequired[str | None]
    """Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
    needs a street, a town or postcode, and a country.
    """
    state: NotRequired[str | None]
    """Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
    needs a street, a town or postcode, and a country.
    """
    postcode: NotRequired[str | None]
    """Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
    needs a street, a town or postcode, and a country.
    """
    country: NotRequired[CountryCode | None]
    """Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
    needs a street, a town or postcode, and a country.
    """
    with_subscriptions: NotRequired[bool]
    """Whether the subscriptions that have the old name get the new one too; by default, they do
    not.
    """


class Subscription(TypedDict):
    """A subscription."""

    id: str
    """Use it in paths, and in the filter `subscription`."""
    type: SubscriptionType | str
    """`subscription` for a number of issues, `membership` for a period of time."""
    status: SubscriptionStatus | str
    """Whether it is current; the daily pass makes the changes that depend on the date."""
    medium: Medium | str
    """Medium of the subscription."""
    first_name: str | None
    """First name of the recipient."""
    last_name: str | None
    """Last name of the recipient."""
    shipping_address: ShippingAddress
    """Where the copies are sent."""
    length: int | None
    """Number of issues in the current period; null for memberships."""
    interval_months: int | None
    """Months between charges; null unless it is a membership."""
    total_length: int
    """Number of issues in all periods; for a membership, the issues granted so far."""
    notes: str | None
    """Internal notes; subscribers do not see them."""
    is_recurring: bool
    """Whether it renews automatically; this stays true after renewals are stopped."""
    current_period_start: str | None
    """First day of the current period; null unless it is a membership."""
    current_period_end: str | None
    """Last day of the current period; null unless it is a membership."""
    next_charge_date: str | None
    """Date of the next charge; null if the subscription does not renew or the date is not known
    yet.
    """
    is_comp: bool
    """Whether the subscription is complimentary."""
    is_gift: bool
    """Whether another person pays."""
    gifter: GifterRef | None
    """The person who pays, if it is a gift."""
    promo_code: str | None
    """Code of the offer or campaign of the current period."""
    discount_amount: str
    """Discount on the order of the current period."""
    refunded: str
    """Amount refunded for the order of the current period."""
    currency: str | None
    """ISO 4217 currency code of the order of the current period; never null so far."""
    price: str | None
    """Amount paid for the order of the current period; never null so far."""
    order_date: str | None
    """Date of the first order; never null so far."""
    start_issue: IssueRef | None
    """The first issue; null for memberships."""
    issue_list: list[int]
    """Numbers of all issues that it covers, including those that do not exist yet."""
    periods: list[SubscriptionPeriod]
    """The orders of the subscription, oldest first."""
    subscriber: SubscriberRef
    """The subscriber."""
    source: SourceRef | None
    """The source of the first order; never null so far."""
    product: Product
    """The product that was bought."""


class SubscriptionAnswer(TypedDict):
    """The answer for one subscription."""

    subscription_id: str
    """Id of the subscription."""
    code: WhyCode | str
    """The kind of answer, for programs."""
    sentence: str
    """The answer in words, for people; the wording may change."""
    copy_id: int | None
    """The copy of the issue; null if there is none."""
    copy_status: CopyStatus | str | None
    """Status of the copy; null if there is none."""
    date_sent: str | None
    """Date on which the copy, or its replacement, was sent."""
    run: DispatchRef | None
    """The dispatch run that the copy, or its replacement, is in; null if it is in none: also if it
    came after a run was frozen, or a run left it out.
    """
    left_run: DispatchRef | None
    """The dispatch run that the copy was in last, if it is in none now: the copy was cancelled or
    marked as sent by itself, or the run was discarded.
    """
    address: str | None
    """Where the copy or its replacement went or will go, in one line, as it was frozen with the
    run.
    """
    key: str | None
    """The key that is printed on its label, without the `#` around it; null if it is in no run."""
    claim_id: str | None
    """The claim that the answer is about."""
    delivery_report_id: str | None
    """The delivery report that the answer is about."""
    invoice_id: str | None
    """The unpaid invoice for which the copy waits; null if it waits for no invoice."""


class SubscriptionCancel(TypedDict):
    """How to cancel."""

    mode: CancelMode
    """`stop_renewals` ends a recurring subscription after its last paid period; `cancel` ends any
    subscription now and cancels its unsent copies.
    """


class SubscriptionCreate(TypedDict):
    """A manual subscription."""

    source: str
    """Id of an active source of type `shop` or `import`."""
    start_issue: int
    """Number of the first issue; the issue must exist."""
    length: int
    """Issues per period."""
    email: NotRequired[str | None]
    """Of the subscriber, who is created if not found; without it, a placeholder is created."""
    first_name: NotRequired[str | None]
    """First name of the recipient."""
    last_name: NotRequired[str | None]
    """Last name of the recipient."""
    company: NotRequired[str | None]
    """Required if there is no `first_name`."""
    address1: NotRequired[str | None]
    """First line of the address, such as street and number."""
    address2: NotRequired[str | None]
    """Second line of the address, such as a floor."""
    city: NotRequired[str | None]
    """Town or city."""
    state: NotRequired[str | None]
    """State, province or county."""
    postcode: NotRequired[str | None]
    """Postal code; as text, which keeps leading zeros."""
    country: CountryCode
    """ISO 3166-1 alpha-2 country code."""
    phone: NotRequired[str | None]
    """Phone number with country code."""
    notes: NotRequired[str | None]
    """Internal notes; subscribers do not see them."""
    order_id: str
    """Id of the order in the shop; must be unique in the account."""
    order_date: Date
    """Date of the order, from 1900 to 31 days after today."""
    transaction_id: NotRequired[str | None]
    """Id of the payment at the payment provider."""
    price: str
    """Amount paid; `0` with `is_comp`."""
    currency: NotRequired[CurrencyCode | None]
    """Defaults to the currency of the account."""
    is_recurring: NotRequired[bool | None]
    """Whether the subscription renews; masthead itself charges nothing."""
    is_comp: NotRequired[bool | None]
    """Whether the subscription is complimentary."""
    medium: NotRequired[Medium | None]
    """Defaults to `Print`."""
    promo_code: NotRequired[str | None]
    """Code of the offer or campaign."""
    discount_amount: NotRequired[str | None]
    """Decimal amount, with at most as many decimals as the currency has."""
    send_welcome_email: NotRequired[bool | None]
    """Whether the subscriber receives the welcome email."""


class SubscriptionMove(TypedDict):
    """Who gets a subscription."""

    subscriber: str
    """Id of the subscriber who gets it."""
    takes_address: NotRequired[bool | None]
    """Whether its copies go to the name and address of the new subscriber; by default true."""
    all_copies: NotRequired[bool | None]
    """Whether the other copies of the same order and address move, too."""
    invoice_action: NotRequired[MovedInvoice | None]
    """`keep`, the default, leaves the invoice of the last order to its payer; `replace` credits it
    and issues one to the new subscriber.
    """
    reason: NotRequired[str | None]
    """For staff, and for the credit note."""


class SubscriptionPeriod(TypedDict):
    """One order of a subscription, and the issues that it covers."""

    id: int
    """Id of the record."""
    order_date: str | None
    """Date of the order."""
    is_complete: bool
    """For issues: all of them exist and no copy is left to send; for a membership: the period has
    ended.
    """
    length: int | None
    """Number of issues; null for memberships."""
    interval_months: int | None
    """Months between charges; null unless it is a membership."""
    period_start: str | None
    """First day; null unless it is a membership."""
    period_end: str | None
    """Last day; null unless it is a membership."""
    issue_list: list[int]
    """Numbers of the issues that the order covers."""
    order_id: str
    """Id of the order; unique in the account."""
    transaction_id: str | None
    """Id of the payment at the payment provider."""
    price: str
    """Amount paid for the order."""
    currency: str
    """ISO 4217 currency code of the order."""
    discount_amount: str
    """Discount on the order."""
    refunded: str
    """Amount refunded for the order."""
    source: SourceRef
    """The source of the order."""


class SubscriptionState(TypedDict):
    """The status of a subscription, which is available without an API key."""

    status: SubscriptionStatus | str
    """Its present status."""


class SubscriptionUpdate(TypedDict):
    """The fields of a subscription to change; an empty text clears a field."""

    first_name: NotRequired[str]
    """`first_name` and `company` cannot both be empty."""
    last_name: NotRequired[str]
    """Last name of the recipient."""
    company: NotRequired[str]
    """`first_name` and `company` cannot both be empty."""
    address1: NotRequired[str]
    """First line of the address, such as street and number."""
    address2: NotRequired[str]
    """Second line of the address, such as a floor."""
    city: NotRequired[str]
    """Town or city."""
    state: NotRequired[str]
    """State, province or county."""
    postcode: NotRequired[str]
    """Postal code; as text, which keeps leading zeros."""
    country: NotRequired[CountryCode]
    """Cannot be cleared."""
    phone: NotRequired[str]
    """Phone number with country code."""
    notes: NotRequired[str]
    """Internal notes; subscribers do not see them."""


class TermsUpdate(TypedDict):
    """Corrections of an order. What was sent, or is in a dispatch run, stays as it is."""

    medium: NotRequired[Medium]
    """Of the copies that are not sent."""
    start_issue: NotRequired[int]
    """Number of the first issue, until a copy is sent; the issue must exist."""
    length: NotRequired[int]
    """Number of issues of the last order."""


class Webhook(TypedDict):
    """An address to which the events of the account are sent."""

    id: str
    """Id of the webhook."""
    url: str
    """The address that gets the requests."""
    types: list[PublicEventType | str]
    """The types of the events that it gets; empty for all."""
    status: WebhookStatus | str
    """Whether events are sent to it."""
    disabled_reason: DisabledReason | str | None
    """Why it is disabled; null while it is enabled."""
    failing_since: str | None
    """Since when no request has been accepted; null if the last one was."""
    public_key: str
    """`whpk_…`, to check the `v1a` signatures."""
    last_event: int
    """Id of the last event that was looked at; those after it wait."""
    missed: int
    """The number of events that were deleted before they could be sent."""
    created_at: str
    """When it was created."""


class WebhookCreate(TypedDict):
    """A webhook."""

    url: str
    """The address that gets the requests; it begins with `https://`."""
    types: NotRequired[Sequence[PublicEventType] | None]
    """The types of the events that it gets; all if there are none."""


class WebhookDelivery(TypedDict):
    """A message to a webhook, and what became of it."""

    id: str
    """The header `webhook-id`: the id of the event, or that of a test."""
    event: Event | None
    """The event, which is the body of the request; null for a test, and if it was deleted."""
    status: MessageStatus | str
    """What became of the message."""
    attempts: int
    """The number of attempts."""
    created_at: str
    """When the first attempt was due."""
    attempted_at: str | None
    """When the last attempt began."""
    next_attempt_at: str | None
    """When the next attempt is due; null if there is none."""
    duration_ms: int | None
    """Milliseconds until the last attempt was answered or had failed."""
    answer_status: int | None
    """The HTTP status of the last answer."""
    answer: str | None
    """The beginning of the last answer that was not accepted; it is deleted when a subscriber is
    erased.
    """
    reason: str | None
    """Why the last attempt failed."""


class WebhookResend(TypedDict):
    """The events to send again, whether or not they were accepted."""

    first: int
    """Id of the first event."""
    last: NotRequired[int | None]
    """Id of the last event; the first one if it is left out."""


class WebhookResent(TypedDict):
    """What is sent again."""

    count: int
    """The number of messages."""


class WebhookRotate(TypedDict):
    """How to replace a secret."""

    overlap_hours: NotRequired[int | None]
    """For how long messages are signed with both secrets; 24 hours by default."""


class WebhookSecret(TypedDict):
    """A new secret of a webhook. It is shown only here."""

    id: str
    """Id of the webhook."""
    secret: str
    """`whsec_…`, to check the `v1` signatures."""
    public_key: str
    """`whpk_…`, to check the `v1a` signatures."""
    old_secret_until: str | None
    """Until when messages are also signed with the secret before; null if there was none."""


class WebhookUpdate(TypedDict):
    """Changes of a webhook."""

    url: NotRequired[str]
    """The address that gets the requests; it begins with `https://`."""
    types: NotRequired[Sequence[PublicEventType]]
    """The types of the events that it gets; an empty list for all."""
    status: NotRequired[WebhookStatus]
    """`enabled` sends the events since it was disabled, too."""
