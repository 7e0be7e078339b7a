"""Structs of input from outside: query strings, request bodies, and rows of an import."""

import sys
from collections.abc import Collection, Mapping
from datetime import date
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from masthead.model import advice
from masthead.model.errors import Invalid
from masthead.model.orders.field_rules import list_conflicts
from masthead.model.pagination import DEFAULT_LIMIT, MAX_LIMIT
from masthead.model.types.enums import CancelMode, Medium
from masthead.model.types.fields import (
    ClearableNotes,
    ClearablePostalText,
    CountryCode,
    CurrencyCode,
    Day,
    EmailText,
    IssueNumber,
    Length,
    MoneyText,
    Name,
    Notes,
    OrderDay,
    PostalText,
    SentDay,
    SourceOfOrders,
    StartIssue,
    Text,
)

MAX_IDS = 10_000


class Query(Struct, kw_only=True, frozen=True):
    """A query string without parameters; the base of the others."""

    elsewhere: ClassVar[Mapping[str, str]] = MappingProxyType({})  # advice, by unknown parameter


class ListQuery(Query, kw_only=True, frozen=True):
    """The parameters of every list; msgspec checks them in `model.validation.decode_query`."""

    elsewhere = advice.LISTS
    cursor: Annotated[
        str | None,
        Meta(
            description="`cursor` of the previous page; omit it to get the first page",
            extra={"max_length": sys.maxsize},  # `decode_cursor` refuses a long one
        ),
    ] = None
    limit: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_LIMIT,
            description="number of items per page",
            extra={"advice": f"Use at most {MAX_LIMIT} and follow `cursor`."},
        ),
    ] = DEFAULT_LIMIT


class Body(Struct, kw_only=True, forbid_unknown_fields=True):
    """A JSON body; the base of the others."""

    blank_is_absent: ClassVar[bool]
    elsewhere: ClassVar[Mapping[str, str]] = MappingProxyType({})  # advice, by unknown field
    noun: ClassVar[str] = "record"  # what one body is about
    bulk: ClassVar[str] = ""  # advice for those who have several

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The errors of fields that are valid by themselves, but not together.

        given: the valid fields. refused: the others.
        """
        return []

    @property
    def given(self) -> dict[str, Any]:
        """The fields that have a value."""
        fields = structs.asdict(self).items()
        return {name: value for name, value in fields if value is not None and value is not UNSET}

    @property
    def conflicts(self) -> list[Invalid]:
        """The errors of its fields that are not valid together."""
        return self.list_conflicts(self.given, ())


class Creation(Body, kw_only=True):
    """A body that creates a record. Null or an empty text in an optional field counts as absent."""

    blank_is_absent = True


class Change(Body, kw_only=True):
    """A body that changes a record. An absent field is left unchanged; null clears it."""

    blank_is_absent = False


class NoFields(Change, kw_only=True):
    """An empty object; the body can be left out."""


class SubscriptionCreate(Creation, kw_only=True):
    """A manual subscription.

    source: id of an active source of type `shop` or `import`.
    email: of the subscriber, who is created if not found; without it, a placeholder is created.
    company: required if there is no `first_name`.
    phone: phone number with country code.
    notes: internal notes; subscribers do not see them.
    order_id: id of the order in the shop; must be unique in the account.
    order_date: date of the order, from 1900 to 31 days after today.
    transaction_id: id of the payment at the payment provider.
    price: amount paid; `0` with `is_comp`.
    currency: defaults to the currency of the account.
    is_recurring: whether the subscription renews; masthead itself charges nothing.
    is_comp: whether the subscription is complimentary.
    medium: defaults to `Print`.
    send_welcome_email: whether the subscriber receives the welcome email.
    """

    elsewhere = advice.NEW_SUBSCRIPTION
    noun = "order"
    bulk = "`POST /v1/orders/bulk/` takes up to 500 orders."

    source: SourceOfOrders
    start_issue: StartIssue
    length: Length
    email: EmailText | None = None
    first_name: PostalText | None = None
    last_name: PostalText | None = None
    company: PostalText | None = None
    address1: PostalText | None = None
    address2: PostalText | None = None
    city: PostalText | None = None
    state: PostalText | None = None
    postcode: PostalText | None = None
    country: CountryCode
    phone: PostalText | None = None
    notes: Notes | None = None
    order_id: Name
    order_date: OrderDay
    transaction_id: Text | None = None
    price: MoneyText
    currency: CurrencyCode | None = None
    is_recurring: bool | None = None
    is_comp: bool | None = None
    medium: Medium | None = None
    promo_code: Text | None = None
    discount_amount: MoneyText | None = None
    send_welcome_email: bool | None = None

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The errors of the name and the amounts."""
        return list(list_conflicts(given, refused))


class SubscriptionUpdate(Change, kw_only=True):
    """The fields of a subscription to change; an empty text clears a field.

    first_name, company: `first_name` and `company` cannot both be empty.
    country: cannot be cleared.
    phone: phone number with country code.
    """

    elsewhere = advice.SUBSCRIPTION
    noun = "subscription"

    first_name: ClearablePostalText | UnsetType = UNSET
    last_name: ClearablePostalText | UnsetType = UNSET
    company: ClearablePostalText | UnsetType = UNSET
    address1: ClearablePostalText | UnsetType = UNSET
    address2: ClearablePostalText | UnsetType = UNSET
    city: ClearablePostalText | UnsetType = UNSET
    state: ClearablePostalText | UnsetType = UNSET
    postcode: ClearablePostalText | UnsetType = UNSET
    country: CountryCode | UnsetType = UNSET
    phone: ClearablePostalText | UnsetType = UNSET
    notes: ClearableNotes | UnsetType = UNSET


class SubscriptionCancel(Change, kw_only=True):
    """How to cancel.

    mode: `stop_renewals` ends a recurring subscription after its last paid period; `cancel` ends
        any subscription now and cancels its unsent copies.
    """

    elsewhere = advice.CANCEL
    noun = "subscription"

    mode: CancelMode


class IssueUpdate(Change, kw_only=True):
    """The fields of an issue to change; null clears a field."""

    elsewhere = advice.ISSUE_CHANGE
    noun = "issue"

    name: Name | UnsetType = UNSET
    release_date_actual: Day | None | UnsetType = UNSET
    release_date_fuzzy: Text | None | UnsetType = UNSET
    date_as_start_issue: Day | None | UnsetType = UNSET
    recurring_charge_date: Day | None | UnsetType = UNSET
    newsstand_ean: Text | None | UnsetType = UNSET


class IssueCreate(Creation, kw_only=True):
    """A new issue. The name defaults to `Issue {number}`."""

    elsewhere = advice.ISSUE
    noun = "issue"

    number: IssueNumber
    name: Name | None = None
    release_date_actual: Day | None = None
    release_date_fuzzy: Text | None = None
    date_as_start_issue: Day | None = None
    recurring_charge_date: Day | None = None
    newsstand_ean: Text | None = None


class MarkSentDate(Change, kw_only=True):
    """The date on which copies were sent.

    date: the date, from 2000 to 31 days after today; null removes it; if it is absent, copies that
        are sent keep theirs.
    """

    noun = "date"
    bulk = "`POST /v1/copies/mark-sent/` marks several copies."

    date: SentDay | None | UnsetType = UNSET


class MarkSent(MarkSentDate, kw_only=True):
    """The copies that were sent, and the date."""

    elsewhere = advice.COPIES

    ids: Annotated[
        list[int], Meta(min_length=1, max_length=MAX_IDS, description="ids of the copies")
    ]


def changes(patch: Change) -> dict[str, str | date | None]:
    """The fields of a body that were sent, by name; an empty text becomes None."""
    sent = structs.asdict(patch)
    return {
        name: None if value == "" else value for name, value in sent.items() if value is not UNSET
    }
