"""What we are asked: query strings, bodies, rows of an import. `decoding` makes them from bytes."""

import sys
from datetime import date
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from masthead.model.errors import Invalid
from masthead.model.pagination import DEFAULT_LIMIT, MAX_LIMIT
from masthead.model.types.enums import (
    CancelMode,
    CopyStatus,
    Medium,
    SubscriptionStatus,
    SubscriptionType,
)
from masthead.model.types.fields import (
    ClearableNotes,
    ClearableText,
    CountryCode,
    CurrencyCode,
    Day,
    EmailText,
    IntervalMonths,
    IssueNumber,
    Length,
    ListText,
    MoneyText,
    Name,
    Notes,
    StartIssue,
    Text,
)

MAX_IDS = 10_000


class Query(Struct, kw_only=True, frozen=True):
    """A query string without parameters; the others build on it."""


class ListQuery(Query, kw_only=True, frozen=True):
    """The parameters that every list has."""

    cursor: Annotated[
        str | None,
        Meta(
            description="from the previous answer; leave out for the first page",
            extra={"max_length": sys.maxsize},  # `decode_cursor` refuses a long one
        ),
    ] = None
    limit: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_LIMIT,
            description="items on the page",
            extra={"advice": f"Use {MAX_LIMIT} at most and follow `cursor`."},
        ),
    ] = DEFAULT_LIMIT


_TRIMMED = {"tidy": str.strip}
Search = Annotated[
    str,
    Meta(
        max_length=255,
        description="terms separated by blanks that must all be found, as parts of words too, "
        "whatever their case and accents",
        extra=_TRIMMED,
    ),
]
_Id = Annotated[str, Meta(min_length=1, extra=_TRIMMED)]
SubscriberId = Annotated[_Id, Meta(description="id of the subscriber")]
SubscriptionId = Annotated[_Id, Meta(description="id of the subscription")]
SourceId = Annotated[_Id, Meta(description="id of the source of the order")]
IssueId = Annotated[_Id, Meta(description="id of the issue")]
Country = Annotated[
    str,
    Meta(
        min_length=1,
        description="ISO 3166-1 alpha-2 country code of the subscription",
        extra={"tidy": lambda text: text.strip().upper()},
    ),
]


class SubscriberQuery(ListQuery, kw_only=True, frozen=True):
    """Which subscribers."""

    search: Search | None = None


class SubscriptionQuery(ListQuery, kw_only=True, frozen=True):
    """Which subscriptions."""

    subscriber: SubscriberId | None = None
    country: Country | None = None
    source: SourceId | None = None
    is_gift: Annotated[bool, Meta(description="gifts only, or all but gifts")] | None = None
    search: Search | None = None


class IssueCopyQuery(ListQuery, kw_only=True, frozen=True):
    """Which copies of an issue."""

    status: Annotated[CopyStatus, Meta(description="state of the copies")] | None = None
    subscriber: SubscriberId | None = None
    subscription: SubscriptionId | None = None
    country: Country | None = None


class CopyQuery(IssueCopyQuery, kw_only=True, frozen=True):
    """Which copies."""

    issue: IssueId | None = None


class Creation(Struct, kw_only=True, forbid_unknown_fields=True):
    """A body that makes something: null and empty text in an optional field count as absent."""

    blank_is_absent: ClassVar[bool] = True


class Change(Struct, kw_only=True, forbid_unknown_fields=True):
    """A body that changes something: absent, null and a value are three things."""

    blank_is_absent: ClassVar[bool] = False


class SubscriptionCreate(Creation, kw_only=True):
    """A manual subscription.

    source: id of an active source of type `shop` or `import`.
    email: finds the subscriber, or names a new one; without it a placeholder is made up.
    company: needed unless `first_name` is given.
    phone: with the code of its country.
    notes: for the publisher's eyes only.
    order_id: the order's id in the shop; without a shop anything that no other order has.
    transaction_id: the payment's id where it was made.
    price: what was paid; `0` with `is_comp`.
    currency: if it is not the one in which the account sells.
    is_recurring: whether it is charged again elsewhere; nothing is charged here.
    is_comp: whether it is given away.
    medium: `Print` if left out.
    send_welcome_email: whether the subscriber is written to.
    """

    source: Name
    start_issue: StartIssue
    length: Length
    email: EmailText | None = None
    first_name: Text | None = None
    last_name: Text | None = None
    company: Text | None = None
    address1: Text | None = None
    address2: Text | None = None
    city: Text | None = None
    state: Text | None = None
    postcode: Text | None = None
    country: CountryCode
    phone: Text | None = None
    notes: Notes | None = None
    order_id: Name
    order_date: Day
    transaction_id: Text | None = None
    price: MoneyText
    currency: CurrencyCode | None = None
    is_recurring: bool | None = None
    is_comp: bool | None = None
    medium: Medium | None = None
    promo_code: Text | None = None
    discount_amount: MoneyText | None = None
    send_welcome_email: bool | None = None


class SubscriptionRow(Creation, kw_only=True):
    """A row of an import: a new subscription or membership, or with `renews` one more period.

    Which fields are needed depends on what the row is; `orders` knows.
    """

    order_id: Text
    type: SubscriptionType | None = None
    email: EmailText | None = None
    first_name: Text | None = None
    last_name: Text | None = None
    company: Text | None = None
    address1: Text | None = None
    address2: Text | None = None
    city: Text | None = None
    state: Text | None = None
    postcode: Text | None = None
    country: CountryCode | None = None
    phone: Text | None = None
    start_issue: StartIssue | None = None
    length: Length | None = None
    interval_months: IntervalMonths | None = None
    period_start: Day | None = None
    period_end: Day | None = None
    is_recurring: bool | None = None
    status: SubscriptionStatus | None = None
    is_comp: bool | None = None
    is_gift: bool | None = None
    gifter_name: Text | None = None
    gifter_email: EmailText | None = None
    medium: Medium | None = None
    price: MoneyText | None = None
    currency: CurrencyCode | None = None
    discount_amount: MoneyText | None = None
    refunded: MoneyText | None = None
    promo_code: Text | None = None
    order_date: Day | None = None
    transaction_id: Text | None = None
    notes: Notes | None = None
    sent_issues: ListText | None = None
    sent_dates: ListText | None = None
    renews: Text | None = None


class SubscriptionUpdate(Change, kw_only=True):
    """The fields of a subscription that may change; an empty text empties its field.

    first_name, company: one of them stays.
    country: is never empty.
    phone: with the code of its country.
    """

    first_name: ClearableText | UnsetType = UNSET
    last_name: ClearableText | UnsetType = UNSET
    company: ClearableText | UnsetType = UNSET
    address1: ClearableText | UnsetType = UNSET
    address2: ClearableText | UnsetType = UNSET
    city: ClearableText | UnsetType = UNSET
    state: ClearableText | UnsetType = UNSET
    postcode: ClearableText | UnsetType = UNSET
    country: CountryCode | UnsetType = UNSET
    phone: ClearableText | UnsetType = UNSET
    notes: ClearableNotes | UnsetType = UNSET


class SubscriptionCancel(Change, kw_only=True):
    """How to cancel.

    mode: `stop_renewals` lets a recurring one run out; `cancel` ends any and its unsent copies.
    """

    mode: CancelMode


class IssueUpdate(Change, kw_only=True):
    """The fields of an issue that may change; null empties the field."""

    name: Name | UnsetType = UNSET
    release_date_actual: Day | None | UnsetType = UNSET
    release_date_fuzzy: Text | None | UnsetType = UNSET
    date_as_start_issue: Day | None | UnsetType = UNSET
    recurring_charge_date: Day | None | UnsetType = UNSET
    newsstand_ean: Text | None | UnsetType = UNSET


class IssueCreate(Creation, kw_only=True):
    """A new issue. Without a name it is called `Issue {number}`."""

    number: IssueNumber
    name: Name | None = None
    release_date_actual: Day | None = None
    release_date_fuzzy: Text | None = None
    date_as_start_issue: Day | None = None
    recurring_charge_date: Day | None = None
    newsstand_ean: Text | None = None


class MarkSentDate(Change, kw_only=True):
    """When copies went out: absent leaves copies without a date, null removes it."""

    date: Day | None | UnsetType = UNSET


class MarkSent(MarkSentDate, kw_only=True):
    """Which copies went out, and when."""

    ids: Annotated[
        list[int], Meta(min_length=1, max_length=MAX_IDS, description="copy ids; one is fine")
    ]


def changes(patch: Change) -> dict[str, str | date | None]:
    """The fields that were sent, by name; an empty text became null."""
    sent = structs.asdict(patch)
    return {
        name: None if value == "" else value for name, value in sent.items() if value is not UNSET
    }


def require(field: str, value: object, why: str = "it is required") -> None:
    """Raises: Invalid if the field is absent."""
    if value is None:
        raise Invalid(f"`{field}` is missing; {why}.", field=field)
